"""The lesson on bank conflicts as a learner meets it: Run All, its three labs by keyboard, their numbers."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from course_utils import kernels, problems, simulator
from course_utils.metrics import names
from tests.browser.test_views import BANKS, WARP, LabOnPage

pytestmark = pytest.mark.browser

LESSON = "05_bank_conflicts"
STRIDED, TRANSPOSES, SUMS = 0, 1, 2
"""The labs of the page, in order."""


@cache
def counts(name: str, tunables: tuple[tuple[str, int], ...], sizes: tuple[tuple[str, int], ...]) -> dict:
    """The metrics of a kernel at the simulator's door."""
    kernel, values, given = kernels.load(name), dict(tunables), dict(sizes)
    problem = problems.of(kernel).make({**given, **values}, np.random.default_rng(1))
    grid, block, shared = problems.geometry(kernel, values, given)
    program = simulator.compile(kernel.source, defines=kernel.defines(values), name=kernel.path.name)
    return program.launch(kernel.entry.name, grid, block, problem.arguments(kernel.entry), shared).metrics


def wavefronts(name: str, tunables: dict[str, int], **sizes: int) -> int:
    metrics = counts(name, tuple(tunables.items()), tuple(sizes.items()))
    return metrics[names.SHARED_LOAD_WAVEFRONTS]


def conflicts(name: str, tunables: dict[str, int], **sizes: int) -> int:
    metrics = counts(name, tuple(tunables.items()), tuple(sizes.items()))
    return metrics[names.SHARED_LOAD_CONFLICTS] + metrics[names.SHARED_STORE_CONFLICTS]


@pytest.fixture(scope="module")
def lab(open_lesson: Callable[..., Page]) -> Callable[..., LabOnPage]:
    """lab(STRIDED): one of the lesson's labs, on a page that the tests share."""
    pages: dict[tuple[int, str], LabOnPage] = {}

    def opening(number: int, width: int = 1400, theme: str = "Light") -> LabOnPage:
        key = (width, theme)
        if key not in pages:
            pages[key] = LabOnPage(open_lesson(LESSON, width=width, theme=theme))
        found = copy(pages[key])
        found.frame = found.page.locator(".lk-lab").nth(number)
        found.frame.scroll_into_view_if_needed()
        found.frame.locator(".lk-status", has_text="counted (simulator)").wait_for()
        return found

    return opening


def check(found: LabOnPage, measure: str, number: int, column: str = "chosen") -> None:
    """A number of the table of counters, as the learner reads it."""
    cell = found.frame.locator(f"[data-measure={measure}][data-column={column}]")
    expect(cell).to_have_text(f"{number:,}")


def move_stride(found: LabOnPage, stride: int) -> None:
    """With the arrow keys, from the nearer end."""
    end, key, times = ("Home", "ArrowRight", stride) if stride < 17 else ("End", "ArrowLeft", 33 - stride)
    found.press(".lk-control-stride", end)
    found.press(".lk-control-stride", key, times)
    found.frame.locator(".lk-status", has_text=f"stride {stride},").wait_for()


def test_run_all_runs_without_an_error(lab: Callable[..., LabOnPage]) -> None:
    page = lab(STRIDED).page
    assert page.locator(".lk-lab").count() == 3
    assert page.locator(".jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    assert page.locator(".jp-OutputArea-output[data-mime-type*=error]").count() == 0


@pytest.mark.parametrize("words", [1, 2, 4])
def test_stride_by_keyboard_shows_the_simulators_wavefronts(
    lab: Callable[..., LabOnPage], words: int
) -> None:
    found = lab(STRIDED)
    found.button(f"{4 * words} bytes")
    for stride in (0, 1, 6, 32, 33):
        move_stride(found, stride)
        number = wavefronts("bank_conflicts/strided_read", {"WORDS": words}, stride=stride)
        expect(found.panel(BANKS).locator(".lk-watch b")).to_have_text(str(number))
        check(found, "load_wavefronts", number)
        check(found, "conflicts", conflicts("bank_conflicts/strided_read", {"WORDS": words}, stride=stride))


def test_sweep_over_all_strides(lab: Callable[..., LabOnPage]) -> None:
    found = lab(STRIDED)
    found.button("4 bytes")
    found.button("Run the sweep")
    panel = found.panel("One control over all its values")
    expect(panel.locator(".lk-progress")).to_have_text("34 of 34")
    rows = panel.locator("tbody tr")
    expect(rows).to_have_count(34)
    for stride in (0, 1, 12, 24, 32, 33):
        number = wavefronts("bank_conflicts/strided_read", {"WORDS": 1}, stride=stride)
        expect(rows.nth(stride).locator("td")).to_have_text(str(number))


def test_transposes_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found, sizes = lab(TRANSPOSES), {"rows": 64, "cols": 64}
    number = found.panel(BANKS).locator(".lk-watch b")
    found.button("transpose_shared")
    for pad, key in ((0, "Home"), (1, "End")):
        found.press(".lk-control-PAD", key)
        found.frame.locator(".lk-status", has_text=f"PAD {pad},").wait_for()
        loads = wavefronts("coalescing/transpose_shared", {"PAD": pad}, **sizes)
        check(found, "load_wavefronts", loads)
        expect(number).to_have_text(str(loads // 128))  # 128 warps, each of which reads once
    found.button("transpose_swizzled")
    check(found, "load_wavefronts", wavefronts("bank_conflicts/transpose_swizzled", {}, **sizes))
    check(found, "static_shared", 4096)
    expect(number).to_have_text("1")
    expect(found.frame.locator(".lk-option-access select").first).to_have_value("line 29: load of tile")


def test_sums_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab(SUMS)
    found.press(".lk-control-BLOCK", "End")
    found.press(".lk-control-n", "Home")
    for way in ("scattered", "interleaved", "sequential", "shuffle"):
        found.button(f"reduce_{way}")
        found.frame.locator(".lk-status", has_text=f"reduce_{way}, BLOCK 256, n 512").wait_for()
        name = f"bank_conflicts/reduce_{way}"
        check(found, "load_wavefronts", wavefronts(name, {"BLOCK": 256}, n=512))
        check(found, "conflicts", conflicts(name, {"BLOCK": 256}, n=512))
    found.press(".lk-option-step", "End")
    expect(found.sentence(WARP)).to_contain_text("of warp 0 in block (1, 0)")


@pytest.mark.parametrize(("width", "theme"), [(1400, "Light"), (800, "Dark")])
@pytest.mark.parametrize("number", [STRIDED, TRANSPOSES, SUMS])
def test_nothing_is_cut_and_text_is_legible(
    lab: Callable[..., LabOnPage], number: int, width: int, theme: str
) -> None:
    found = lab(number, width, theme)
    found.check_layout(f"lesson_banks_{number}_{theme.lower()}_{width}")
