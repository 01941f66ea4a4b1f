"""The lesson on bank conflicts as a learner meets it: Run All, its three labs by keyboard, their numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from course_utils.metrics import names
from tests.browser.labs import BANKS, SWEEP, WARP, LabOnPage, OpenLesson, check_ran, counted, fold_files_away

pytestmark = pytest.mark.browser

LESSON = "05_bank_conflicts"
STRIDED, TRANSPOSES, SUMS = range(3)
"""The labs of the page, in order."""


def wavefronts(kernel: str, **settings: int) -> int:
    return counted(kernel, names.SHARED_LOAD_WAVEFRONTS, **settings)


def conflicts(kernel: str, **settings: int) -> int:
    return counted(kernel, names.SHARED_LOAD_CONFLICTS, names.SHARED_STORE_CONFLICTS, **settings)


@pytest.fixture(scope="module")
def lab(open_lesson: OpenLesson) -> Callable[..., LabOnPage]:
    """lab(STRIDED): one of the lesson's labs, on a page that the tests share."""
    pages: dict[tuple[int, str], Page] = {}

    def opening(number: int, width: int = 1400, theme: str = "Light") -> LabOnPage:
        key = (width, theme)
        if key not in pages:
            pages[key] = fold_files_away(open_lesson(LESSON, width=width, theme=theme))
        return LabOnPage(pages[key], number)

    return opening


def move_stride(found: LabOnPage, stride: int) -> None:
    """With the arrow keys, from the nearer end."""
    end, key, times = ("Home", "ArrowRight", stride) if stride < 17 else ("End", "ArrowLeft", 33 - stride)
    found.press("stride", end, *[key] * times)
    found.wait_for(f"stride {stride},")


def test_run_all_runs_without_an_error(lab: Callable[..., LabOnPage]) -> None:
    check_ran(lab(STRIDED).page, labs=3)


@pytest.mark.parametrize("words", [1, 2, 4])
def test_stride_by_keyboard_shows_the_simulators_wavefronts(
    lab: Callable[..., LabOnPage], words: int
) -> None:
    found = lab(STRIDED)
    found.button(f"{4 * words} bytes")
    for stride in (0, 1, 6, 32, 33):
        move_stride(found, stride)
        number = wavefronts("bank_conflicts/strided_read", WORDS=words, stride=stride)
        expect(found.watched(BANKS)).to_have_text(str(number))
        found.expect("load_wavefronts", number)
        found.expect("conflicts", conflicts("bank_conflicts/strided_read", WORDS=words, stride=stride))


def test_sweep_over_all_strides(lab: Callable[..., LabOnPage]) -> None:
    found = lab(STRIDED)
    found.button("4 bytes")
    found.button("Run the sweep")
    panel = found.panel(SWEEP)
    expect(panel.locator(".lk-progress")).to_have_text("34 of 34")
    rows = panel.locator("tbody tr")
    expect(rows).to_have_count(34)
    for stride in (0, 1, 12, 24, 32, 33):
        number = wavefronts("bank_conflicts/strided_read", WORDS=1, stride=stride)
        expect(rows.nth(stride).locator("td")).to_have_text(str(number))


def test_transposes_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found, sizes = lab(TRANSPOSES), {"rows": 64, "cols": 64}
    number = found.watched(BANKS)
    found.button("transpose_shared")
    for pad, key in ((0, "Home"), (1, "End")):
        found.press("PAD", key)
        found.wait_for(f"PAD {pad},")
        loads = wavefronts("coalescing/transpose_shared", PAD=pad, **sizes)
        found.expect("load_wavefronts", loads)
        expect(number).to_have_text(str(loads // 128))  # 128 warps, each of which reads once
    found.button("transpose_swizzled")
    found.expect("load_wavefronts", wavefronts("bank_conflicts/transpose_swizzled", **sizes))
    found.expect("static_shared", 4096)
    expect(number).to_have_text("1")
    expect(found.frame.locator(".lk-option-access select").first).to_have_value("line 29: load of tile")


def test_sums_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab(SUMS)
    found.press("BLOCK", "End")
    found.press("n", "Home")
    for way in ("scattered", "interleaved", "sequential", "shuffle"):
        found.button(f"reduce_{way}")
        found.wait_for(f"reduce_{way}, BLOCK 256, n 512")
        name = f"bank_conflicts/reduce_{way}"
        found.expect("load_wavefronts", wavefronts(name, BLOCK=256, n=512))
        found.expect("conflicts", conflicts(name, BLOCK=256, n=512))
    found.press("step", "End", kind="option")
    expect(found.sentence(WARP)).to_contain_text("of warp 0 in block (1, 0)")


@pytest.mark.parametrize(("width", "theme"), [(1400, "Light"), (800, "Dark")])
@pytest.mark.parametrize("number", [STRIDED, TRANSPOSES, SUMS])
def test_nothing_is_cut_and_text_is_legible(
    lab: Callable[..., LabOnPage], number: int, width: int, theme: str
) -> None:
    found = lab(number, width, theme)
    found.check_layout(f"lesson_banks_{number}_{theme.lower()}_{width}")
