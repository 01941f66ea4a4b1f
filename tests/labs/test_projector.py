"""The large view for a projector."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ipywidgets as widgets
import pytest

from course_utils.labs import Lab, Playground, Predict, projector


@pytest.fixture(autouse=True)
def _small_again() -> Iterator[None]:
    yield
    projector(False)


def large(widget: widgets.Widget) -> bool:
    return "lk-projector" in widget._dom_classes


def test_a_labs_own_switch(make_lab: Callable[..., Lab]) -> None:
    lab, other = make_lab(), make_lab()
    lab._frame.switch.button.value = True
    assert large(lab.widget)
    assert not large(other.widget)
    lab._frame.switch.button.value = False
    assert not large(lab.widget)


def test_all_labs_of_a_notebook(make_lab: Callable[..., Lab]) -> None:
    before = [make_lab(), Playground(), Predict("?", ["a", "b"], "a")]
    projector()
    after = make_lab()
    assert all(large(each.widget) for each in [*before, after])
    assert after._frame.switch.button.value
    projector(False)
    assert not any(large(each.widget) for each in [*before, after])
