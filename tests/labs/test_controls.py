from __future__ import annotations

import ipywidgets as widgets
import pytest

from course_utils import kernels
from course_utils.labs import Choice, Preset, block_shapes

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


def test_a_preset_sets_what_shapes_the_inputs_alone() -> None:
    gather = [kernels.load("coalescing/gather")]
    assert Preset("order", {"pairs": {"run": 2}}).completed(gather).settings("pairs") == {"run": 2}


SHAPES = block_shapes("BLOCK_X", "BLOCK_Y", (32, 8), (16, 16), start=(16, 16))


def test_a_preset_sets_several_values() -> None:
    strided = [kernels.load("coalescing/strided_copy")]
    pattern = Preset(
        "pattern", {"side by side": {"stride": 1, "offset": 0}, "every second": {"stride": 2}}
    ).completed(strided)
    assert pattern.start == "side by side"
    assert pattern.settings("every second") == {"stride": 2}
    assert [value for _, value in pattern.widget().options] == ["side by side", "every second"]
    with pytest.raises(ValueError, match="sets depth, which no kernel"):
        Preset("pattern", {"deep": {"depth": 2}}).completed(strided)
    with pytest.raises(ValueError, match="cannot start at 'odd'"):
        Preset("pattern", {"even": {"stride": 2}}, start="odd").completed(strided)


def test_shapes_of_a_block() -> None:
    assert (SHAPES.name, SHAPES.start) == ("block", "16 × 16")  # noqa: RUF001
    assert SHAPES.settings("32 × 8") == {"BLOCK_X": 32, "BLOCK_Y": 8}  # noqa: RUF001
