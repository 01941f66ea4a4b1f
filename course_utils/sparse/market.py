"""Matrix Market files (.mtx): text that begins with a line on what the file holds.

Format: R. F. Boisvert, R. Pozo, K. Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

from .matrices import Csr, from_scipy

EXAMPLES = Path(__file__).resolve().parent / "examples"
"""Files that come with the course: grid.mtx is `write(EXAMPLES / "grid.mtx", grid(12), symmetric=True)`."""

MOST_VALUES = 10_000_000
"""Of a file. The simulator runs on this machine's processor: more than this takes it minutes."""

_BANNER = "%%MatrixMarket"


class MatrixError(ValueError):
    """A file that is no sparse matrix of real numbers; the message says why, and what to do."""


def read(path: str | Path) -> Csr:
    """Open a sparse matrix of real or whole numbers, or a pattern, whose values are then all 1. What a
    symmetric file leaves out is filled in. Raises MatrixError for any other file."""
    file = Path(path)
    if file.is_dir():
        raise MatrixError(f"{file.name} is a folder; name a file in it that ends in .mtx.")
    if not file.is_file():
        raise MatrixError(
            f"There is no file {file.name} in {_told(file.parent)}; see that the name is right."
        )
    kind = _kind(file)
    if "coordinate" not in kind:
        raise MatrixError(
            f"{file.name} holds a dense matrix ('array'); a sparse one says 'coordinate' in its first line."
        )
    if "complex" in kind or "hermitian" in kind:
        raise MatrixError(
            f"{file.name} holds complex numbers; choose a file of 'real', 'integer' or 'pattern'."
        )
    try:
        rows, columns, stored, *_ = scipy.io.mminfo(file)
        _check_size(file, rows, columns, stored)
        found = scipy.io.mmread(file, spmatrix=False)
    except MatrixError:
        raise
    except Exception as error:  # the reader raises whatever it stumbles over
        raise MatrixError(f"{file.name} breaks off or is damaged: {error}; fetch it again.") from None
    matrix = from_scipy(scipy.sparse.csr_array(found))
    _check_size(file, matrix.rows, matrix.width, matrix.count)
    if not np.isfinite(matrix.values).all():
        raise MatrixError(f"{file.name} holds values that float32 cannot; scale them to below 1e38.")
    return matrix


def write(path: str | Path, matrix: Csr, comment: str = "", symmetric: bool = False) -> None:
    """Write a matrix as Matrix Market text; `symmetric`: only its lower half."""
    symmetry = "symmetric" if symmetric else "general"
    scipy.io.mmwrite(path, matrix.scipy(np.float64), comment, precision=6, symmetry=symmetry)


def _kind(file: Path) -> list[str]:
    """The words of the first line, in small letters."""
    with file.open("rb") as opened:
        first = opened.readline(1000).decode("utf-8", "replace")
    if not first.lower().startswith(_BANNER.lower()):
        packed = " Unpack it first." if file.suffix in {".gz", ".zip", ".bz2", ".tar", ".tgz"} else ""
        raise MatrixError(
            f"{file.name} is no Matrix Market file: its first line must begin with {_BANNER}.{packed}"
        )
    return first.lower().split()


def _check_size(file: Path, rows: int, columns: int, values: int) -> None:
    if min(rows, columns, values) < 1:
        raise MatrixError(
            f"{file.name} holds a matrix of {rows} x {columns} with {values} values; it needs at least one."
        )
    if max(values, rows, columns) > MOST_VALUES:
        raise MatrixError(
            f"{file.name} is {rows:,} x {columns:,} with {values:,} values; take one with at most "
            f"{MOST_VALUES:,} rows, columns and values, since the simulator would need minutes for it."
        )


def _told(folder: Path) -> str:
    return f"the folder {folder.name}" if folder.name else "this folder"
