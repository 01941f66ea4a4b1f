"""The labs of the coalescing lesson as a learner meets them: by keyboard, and what the page then says."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from course_utils import notebook
from course_utils.metrics import names
from tests.browser.labs import SWEEP, LabOnPage, OpenLesson, check_ran, counted

pytestmark = pytest.mark.browser

LESSON = "04_coalescing"
STRIDE, ELEMENT, LAYOUT, GATHER, TRANSPOSE = range(5)
"""The labs, in the order of the page."""


def loaded(kernel: str, **settings: int) -> int:
    return counted(f"coalescing/{kernel}", names.GLOBAL_LOAD_SECTORS, **settings)


@pytest.fixture(scope="module")
def page(open_lesson: OpenLesson) -> Page:
    return open_lesson(LESSON)


def test_run_all_runs_without_an_error(page: Page) -> None:
    check_ran(page, labs=5)


@pytest.mark.parametrize(("keys", "stride"), [(["Home"], 0), (["Home", "ArrowRight"], 1), (["End"], 33)])
def test_stride_and_offset_by_keyboard(page: Page, keys: list[str], stride: int) -> None:
    lab = LabOnPage(page, STRIDE)
    lab.press("stride", *keys)
    for key, offset in (("Home", 0), ("ArrowRight", 1)):
        lab.press("offset", key)
        lab.wait_for(f"stride {stride}, offset {offset}, ")
        lab.expect("sectors", loaded("strided_copy", stride=stride, offset=offset, n=1024))


def test_the_map_shows_as_many_sectors_as_a_request_touches(page: Page) -> None:
    lab = LabOnPage(page, STRIDE)
    lab.press("offset", "Home")
    lab.press("stride", "Home", *["ArrowRight"] * 3)
    lab.wait_for("stride 3, offset 0, ")
    expect(lab.frame.locator(".lk-sector")).to_have_count(12)


def test_a_sweep_over_all_strides(page: Page) -> None:
    lab = LabOnPage(page, STRIDE)
    lab.frame.get_by_role("button", name="Run the sweep").click()
    expect(lab.panel(SWEEP).get_by_text("34 of 34")).to_be_visible()


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
        lab.expect("sectors", loaded(layout, FIELDS=fields, n=1024))


def test_orders_by_keyboard(page: Page) -> None:
    lab = LabOnPage(page, GATHER)
    for order in ("sorted", "shuffled in groups of 32", "runs of 4"):
        lab.choose("order", order)
        lab.expect("sectors", loaded("gather", n=4096, **notebook.ORDERS[order]))


@pytest.mark.parametrize("kernel", ["naive", "shared"])
def test_transposes_by_keyboard(page: Page, kernel: str) -> None:
    lab = LabOnPage(page, TRANSPOSE)
    lab.choose("kernel", f"transpose_{kernel}")
    for matrix, settings in notebook.MATRICES.items():
        lab.choose("matrix", matrix)
        lab.wait_for(f"transpose_{kernel}, ")
        stored = counted(f"coalescing/transpose_{kernel}", names.GLOBAL_STORE_SECTORS, **settings)
        lab.expect("store_sectors", stored)


def check_layout(page: Page) -> None:
    for number in range(5):
        LabOnPage(page, number).check_layout()


def test_nothing_is_cut_and_text_is_legible(page: Page) -> None:
    check_layout(page)


def test_narrow_window_and_dark_theme(open_lesson: OpenLesson) -> None:
    check_layout(open_lesson(LESSON, width=900, theme="Dark"))
