"""The tiling lesson as a learner meets it: JupyterLab, Run All, the keyboard, and what the page then says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from course_utils import kernels, simulator
from course_utils.metrics import names

pytestmark = pytest.mark.browser

OpenLesson = Callable[..., Page]
LESSON = "02_tiling"
TILES = (4, 8, 16, 32)


@cache
def sectors(name: str, tile: int, size: int) -> int:
    """The global load sectors that the simulator's door counts."""
    kernel = kernels.load(f"tiling/{name}")
    geometry = kernel.geometry({"TILE": tile}, N=size)
    program = simulator.compile(kernel.source, defines=kernel.defines({"TILE": tile}), name=kernel.path.name)
    buffers = [np.ones((size, size), np.float32) for _ in range(3)]
    run = program.launch(kernel.entry.name, geometry.grid, geometry.block, [*buffers, np.int32(size)])
    return run.metrics[names.GLOBAL_LOAD_SECTORS]


class LabOnPage:
    """The first lab of a page: its controls by keyboard, its numbers as text."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frame: Locator = page.locator(".lk-lab").first
        self.frame.scroll_into_view_if_needed()
        self.wait_for("counted (simulator)")

    def value(self, control: str) -> int:
        return int(self.frame.locator(f".lk-control-{control} .widget-readout").inner_text())

    def press(self, control: str, key: str) -> None:
        handle = self.frame.locator(f".lk-control-{control} .noUi-handle")
        handle.focus()
        handle.press(key)

    def move_to(self, control: str, value: int) -> None:
        """With the arrow keys, until the control says the value; then until the lab says it as well."""
        for _ in range(10):
            now = self.value(control)
            if now == value:
                break
            self.press(control, "ArrowRight" if now < value else "ArrowLeft")
        assert self.value(control) == value
        self.wait_for(f"{control} {value}")

    def wait_for(self, told: str) -> None:
        self.frame.locator(".lk-status", has_text=told).wait_for()

    def expect(self, measure: str, number: int, column: str = "chosen") -> None:
        """A number of the table, as the learner reads it."""
        cell = self.frame.locator(f"[data-measure={measure}][data-column={column}]")
        expect(cell).to_have_text(f"{number:,}")

    def choose_kernel(self, name: str) -> None:
        button = self.frame.locator(".lk-control-kernel button", has_text=name)
        button.focus()
        button.press("Enter")
        self.wait_for(f"{name}, ")


@pytest.fixture(scope="module")
def lab(open_lesson: OpenLesson) -> LabOnPage:
    return LabOnPage(open_lesson(LESSON))


def test_run_all_runs_without_an_error(lab: LabOnPage) -> None:
    assert lab.page.locator(".jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    assert lab.page.locator(".jp-OutputArea-output[data-mime-type*=error]").count() == 0
    lab.wait_for("equals NumPy's A @ B")


@pytest.mark.parametrize("tile", [32, 4, 16, 8])
def test_tile_by_keyboard_shows_the_simulators_sectors(lab: LabOnPage, tile: int) -> None:
    lab.choose_kernel("tiled")
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
        lab.choose_kernel(kernel)
        lab.expect("sectors", sectors(kernel, 8, size))
    lab.press("N", "Home")
    lab.wait_for(f"N {lab.value('N')}")


def test_back_and_forth_ends_with_the_last(lab: LabOnPage) -> None:
    lab.choose_kernel("tiled")
    for key in ["Home", "End"] * 6 + ["Home"]:
        lab.press("TILE", key)
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


CUT = """lab => {
  const cut = [];
  for (const text of lab.querySelectorAll('svg text')) {
    const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1)
      cut.push(text.textContent);
  }
  const frame = lab.getBoundingClientRect();
  for (const part of lab.querySelectorAll('h4, p, svg, .lk-counters, .lk-scroll, .lk-status > *, button')) {
    const box = part.getBoundingClientRect();
    if (box.width && (box.right > frame.right || box.left < frame.left))
      cut.push(part.className || part.tagName);
  }
  return cut;
}"""

CONTRAST = """lab => {
  const parts = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  const light = colour => { const [r, g, b] = parts(colour); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const paper = light(getComputedStyle(lab).backgroundColor);
  const chosen = 'h4, .lk-sentence, td:not(.code), .lk-metric, .lk-status span, svg text';
  const texts = [...lab.querySelectorAll(chosen)];
  return Math.min(...texts.map(each => {
    const style = getComputedStyle(each);
    const ink = light(each.tagName === 'text' ? style.fill : style.color);
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  }));
}"""


def check_layout(lab: LabOnPage) -> None:
    for kernel in ("naive", "tiled"):
        lab.choose_kernel(kernel)
        for tile in (4, 32):
            lab.move_to("TILE", tile)
            assert lab.frame.evaluate(CUT) == []
            assert lab.frame.evaluate(CONTRAST) >= 4.5  # WCAG 2.2, 1.4.3


def test_nothing_is_cut_and_text_is_legible(lab: LabOnPage) -> None:
    check_layout(lab)


def test_narrow_window_and_dark_theme(open_lesson: OpenLesson) -> None:
    check_layout(LabOnPage(open_lesson(LESSON, width=900, theme="Dark")))


def test_pictures_have_a_description(lab: LabOnPage) -> None:
    pictures = lab.frame.get_by_role("img")
    assert pictures.count() >= 3
    labels = [picture.get_attribute("aria-label") for picture in pictures.all()]
    sentence = lab.frame.locator(".lk-sentence").first.inner_text()
    assert labels[0] == sentence
    assert all(labels)
