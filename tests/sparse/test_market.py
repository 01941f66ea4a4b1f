"""Matrix Market files: what can be opened, and one clear sentence for what cannot."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from course_utils import sparse
from course_utils.sparse import market


def test_the_example_is_the_grid(tmp_path: Path) -> None:
    again = tmp_path / "grid.mtx"
    sparse.write(again, sparse.grid(12), " Five-point stencil on a grid of 12 x 12 points.", symmetric=True)
    kept = sparse.EXAMPLES / "grid.mtx"
    assert again.read_text() == kept.read_text()
    assert kept.stat().st_size < 10_000
    read, made = sparse.read(kept), sparse.grid(12)
    assert all(
        np.array_equal(getattr(read, name), getattr(made, name)) for name in ("values", "columns", "starts")
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = sparse.banded(20, 3, np.random.default_rng(5))
    sparse.write(tmp_path / "a.mtx", made)
    read = sparse.read(tmp_path / "a.mtx")
    assert np.allclose(read.scipy().toarray(), made.scipy().toarray(), rtol=1e-5)
    assert (read.values.dtype, read.columns.dtype, read.starts.dtype) == (np.float32, np.int32, np.int32)


HEAD = "%%MatrixMarket matrix coordinate"


@pytest.mark.parametrize(
    ("text", "dense"),
    [
        (f"{HEAD} pattern general\n2 3 2\n1 3\n2 1\n", [[0, 0, 1], [1, 0, 0]]),
        (f"{HEAD} integer symmetric\n2 2 2\n1 1 5\n2 1 7\n", [[5, 7], [7, 0]]),
        (f"{HEAD} real skew-symmetric\n2 2 1\n2 1 1.5\n", [[0, -1.5], [1.5, 0]]),
        (f"{HEAD} real general\n% twice\n1 2 2\n1 2 1\n1 2 2\n", [[0, 3]]),
    ],
)
def test_kinds_of_files(tmp_path: Path, text: str, dense: list) -> None:
    file = tmp_path / "m.mtx"
    file.write_text(text)
    assert sparse.read(file).scipy().toarray().tolist() == dense


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "first line must begin with %%MatrixMarket"),
        ("row,column\n1,2\n", "first line must begin with %%MatrixMarket"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "a dense matrix"),
        (f"{HEAD} complex general\n1 1 1\n1 1 1 2\n", "complex numbers"),
        (f"{HEAD} real general\n3 3 2\n1 1 1\n", "breaks off or is damaged"),
        (f"{HEAD} real general\n3 3 1\n4 1 1\n", "breaks off or is damaged"),
        (f"{HEAD} real general\nthree 3 1\n", "breaks off or is damaged"),
        (f"{HEAD} real general\n3 3 0\n", "needs at least one"),
        (f"{HEAD} real general\n3 3 90000000\n1 1 1\n", "at most 10,000,000"),
        (f"{HEAD} real general\n90000000 3 1\n1 1 1\n", "at most 10,000,000"),
        (f"{HEAD} real general\n1 1 1\n1 1 1e300\n", "float32"),
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "wrong.mtx"
    file.write_text(text)
    with pytest.raises(sparse.MatrixError, match=told) as raised:
        sparse.read(file)
    assert "wrong.mtx" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_file_a_folder_and_a_packed_file(tmp_path: Path) -> None:
    with pytest.raises(sparse.MatrixError, match=r"There is no file nothing\.mtx"):
        sparse.read(tmp_path / "nothing.mtx")
    with pytest.raises(sparse.MatrixError, match="is a folder"):
        sparse.read(tmp_path)
    packed = tmp_path / "m.mtx.gz"
    packed.write_bytes(gzip.compress(f"{HEAD} real general\n1 1 1\n1 1 1\n".encode()))
    with pytest.raises(sparse.MatrixError, match="Unpack it first"):
        sparse.read(packed)


def test_a_file_that_fills_up_while_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A symmetric file holds half of its values; the bound is on all of them."""
    monkeypatch.setattr(market, "MOST_VALUES", 500)
    with pytest.raises(sparse.MatrixError, match="with 672 values"):
        sparse.read(sparse.EXAMPLES / "grid.mtx")
