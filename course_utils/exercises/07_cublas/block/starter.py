"""Adds the product of a block of A and a matrix B to a block of C. All matrices lie by columns.

As it stands both blocks are copied out, and the new block of C is copied back. Make one call do it in place.

update(handle, A, B, C, R, S, r, s, m, n, k)
  handle    of course_utils.blas
  A         R x S floats, without gaps; its block begins at row r and column s, and is m x k
  B         k x n floats, without gaps
  C         R x S floats, without gaps; its block begins at row r and column s too, and is m x n
"""

from course_utils import blas


def update(handle, A, B, C, R, S, r, s, m, n, k):
    a = blas.store(blas.fetch(A, R, S, "columns")[r : r + m, s : s + k], "columns")
    whole = blas.fetch(C, R, S, "columns")
    c = blas.store(whole[r : r + m, s : s + n], "columns")
    handle.gemm("N", "N", m, n, k, 1, a, m, B, k, 1, c, m)
    whole[r : r + m, s : s + n] = blas.fetch(c, m, n, "columns")
    C[:] = blas.store(whole, "columns")
