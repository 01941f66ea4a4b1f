"""Adds the product of a block of A and a matrix B to a block of C. All matrices lie by columns.

update(handle, A, B, C, R, S, r, s, m, n, k)
  handle    of course_utils.blas
  A         R x S floats, without gaps; its block begins at row r and column s, and is m x k
  B         k x n floats, without gaps
  C         R x S floats, without gaps; its block begins at row r and column s too, and is m x n
"""


def update(handle, A, B, C, R, S, r, s, m, n, k):
    # A block is a matrix with a gap behind each column: the distance between columns stays that of the whole.
    first = r + s * R
    handle.gemm("N", "N", m, n, k, 1, A[first:], R, B, k, 1, C[first:], R)
