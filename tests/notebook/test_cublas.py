"""What the lesson on cuBLAS calls."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from course_utils import blas, devices, notebook
from course_utils.blas import lt
from course_utils.figures.numbers import TIMES


def test_attempt_prints_what_comes_of_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    x, handle = np.ones(2, np.float32), blas.create("simulator")
    notebook.attempt(handle.dot, 2, x, 1, x, 1)
    notebook.attempt(handle.gemv, "N", 1, 1, 1, x, 1, x, 1, 0, x, 1)
    notebook.attempt(handle.dot, 2, x, 0, x, 1)
    assert capsys.readouterr().out.splitlines() == [
        "2.0",
        "CUBLAS_STATUS_SUCCESS",
        "CUBLAS_STATUS_INVALID_VALUE: incx is 0, and must not be",
    ]


def test_reading_shows_what_the_library_reads() -> None:
    shown = notebook.reading("A", np.arange(8.0), 2, 3, 3, trans="T")
    assert f"A is a buffer of 8 elements, read as A transposed: 2 {TIMES} 3" in repr(shown)
    assert "row 1 3 <3> 4 <4> 5 <5>" in " ".join(repr(shown).split())


def test_code_is_that_of_the_file() -> None:
    listing = notebook.code(lt.Planner.plan)
    assert listing.title == "course_utils/blas/lt.py"
    lines = listing.source.splitlines()[listing.first - 1 : listing.last]
    assert "\n".join(lines) == inspect.getsource(lt.Planner.plan).rstrip("\n")


@pytest.mark.parametrize(("shape", "refused", "beyond"), [(0, 6, 6), (2, 0, 0)])
def test_flags(shape: int, refused: int, beyond: int) -> None:
    outcomes = [cell for row in notebook.flags(shape).content.rows for cell in row[3:]]
    counts = [outcomes.count(each) for each in ("right", "C by rows", "C by columns")]
    assert (len(outcomes), counts) == (16, [2, 1, 1])
    assert (outcomes.count("refused"), outcomes.count("beyond a buffer")) == (refused, beyond)


def test_errors_of_formats_follow_from_their_bits() -> None:
    rows = notebook.format_errors(k=(64, 1024)).content.rows
    errors = {row[:3]: [float(cell) for cell in row[3:]] for row in rows}
    single = errors["float32", "float32", "float32"]
    tf32, half = errors["TF32", "float32", "float32"], errors["float16", "float32", "float32"]
    sums = errors["float16", "float16", "float16"]
    assert single[1] > 2 * single[0]
    assert tf32 == half
    assert max(tf32) < 1.2 * min(tf32)
    assert sums[1] > 2 * sums[0] > 2 * half[0]
    brain, eighth = errors["bfloat16", "float32", "float32"], errors["FP8 (E4M3)", "float32", "float32"]
    assert brain[0] == pytest.approx(8 * tf32[0], rel=0.3)
    assert eighth[0] == pytest.approx(16 * brain[0], rel=0.3)


def test_formats_lists_them_all() -> None:
    assert [row[0] for row in notebook.formats().content.rows] == list(blas.FORMATS)


def test_libraries_tells_what_is_recorded_and_what_is_not() -> None:
    table = notebook.libraries(["cuBLAS, float32", "no such library"], N=4096).content
    assert table.caption == "N = 4,096; not recorded yet: no such library"
    name, time, flops, error, where = table.rows[0]
    assert (name, time, flops) == ("cuBLAS, float32", "2.75 ms", "50")
    assert float(error) < 1e-5
    assert "NVIDIA H200" in where
    assert notebook.libraries(["cuBLAS, float32"], N=4096).content.caption == "N = 4,096; recorded"
    assert repr(notebook.libraries(["nothing"], N=7)) == "No recording has times of nothing at N = 7 yet."


def test_without_a_gpu_what_needs_one_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    if devices.current() != devices.SIMULATOR:
        pytest.skip("this machine has a GPU")
    notebook.modes()
    notebook.lt_plans(8, 8, 8)
    assert capsys.readouterr().out == 2 * f"{devices.describe()}\n"
