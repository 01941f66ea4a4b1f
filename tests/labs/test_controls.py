from __future__ import annotations

import ipywidgets as widgets
import pytest

from course_utils import kernels
from course_utils.labs import Choice

KERNELS = [kernels.load("tiling/naive"), kernels.load("tiling/tiled")]


def test_values_that_the_kernels_state() -> None:
    tile = Choice("TILE").completed(KERNELS)
    assert (tile.values, tile.start) == ((4, 8, 16, 32), 16)
    kernel = Choice("kernel").completed(KERNELS)
    assert (kernel.values, kernel.start) == (("tiling/naive", "tiling/tiled"), "tiling/naive")
    assert Choice("N", (24, 32)).completed(KERNELS).start == 24


def test_numbers_are_a_slider_and_names_are_buttons() -> None:
    slider = Choice("TILE", label="tile edge").completed(KERNELS).widget()
    assert isinstance(slider, widgets.SelectionSlider)
    assert slider.description == "tile edge"
    assert slider.readout
    assert not slider.continuous_update
    buttons = Choice("kernel").completed(KERNELS).widget()
    assert isinstance(buttons, widgets.ToggleButtons)
    assert [name for name, _ in buttons.options] == ["naive", "tiled"]
    assert isinstance(Choice("TILE", buttons=True).completed(KERNELS).widget(), widgets.ToggleButtons)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice("STRIDE"), r"no kernel of this lab states values of STRIDE: give them"),
        (Choice("N", (24, 24)), "the same value twice"),
        (Choice("N", (24, 32), 40), "cannot start at 40"),
    ],
)
def test_choices_that_do_not_fit(choice: Choice, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        choice.completed(KERNELS)
