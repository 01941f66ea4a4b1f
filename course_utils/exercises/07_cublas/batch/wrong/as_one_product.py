"""Y[b] = X[b] W for a batch of matrices X and one W, which is stored transposed. All lie by columns.

layers(handle, X, W, Y, count, m, n, k)
  handle    of course_utils.blas
  X         count matrices of m x k floats, one after another without gaps
  W         n x k floats: W transposed
  Y         count matrices of m x n floats, one after another without gaps, to be overwritten
"""


def layers(handle, X, W, Y, count, m, n, k):
    # As if the matrices of X lay below one another in one matrix: their columns do not.
    handle.gemm("N", "T", count * m, n, k, 1, X, count * m, W, n, 0, Y, count * m)
