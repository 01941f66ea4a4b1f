"""The product C = A B of matrices that lie by rows.

product(handle, A, B, C, M, K, N)
  handle    of course_utils.blas
  A         M x K floats, row after row without gaps
  B         K x N floats, likewise
  C         M x N floats, likewise, to be overwritten
"""


def product(handle, A, B, C, M, K, N):
    handle.gemm("N", "N", M, N, K, 1, B, max(M, N), A, max(K, N), 0, C, max(M, N))
