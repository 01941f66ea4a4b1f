"""The views of the labs on sparse matrices."""

from __future__ import annotations

from course_utils import notebook
from course_utils.labs import Choice, Counters, Lab, LaneWork, Padding, Preset


def sparse_lab(**options: object) -> Lab:
    given = {
        "kernels": ["spmv/csr_scalar", "spmv/csr_vector"],
        "controls": [Choice("kernel"), Preset("matrix", notebook.shapes(rows=96, per_row=8))],
        "views": [LaneWork(), Counters(measures=("active_lanes",))],
    }
    return Lab(**{**given, **options})


def told(lab: Lab) -> str:
    """The report in one line."""
    return " ".join(lab.report().split())


def test_the_matrix_and_the_warp_are_chosen() -> None:
    lab = sparse_lab()
    assert "32.0 of 32 lanes active on average" in told(lab)
    lab.set(matrix="skewed", warp=2)
    assert "Block (0, 0), warp 2: " in told(lab)
    assert "32.0 of 32" not in told(lab)
    assert "ptx__thread_inst_executed.sum" in told(lab)


def test_padding_is_that_of_the_format() -> None:
    window = Choice("window", (1, 96))
    matrix = Preset("matrix", notebook.shapes(rows=96, per_row=8), start="skewed")
    lab = sparse_lab(kernels=["spmv/sell"], controls=[matrix, Choice("SLICE"), window], views=[Padding()])
    made = notebook.made("skewed", rows=96, per_row=8)
    assert f"for {made.count:,} values, so " in told(lab)
    lab.set(SLICE=32, window=1)
    places = sum(32 * int(made.lengths[first : first + 32].max()) for first in (0, 32, 64))
    assert f"sell: {places:,} places for {made.count:,} values" in told(lab)


def test_a_matrix_of_two_kinds_is_refused() -> None:
    both = Preset("matrix", {"both": {"rows": 64, "skewed": 1, "banded": 1}})
    lab = sparse_lab(controls=[Choice("kernel"), both])
    lab.report()
    assert "one kind, not skewed and banded" in str(lab.error)
