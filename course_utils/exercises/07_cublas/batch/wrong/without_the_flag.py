"""Y[b] = X[b] W for a batch of matrices X and one W, which is stored transposed. All lie by columns.

layers(handle, X, W, Y, count, m, n, k)
  handle    of course_utils.blas
  X         count matrices of m x k floats, one after another without gaps
  W         n x k floats: W transposed
  Y         count matrices of m x n floats, one after another without gaps, to be overwritten
"""


def layers(handle, X, W, Y, count, m, n, k):
    handle.gemm_strided_batched("N", "N", m, n, k, 1, X, m, m * k, W, k, 0, 0, Y, m, m * n, count)
