"""The product C = A B of matrices that lie by rows.

product(handle, A, B, C, M, K, N)
  handle    of course_utils.blas
  A         M x K floats, row after row without gaps
  B         K x N floats, likewise
  C         M x N floats, likewise, to be overwritten
"""


def product(handle, A, B, C, M, K, N):
    C[:] = (A.reshape(M, K) @ B.reshape(K, N)).reshape(-1)
