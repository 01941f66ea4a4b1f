"""The labs of the coalescing lesson as a learner meets them: by keyboard, and what the page then says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from course_utils import kernels, notebook, problems, simulator
from course_utils.metrics import names
from tests.browser.test_tiling_lab import CONTRAST, CUT

pytestmark = pytest.mark.browser

OpenLesson = Callable[..., Page]
LESSON = "04_coalescing"
STRIDE, ELEMENT, LAYOUT, GATHER, TRANSPOSE = range(5)
"""The labs, in the order of the page."""


@cache
def sectors(name: str, metric: str, **settings: int) -> int:
    """What the simulator's door counts for a kernel of coalescing."""
    kernel = kernels.load(f"coalescing/{name}")
    tunables = {key: value for key, value in settings.items() if key in kernel.tunables}
    sizes = {key: value for key, value in settings.items() if key not in kernel.tunables}
    grid, block, shared = problems.geometry(kernel, tunables, sizes)
    problem = problems.of(kernel).make({**sizes, **tunables}, np.random.default_rng(0))
    program = simulator.compile(kernel.source, defines=kernel.defines(tunables), name=kernel.path.name)
    run = program.launch(kernel.entry.name, grid, block, problem.arguments(kernel.entry), shared)
    return run.metrics[metric]


class LabOnPage:
    """One lab of the page: its controls by keyboard, its numbers as text."""

    def __init__(self, page: Page, number: int) -> None:
        self.page = page
        self.frame: Locator = page.locator(".lk-lab").nth(number)
        self.frame.scroll_into_view_if_needed()
        self.wait_for("counted (simulator)")

    def wait_for(self, told: str) -> None:
        self.frame.locator(".lk-status", has_text=told).wait_for()

    def press(self, control: str, *keys: str) -> None:
        handle = self.frame.locator(f".lk-control-{control} .noUi-handle")
        handle.focus()
        for key in keys:
            handle.press(key)

    def choose(self, control: str, text: str) -> None:
        button = self.frame.locator(f".lk-control-{control} button", has_text=text)
        button.focus()
        button.press("Enter")
        self.wait_for(text)

    def expect(self, measure: str, number: int, column: str = "chosen") -> None:
        """A number of the table, as the learner reads it."""
        cell = self.frame.locator(f"[data-measure={measure}][data-column={column}]")
        expect(cell).to_have_text(f"{number:,}")


@pytest.fixture(scope="module")
def page(open_lesson: OpenLesson) -> Page:
    return open_lesson(LESSON)


def test_run_all_runs_without_an_error(page: Page) -> None:
    assert page.locator(".jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    assert page.locator(".jp-OutputArea-output[data-mime-type*=error]").count() == 0
    assert page.locator(".lk-lab").count() == 5
    assert page.locator(".lk-error:visible").count() == 0


@pytest.mark.parametrize(("keys", "stride"), [(["Home"], 0), (["Home", "ArrowRight"], 1), (["End"], 33)])
def test_stride_and_offset_by_keyboard(page: Page, keys: list[str], stride: int) -> None:
    lab = LabOnPage(page, STRIDE)
    lab.press("stride", *keys)
    for key, offset in (("Home", 0), ("ArrowRight", 1)):
        lab.press("offset", key)
        lab.wait_for(f"stride {stride}, offset {offset}, ")
        counted = sectors("strided_copy", names.GLOBAL_LOAD_SECTORS, stride=stride, offset=offset, n=1024)
        lab.expect("sectors", counted)


def test_the_map_shows_as_many_sectors_as_a_request_touches(page: Page) -> None:
    lab = LabOnPage(page, STRIDE)
    lab.press("offset", "Home")
    lab.press("stride", "Home", *["ArrowRight"] * 3)
    lab.wait_for("stride 3, offset 0, ")
    expect(lab.frame.locator(".lk-sector")).to_have_count(12)


def test_a_sweep_over_all_strides(page: Page) -> None:
    lab = LabOnPage(page, STRIDE)
    lab.frame.get_by_role("button", name="Run the sweep").click()
    bars = lab.frame.locator(".lk-panel", has_text="One control over all its values")
    expect(bars.get_by_text("34 of 34")).to_be_visible()


def test_elements_by_keyboard(page: Page) -> None:
    lab = LabOnPage(page, ELEMENT)
    for key, element in (("Home", 1), ("End", 16)):
        lab.press("ELEMENT", key)
        lab.wait_for(f"ELEMENT {element}, ")
        lab.expect("requests", 16384 // 32 // element)
        lab.expect("sectors", 16384 // 32)


@pytest.mark.parametrize("layout", ["array_of_structs", "struct_of_arrays"])
def test_layouts_by_keyboard(page: Page, layout: str) -> None:
    lab = LabOnPage(page, LAYOUT)
    lab.choose("kernel", layout)
    for key, fields in (("Home", 1), ("End", 8)):
        lab.press("FIELDS", key)
        lab.wait_for(f"{layout}, FIELDS {fields}, ")
        lab.expect("sectors", sectors(layout, names.GLOBAL_LOAD_SECTORS, FIELDS=fields, n=1024))


def test_orders_by_keyboard(page: Page) -> None:
    lab = LabOnPage(page, GATHER)
    for order in ("sorted", "shuffled in groups of 32", "runs of 4"):
        lab.choose("order", order)
        settings = notebook.ORDERS[order]
        lab.expect("sectors", sectors("gather", names.GLOBAL_LOAD_SECTORS, n=4096, **settings))


@pytest.mark.parametrize("kernel", ["naive", "shared"])
def test_transposes_by_keyboard(page: Page, kernel: str) -> None:
    lab = LabOnPage(page, TRANSPOSE)
    lab.choose("kernel", f"transpose_{kernel}")
    for matrix, settings in notebook.MATRICES.items():
        lab.choose("matrix", matrix)
        lab.wait_for(f"transpose_{kernel}, ")
        counted = sectors(f"transpose_{kernel}", names.GLOBAL_STORE_SECTORS, **settings)
        lab.expect("store_sectors", counted)


def check_layout(page: Page) -> None:
    for number in range(5):
        lab = LabOnPage(page, number)
        assert lab.frame.evaluate(CUT) == []
        assert lab.frame.evaluate(CONTRAST) >= 4.5  # WCAG 2.2, 1.4.3


def test_nothing_is_cut_and_text_is_legible(page: Page) -> None:
    check_layout(page)


def test_narrow_window_and_dark_theme(open_lesson: OpenLesson) -> None:
    check_layout(open_lesson(LESSON, width=900, theme="Dark"))
