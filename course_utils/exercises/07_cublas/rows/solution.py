"""The product C = A B of matrices that lie by rows.

product(handle, A, B, C, M, K, N)
  handle    of course_utils.blas
  A         M x K floats, row after row without gaps
  B         K x N floats, likewise
  C         M x N floats, likewise, to be overwritten
"""


def product(handle, A, B, C, M, K, N):
    # What lies by rows is the transpose, read by columns. C transposed is B transposed times A transposed, so
    # with the operands exchanged the call makes C transposed by columns, which is C by rows.
    handle.gemm("N", "N", N, M, K, 1, B, N, A, K, 0, C, N)
