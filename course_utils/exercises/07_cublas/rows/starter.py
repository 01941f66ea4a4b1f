"""The product C = A B of matrices that lie by rows, as they do in C and in NumPy.

As it stands the matrices are laid out anew, column by column, and multiplied; then the result is laid out by
rows. Make one call do it, on the buffers as they are.

product(handle, A, B, C, M, K, N)
  handle    of course_utils.blas
  A         M x K floats, row after row without gaps
  B         K x N floats, likewise
  C         M x N floats, likewise, to be overwritten
"""

from course_utils import blas


def product(handle, A, B, C, M, K, N):
    a = blas.store(blas.fetch(A, M, K, "rows"), "columns")
    b = blas.store(blas.fetch(B, K, N, "rows"), "columns")
    c = C.copy()
    handle.gemm("N", "N", M, N, K, 1, a, M, b, K, 0, c, M)
    C[:] = blas.store(blas.fetch(c, M, N, "columns"), "rows")
