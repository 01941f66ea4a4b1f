"""The product C = A B of matrices that lie by rows.

product(handle, A, B, C, M, K, N)
  handle    of course_utils.blas
  A         M x K floats, row after row without gaps
  B         K x N floats, likewise
  C         M x N floats, likewise, to be overwritten
"""

import numpy as np


def product(handle, A, B, C, M, K, N):
    c = np.zeros_like(C)
    handle.gemm("T", "T", M, N, K, 1, A, K, B, N, 0, c, M)
    C[:] = c.reshape(N, M).T.reshape(-1)
