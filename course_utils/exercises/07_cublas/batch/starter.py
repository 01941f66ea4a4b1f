"""Y[b] = X[b] W for a batch of matrices X and one W, which is stored transposed. All lie by columns.

As it stands there is a call for each matrix of the batch. Make one call do all of them.

layers(handle, X, W, Y, count, m, n, k)
  handle    of course_utils.blas
  X         count matrices of m x k floats, one after another without gaps
  W         n x k floats: W transposed
  Y         count matrices of m x n floats, one after another without gaps, to be overwritten
"""


def layers(handle, X, W, Y, count, m, n, k):
    for b in range(count):
        handle.gemm("N", "T", m, n, k, 1, X[b * m * k :], m, W, n, 0, Y[b * m * n :], m)
