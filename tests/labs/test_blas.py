"""The lab of one call: every setting makes one, and what it says of C is so."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from course_utils import labs
from course_utils.labs import blas as lab_of_calls

ROWS, COLUMNS = {"lie by": "rows"}, {"lie by": "columns"}
SHAPES = list(lab_of_calls.SHAPES)


@pytest.fixture
def lab() -> labs.BlasLab:
    return labs.BlasLab()


def test_it_begins_with_the_classic_mistake(lab: labs.BlasLab) -> None:
    assert lab.result.outcome == "refused"
    assert lab.result.verdict.startswith("CUBLAS_STATUS_INVALID_VALUE: lda is 3")
    lab.set(**{"A and B": SHAPES[2]})
    assert (lab.result.outcome, lab.result.correct) == ("B A", False)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("gap", [0, 1, 2])
def test_two_calls_are_right_for_every_shape_and_gap(lab: labs.BlasLab, shape: str, gap: int) -> None:
    found = {}
    for lie, operands, transa, transb in itertools.product(("rows", "columns"), ("A, B", "B, A"), "NT", "NT"):
        chosen = {"A and B": shape, "gap": gap, "lie by": lie, "operands": operands}
        lab.set(**chosen, transa=transa, transb=transb)
        found[lie, operands, transa + transb] = lab.result.outcome
    right = [setting for setting, outcome in found.items() if outcome == "right"]
    assert right == [("rows", "B, A", "NN"), ("columns", "A, B", "NN")]
    assert found["rows", "A, B", "TT"] == "C by columns"
    assert found["columns", "B, A", "TT"] == "C by rows"


def test_a_leading_dimension_that_is_too_long(lab: labs.BlasLab) -> None:
    lab.set(**COLUMNS, lda=5)
    assert lab.result.outcome == "beyond a buffer"
    assert "A has 12 elements" in lab.result.verdict
    lab.set(**ROWS, operands="B, A", lda=3)
    assert "(The call's A is the buffer B here, and its B the buffer A.)" in lab.result.verdict


def test_a_gap_taken_for_elements_shows(lab: labs.BlasLab) -> None:
    lab.set(**COLUMNS, gap=1, lda=4)
    assert lab.result.outcome == "wrong"
    assert "99 <4>" in lab.report()


def test_report_has_the_call_the_verdict_and_three_buffers(lab: labs.BlasLab) -> None:
    lab.set(operands="B, A")
    told = lab.report()
    assert told.startswith(
        "cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 4, 3, &alpha, B, 2, A, 3, &beta, C, 2)\n"
        "C, looked at by rows, equals NumPy's A @ B."
    )
    titles = re.findall(r"^(First operand: B|Second operand: A|Result: C): ", told, re.MULTILINE)
    assert titles == ["First operand: B", "Second operand: A", "Result: C"]
    product = np.arange(1, 13).reshape(4, 3) @ np.arange(6, 0, -1).reshape(3, 2)
    assert " ".join(map(str, product.reshape(-1))) in " ".join(told.split())


def test_moving_a_control_shows_at_once(lab: labs.BlasLab) -> None:
    lab.controls["lie by"].value = "columns"
    assert lab.result.correct
    assert "equals NumPy" in lab._frame.status.value
    assert "lk-good" in lab._frame.status.value
    lab.controls["transa"].value = "T"
    assert "lk-refused" in lab._frame.status.value


def test_what_it_does_not_have_is_refused(lab: labs.BlasLab) -> None:
    with pytest.raises(ValueError, match="no control 'ldc'; it has A and B, lie by, gap, operands, transa"):
        lab.set(ldc=4)
    with pytest.raises(ValueError, match="lda cannot be 7: this lab has as stored, 2, 3, 4, 5, 6"):
        lab.set(lda=7)
    with pytest.raises(ValueError, match="no control"):
        labs.BlasLab(state={"m": 1})


def test_a_link_leads_back(lab: labs.BlasLab) -> None:
    lab.set(**COLUMNS, gap=2, lda=5, operands="B, A", transb="T")
    assert labs.BlasLab(state=labs.at(lab.link())).state == lab.state


def test_as_text() -> None:
    lab = labs.BlasLab(state={**COLUMNS, "transa": "T"})
    assert repr(lab) == (
        f"<BlasLab A and B {SHAPES[0]}, lie by columns, gap 0, operands A, B, transa T, transb N, "
        "lda as stored, ldb as stored>"
    )
    assert lab._repr_mimebundle_()["text/plain"] == repr(lab)
    assert lab.widget is lab._frame.box
