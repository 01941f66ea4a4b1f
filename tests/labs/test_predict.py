from __future__ import annotations

import ipywidgets as widgets
import pytest

from course_utils.labs import Predict


def text(question: Predict) -> str:
    return "".join(child.value for child in question.widget.children if isinstance(child, widgets.HTML))


def test_the_answer_is_hidden_until_one_is_chosen() -> None:
    asked = []
    question = Predict("How many?", ["one", "two"], lambda: asked.append(1) or "two", why="Because of x < y.")
    assert "Because" not in text(question)
    assert asked == []
    question.choose("two")
    assert asked == [1]
    assert (question.chosen, question.correct) == ("two", True)
    assert "As you expected: two." in text(question)
    assert "Because of x &lt; y." in text(question)


def test_the_first_choice_stays() -> None:
    question = Predict("How many?", ["one", "two"], "two")
    question.choose("one")
    question.choose("two")
    assert (question.chosen, question.correct) == ("one", False)
    assert "You expected one; it is two." in text(question)


def test_with_the_widgets_as_a_learner_would() -> None:
    question = Predict("How many?", ["one", "two"], "one")
    buttons = next(each for each in question.widget.children if isinstance(each, widgets.RadioButtons))
    check = next(each for each in question.widget.children if isinstance(each, widgets.Button))
    check.click()
    assert question.chosen is None
    assert check.disabled
    buttons.value = "two"
    assert question.chosen is None
    assert not check.disabled
    check.click()
    assert question.chosen == "two"
    assert buttons.disabled
    assert check.disabled


def test_as_text_it_tells_nothing() -> None:
    question = Predict("How many?", ["one", "two"], "two")
    before = question._repr_mimebundle_()["text/plain"]
    assert before == "How many?\n  ( ) one\n  ( ) two"
    question.choose("two")
    assert repr(question) == before


def test_questions_that_cannot_be_asked() -> None:
    with pytest.raises(ValueError, match="two choices or more"):
        Predict("?", ["one", "one"], "one")
    with pytest.raises(ValueError, match="'three' is none of the choices: one, two"):
        Predict("?", ["one", "two"], "three")
    with pytest.raises(ValueError, match="'three' is none of the choices"):
        Predict("?", ["one", "two"], "two").choose("three")
