"""Predict first: a lab's numbers stay hidden until the learner has said what they expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ipywidgets as widgets
import pytest

from course_utils.labs import Counters, Lab, Question, Sweep, question
from course_utils.labs.lab import described

MakeLab = Callable[..., Lab]
ASKED = Question("How many times fewer?", (2, 5, 8), "sectors", fewer=True, why="Each is fetched once.")


@pytest.fixture(autouse=True)
def _nothing_answered() -> Iterator[None]:
    question._kept.clear()
    yield
    question._kept.clear()


def hidden(lab: Lab) -> bool:
    shown = [part.layout.display != "none" for part in (lab._body, lab._frame.status)]
    assert len(set(shown)) == 1
    return not shown[0]


def button(lab: Lab) -> tuple[widgets.RadioButtons, widgets.Button]:
    parts = lab._asked.widget.children
    return (
        next(each for each in parts if isinstance(each, widgets.RadioButtons)),
        next(each for each in parts if isinstance(each, widgets.Button)),
    )


def told(lab: Lab) -> str:
    return "".join(each.value for each in lab._asked.widget.children if isinstance(each, widgets.HTML))


def test_numbers_are_hidden_until_one_is_expected(make_lab: MakeLab) -> None:
    lab = make_lab(predict=ASKED, views=[Counters(), Sweep("N")])
    _ = lab.widget
    assert hidden(lab)
    assert all(control.disabled for control in lab.controls.values())
    assert lab.report() == (
        "tiled, TILE 8, N 24\nHow many times fewer?\n  ( ) 2 times\n  ( ) 5 times\n  ( ) 8 times\n"
        "The numbers are shown once this is answered."
    )
    assert "tiled, TILE 8, N 24" in told(lab)
    buttons, check = button(lab)
    buttons.value = "8 times"
    assert hidden(lab)
    check.click()
    assert not hidden(lab)
    assert not any(control.disabled for control in lab.controls.values())
    assert lab.report().startswith("tiled, TILE 8, N 24: a grid of 3")


def test_the_answer_is_compared_with_what_was_counted(make_lab: MakeLab) -> None:
    lab = make_lab(predict=ASKED)
    lab.expect(8)
    chosen, baseline = lab.result.run.metrics, lab.result.baseline.run.metrics
    sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    counted = baseline[sectors] / chosen[sectors]
    assert counted == 5
    assert "You expected 8 times; 5 times was right: tiled has 5.0 times fewer global load sectors" in told(
        lab
    )
    assert "Each is fetched once." in told(lab)
    assert question.predictions().rows == (
        ("How many times fewer?", "8 times", "5.0 times fewer", described(lab.state)),
    )


def test_a_number_is_compared_with_the_nearest_choice(make_lab: MakeLab) -> None:
    asked = Question("How many registers?", (1, 40, 2000), "registers")
    lab = make_lab(predict=asked)
    lab.expect(40)
    assert "As you expected, 40: tiled has" in told(lab)


def test_a_lab_made_anew_asks_no_second_time_and_another_one_does(make_lab: MakeLab) -> None:
    make_lab(predict=ASKED).expect(5)
    again = make_lab(predict=ASKED)
    assert not hidden(again)
    assert "As you expected, 5 times" in told(again)
    assert hidden(make_lab(predict=ASKED, kernels=["tiling/tiled", "tiling/naive"]))


def test_a_cell_moves_a_lab_that_hides_its_numbers(make_lab: MakeLab) -> None:
    lab = make_lab(predict=ASKED)
    lab.set(TILE=4)
    assert hidden(lab)
    lab.expect("2 times")
    assert "tiled, TILE 4, N 24" in told(lab)
    lab.set(TILE=8)
    assert not hidden(lab)


def test_a_kernel_that_fails_leaves_the_question_open(
    make_lab: MakeLab, edited: Callable[[str, str, str], object]
) -> None:
    broken = edited("tiling/naive", "float sum = 0.0f;", "float sum = 0.0f")
    lab = make_lab(kernels=[broken], baseline=None, predict=Question("?", (1, 2), "sectors"))
    lab.expect(1)
    assert hidden(lab)
    assert "does not compile" in told(lab)
    assert question.predictions().rows == ()


def test_questions_that_do_not_fit(make_lab: MakeLab) -> None:
    with pytest.raises(ValueError, match="no measure 'speed'"):
        Question("?", (1, 2), "speed")
    with pytest.raises(ValueError, match="above 0"):
        Question("?", (0, 2), "sectors", fewer=True)
    with pytest.raises(ValueError, match="asks no question"):
        make_lab().expect(4)
    lab = make_lab(predict=ASKED)
    with pytest.raises(ValueError, match="'3' is none of the choices: 2 times, 5 times, 8 times"):
        lab.expect(3)
    alone = make_lab(predict=ASKED, baseline=None)
    alone.expect(2)
    assert "this run has no number of global load sectors" in told(alone)
