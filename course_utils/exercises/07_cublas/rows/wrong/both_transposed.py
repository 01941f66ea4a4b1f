"""The product C = A B of matrices that lie by rows.

product(handle, A, B, C, M, K, N)
  handle    of course_utils.blas
  A         M x K floats, row after row without gaps
  B         K x N floats, likewise
  C         M x N floats, likewise, to be overwritten
"""


def product(handle, A, B, C, M, K, N):
    # A and B are read right. C comes out by columns.
    handle.gemm("T", "T", M, N, K, 1, A, K, B, N, 0, C, M)
