"""What lesson 06 calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from course_utils import devices, notebook, problems, recordings, sparse
from course_utils.recordings import libraries

SCALAR, VECTOR, ELL = "spmv/csr_scalar", "spmv/csr_vector", "spmv/ell"


def test_the_example_is_written_down_in_all_its_parts() -> None:
    rows = notebook.csr_example().content.rows
    assert [row[2] for row in rows] == ["0", "3", "4", "6"]
    assert rows[0][1:] == ("1 . 2 3", "0", "0, 2, 3", "1, 2, 3")
    assert rows[3][1:] == (". . . 7", "6", "3", "7")


def test_the_formats_keep_the_values_in_their_own_order() -> None:
    rows = dict(notebook.laid_out().content.rows)
    assert rows == {
        "CSR": "1 2 3  |  4  |  5 6  |  7",
        "ELL": "1 4 5 7  |  2 . 6 .  |  3 . . .",
        "JDS": "1 5 4 7  |  2 6  |  3",
        "SELL": "1 4  |  2 .  |  3 .  |  5 7  |  6 .",
        "SELL, sorted": "1 5  |  2 6  |  3 .  |  4 7",
    }
    assert [row[0] for row in notebook.laid_out("JDS").content.rows] == ["JDS"]


def test_a_second_launch_adds_again() -> None:
    first, second = notebook.added(2).content.rows
    assert first[1:] == ("3,201", "40", "6,500", "7,000")
    assert second[1:] == ("6,402", "80", "13,000", "14,000")


def test_shares_hold_every_value_and_every_row_once() -> None:
    for threads in (1, 3, 4, 11):
        rows = notebook.shares(threads).content.rows
        taken = [value for row in rows for value in row[2].split(", ") if value != "\N{EN DASH}"]
        ended = [row_ for row in rows for row_ in row[3].split(", ") if row_ != "\N{EN DASH}"]
        assert (taken, ended) == ([str(value) for value in range(1, 8)], ["0", "1", "2", "3"])
        assert sum(int(row[1]) for row in rows) == 11


def test_a_shape_is_what_the_kernels_get() -> None:
    counted = notebook.count(SCALAR, rows=300, per_row=6, skewed=1)
    assert notebook.made("skewed", rows=300, per_row=6).count == counted.operations


def test_shapes_share_sizes() -> None:
    shapes = notebook.shapes(rows=64)
    assert set(shapes) == set(notebook.SHAPES)
    assert all(shape["rows"] == 64 for shape in shapes.values())
    assert "rows" not in notebook.SHAPES["skewed"]


def test_stored_counts_places() -> None:
    table = notebook.stored(rows=128, per_row=4).content
    rows = {row[0]: dict(zip(table.head[1:], map(float, row[1:]), strict=True)) for row in table.rows}
    assert set(rows["banded"].values()) == {1.0}
    skewed = notebook.made("skewed", rows=128, per_row=4)
    assert rows["skewed"]["ELL"] == round(128 * int(skewed.lengths.max()) / skewed.count, 2)
    assert rows["skewed"]["CSR"] == rows["skewed"]["JDS"] == 1
    assert rows["skewed"]["SELL,\nall sorted"] <= rows["skewed"]["SELL,\nnot sorted"] <= rows["skewed"]["ELL"]
    assert notebook.stored("ELL", rows=128, per_row=4).content.head == ("matrix", "ELL")


def test_longest_is_the_work_of_the_busiest_thread() -> None:
    matrix = notebook.made("skewed", rows=500, per_row=8)
    rounds = [int(row[1].replace(",", "")) for row in notebook.longest(matrix).content.rows]
    most = int(matrix.lengths.max())
    steps = np.diff(sparse.merge_shares(matrix, matrix.rows).sum(axis=1)).max()
    assert rounds == [most, -(-most // 8), -(-most // 32), steps]


def test_crossed_has_a_kernel_a_row_and_a_matrix_a_column() -> None:
    table = notebook.crossed([SCALAR, VECTOR], "sectors", rows=64, per_row=8, LANES=8).content
    assert table.head == ("kernel", *notebook.SHAPES)
    counted = notebook.count(VECTOR, rows=64, per_row=8, varied=1, LANES=8)
    assert table.rows[1][table.head.index("random")] == f"{counted.sectors:,}"


def test_kernels_on_a_file() -> None:
    matrix = notebook.open_matrix("grid.mtx")
    rows = notebook.on_matrix(matrix, SCALAR, ELL, measures=("sectors",)).content.rows
    assert [(row[0], row[-1]) for row in rows] == [("csr_scalar", "right"), ("ell", "right")]


def test_a_wide_matrix_of_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIVE_KERNELS_MY", str(tmp_path))
    (tmp_path / "wide.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n1 900 2\n1 7 2.5\n1 900 -1\n"
    )
    matrix = notebook.open_matrix("my/wide.mtx")
    assert (matrix.rows, matrix.width) == (1, 900)
    ways = [f"spmv/{way}" for way in ("csr_scalar", "csr_vector", "ell", "jds", "sell", "csr_merge")]
    assert {row[-1] for row in notebook.on_matrix(matrix, *ways, measures=()).content.rows} == {"right"}


def test_a_matrix_that_cannot_be_padded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse.formats, "MOST_PLACES", 700)
    scalar, padded = notebook.on_matrix(sparse.grid(12), SCALAR, ELL, measures=("sectors",)).content.rows
    assert scalar[-1] == "right"
    assert padded == ("ell", "\N{EN DASH}", "too much padding")


def test_a_learners_file_goes_before_the_courses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIVE_KERNELS_MY", str(tmp_path))
    assert notebook.open_matrix("grid.mtx").rows == 144
    sparse.write(tmp_path / "grid.mtx", sparse.grid(2))
    assert notebook.open_matrix("grid.mtx").rows == 4
    with pytest.raises(sparse.MatrixError, match=r"There is no file other\.mtx"):
        notebook.open_matrix("other.mtx")


def test_library_time_names_the_recording(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.library_time("cuSPARSE", rows=1 << 20, per_row=24, skewed=0)
    told = capsys.readouterr().out
    assert told.startswith("cuSPARSE: 25,165,824 multiply-adds in ")
    assert recordings.load()[0].label in told
    notebook.library_time("cuSPARSE", rows=7)
    assert capsys.readouterr().out == "No recording has a time of cuSPARSE at rows = 7.\n"


def test_a_product_is_measured_and_right(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.measure_product(rows=1000, per_row=5, skewed=1)
    told = capsys.readouterr().out
    if devices.current() == devices.SIMULATOR:
        assert "SciPy: " in told
        assert "measured on this machine's processor" in told
        assert "y equals NumPy's A @ x" in told
    else:
        assert "cuSPARSE" in told


def test_on_a_gpu_each_algorithm_of_the_library_is_timed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a library and a clock that need no GPU: what is timed is the problem asked for, and right."""

    def prepare(problem: problems.Problem) -> libraries.Prepared:
        made = sparse.Csr(*(problem.arrays[name] for name in ("values", "columns", "starts")), width=500)

        def work() -> None:
            problem.arrays["y"][:] = made.times(problem.arrays["x"])

        return libraries.Prepared({"CSR_ALG1": work, "CSR_ALG2": work}, lambda: None)

    class Clock:
        def time(self, work: Callable[[], object], name: str, timing: devices.Timing) -> list[float]:
            work()
            return [0.001, 0.002, 0.009]

    library = libraries.Library("spmv", problems.spmv.product("spmv/csr_scalar"), (), prepare)
    monkeypatch.setitem(libraries.LIBRARIES, "cuSPARSE", library)
    monkeypatch.setattr(devices, "current", lambda: "gpu")
    monkeypatch.setattr(devices, "gpu", Clock)
    notebook.measure_product(rows=500, per_row=5, skewed=0)
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == [f"cuSPARSE CSR_ALG{n}: 2 ms, measured on this machine's GPU" for n in (1, 2)]
    assert told[2:] == ["y equals NumPy's A @ x within 1e-5"]
