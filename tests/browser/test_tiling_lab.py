"""The tiling lesson as a learner meets it: JupyterLab, Run All, the keyboard, and what the page then says."""

from __future__ import annotations

import pytest

from course_utils.metrics import names
from tests.browser.labs import LabOnPage, OpenLesson, check_ran, counted

pytestmark = pytest.mark.browser

LESSON = "02_tiling"
TILES = (4, 8, 16, 32)


def sectors(kernel: str, tile: int, size: int) -> int:
    return counted(f"tiling/{kernel}", names.GLOBAL_LOAD_SECTORS, TILE=tile, N=size)


@pytest.fixture(scope="module")
def lab(open_lesson: OpenLesson) -> LabOnPage:
    return LabOnPage(open_lesson(LESSON))


def test_run_all_runs_without_an_error(lab: LabOnPage) -> None:
    check_ran(lab.page)
    lab.wait_for("equals NumPy's A @ B")


@pytest.mark.parametrize("tile", [32, 4, 16, 8])
def test_tile_by_keyboard_shows_the_simulators_sectors(lab: LabOnPage, tile: int) -> None:
    lab.choose("kernel", "tiled")
    lab.move_to("TILE", tile)
    size = lab.value("N")
    lab.expect("sectors", sectors("tiled", tile, size))
    lab.expect("sectors", sectors("naive", tile, size), "baseline")
    assert f"a grid of {-(-size // tile)} " in lab.frame.locator(".lk-status").inner_text()


def test_size_and_kernel_by_keyboard(lab: LabOnPage) -> None:
    lab.move_to("TILE", 8)
    lab.press("N", "End")
    size = lab.value("N")
    lab.wait_for(f"N {size}")
    for kernel in ("naive", "swapped", "tiled"):
        lab.choose("kernel", kernel)
        lab.expect("sectors", sectors(kernel, 8, size))
    lab.press("N", "Home")
    lab.wait_for(f"N {lab.value('N')}")


def test_back_and_forth_ends_with_the_last(lab: LabOnPage) -> None:
    lab.choose("kernel", "tiled")
    lab.press("TILE", *["Home", "End"] * 6, "Home")
    lab.wait_for("TILE 4")
    lab.page.wait_for_timeout(1000)  # longer than any computation: nothing older may come after it
    assert lab.value("TILE") == 4
    lab.expect("sectors", sectors("tiled", 4, lab.value("N")))


def test_the_page_does_not_jump(lab: LabOnPage) -> None:
    heights = set()
    for tile in TILES:
        lab.move_to("TILE", tile)
        box = lab.frame.bounding_box()
        assert box is not None
        heights.add(round(box["height"]))
    assert len(heights) == 1


def check_layouts(lab: LabOnPage) -> None:
    for kernel in ("naive", "tiled"):
        lab.choose("kernel", kernel)
        for tile in (4, 32):
            lab.move_to("TILE", tile)
            lab.check_layout()


def test_nothing_is_cut_and_text_is_legible(lab: LabOnPage) -> None:
    check_layouts(lab)


def test_narrow_window_and_dark_theme(open_lesson: OpenLesson) -> None:
    check_layouts(LabOnPage(open_lesson(LESSON, width=900, theme="Dark")))


def test_pictures_have_a_description(lab: LabOnPage) -> None:
    pictures = lab.frame.get_by_role("img")
    assert pictures.count() >= 3
    labels = [picture.get_attribute("aria-label") for picture in pictures.all()]
    sentence = lab.frame.locator(".lk-sentence").first.inner_text()
    assert labels[0] == sentence
    assert all(labels)
