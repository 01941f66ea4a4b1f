"""A lab before a class: question, large view, recorded times; by keyboard, each control at its extremes.

With LIVE_KERNELS_PICTURES=<folder> each state is also photographed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_tiling_lab import TILES, sectors
from tests.browser.test_views import CUT, FAINT

pytestmark = pytest.mark.browser

OpenCells = Callable[..., Page]

IMPORT = "from course_utils import labs, notebook"
LAB = """
lab = labs.Lab(
    kernels=["tiling/tiled", "tiling/naive"],
    controls=[labs.Choice("kernel"), labs.Choice("TILE"), labs.Choice("N", (24, 40))],
    views=[labs.Counters(), labs.Times(), labs.Sweep("TILE", ("sectors",))],
    baseline="tiling/naive",
    state=labs.at("kernel=tiling/tiled&TILE=8&N=40"),
    predict=labs.Question("How many times fewer sectors?", (2, 5, 8), "sectors", fewer=True),
)
lab
""".strip()
SETTINGS = [(1400, "Light"), (760, "Dark")]
OVERLAP = """lab => {
  const wanted = 'button, .widget-slider, .widget-dropdown, .widget-readout, h4, p, .lk-scroll';
  const parts = [...lab.querySelectorAll(wanted)]
    .filter(each => each.getClientRects().length && !each.closest('.lk-scroll .lk-scroll'));
  const found = [];
  for (const [number, one] of parts.entries())
    for (const other of parts.slice(number + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 1) found.push(`${one.className} over ${other.className}`);
    }
  return found;
}"""
"""Parts of a lab that lie over each other."""


class LabOnPage:
    """The lab of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="File Browser").first.click()  # the folder's list folds away
        self.frame: Locator = page.locator(".lk-lab").first
        self.frame.scroll_into_view_if_needed()

    @property
    def status(self) -> Locator:
        return self.frame.locator(".lk-status")

    def answer(self, choice: str) -> None:
        """By keyboard alone: from the first choice with Tab to the wanted one, then to the button."""
        question = self.frame.locator(".lk-predict")
        question.get_by_label("2 times").focus()
        choices = ("2 times", "5 times", "8 times")
        for _ in range(choices.index(choice)):
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Space")
        expect(question.get_by_label(choice)).to_be_checked()
        expect(question.get_by_role("button")).to_be_enabled()
        for _ in range(len(choices) - choices.index(choice)):
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")

    def press(self, control: str, key: str) -> None:
        handle = self.frame.locator(f".lk-control-{control} .noUi-handle")
        handle.focus()
        handle.press(key)

    def check_layout(self, name: str) -> None:
        assert self.frame.evaluate(CUT) == []
        assert self.frame.evaluate(OVERLAP) == []
        assert self.frame.evaluate(FAINT) == []
        if folder := os.environ.get("LIVE_KERNELS_PICTURES"):
            width = self.page.viewport_size["width"]
            self.page.set_viewport_size({"width": width, "height": 2600})
            self.page.wait_for_timeout(400)
            self.frame.screenshot(path=Path(folder) / f"{name}.png")
            self.page.set_viewport_size({"width": width, "height": 1000})


@pytest.fixture(scope="module", params=SETTINGS, ids=["light", "narrow-dark"])
def lab(request: pytest.FixtureRequest, open_cells: OpenCells) -> LabOnPage:
    width, theme = request.param
    return LabOnPage(open_cells("class", IMPORT, LAB, width=width, theme=theme))


def picture(lab: LabOnPage, name: str) -> str:
    return f"{name}_{lab.page.viewport_size['width']}"


def test_1_the_question_hides_the_numbers(lab: LabOnPage) -> None:
    expect(lab.frame.get_by_text("How many times fewer sectors?")).to_be_visible()
    expect(lab.frame.get_by_text("tiled, TILE 8, N 40", exact=True)).to_be_visible()
    expect(lab.status).to_be_hidden()
    expect(lab.frame.locator(".lk-views")).to_be_hidden()
    expect(lab.frame.locator(".lk-control-kernel button").first).to_be_disabled()
    lab.check_layout(picture(lab, "question"))


def test_2_an_answer_by_keyboard_shows_them(lab: LabOnPage) -> None:
    lab.answer("8 times")
    expect(lab.status).to_be_visible()
    told = lab.frame.locator(".lk-predict [role=status]")
    counted = sectors("naive", 8, 40) / sectors("tiled", 8, 40)
    expect(told).to_contain_text(
        f"You expected 8 times; 5 times was right: tiled has {counted:.1f} times fewer"
    )
    expect(lab.frame.get_by_text("A launch of tiled, TILE 8 took")).to_be_visible()
    lab.check_layout(picture(lab, "answered"))


def test_3_every_control_at_its_extremes_and_quickly_back(lab: LabOnPage) -> None:
    cell = lab.frame.locator("[data-measure=sectors][data-column=chosen]")
    for size, size_key in ((24, "Home"), (40, "End")):
        lab.press("N", size_key)
        for tile, key in ((TILES[0], "Home"), (TILES[-1], "End")):
            lab.press("TILE", key)
            expect(cell).to_have_text(f"{sectors('tiled', tile, size):,}")
            expect(lab.status).to_contain_text(f"TILE {tile}, N {size}")
    for key in ["Home", "End"] * 5 + ["Home"]:
        lab.press("TILE", key)
    expect(lab.status).to_contain_text(f"TILE {TILES[0]}, N 40")
    expect(cell).to_have_text(f"{sectors('tiled', TILES[0], 40):,}")


def test_4_a_sweep_has_recorded_times_in_a_table_of_their_own(lab: LabOnPage) -> None:
    lab.frame.get_by_role("button", name="Run the sweep").focus()
    lab.page.keyboard.press("Enter")
    tables = lab.frame.locator(".lk-panel", has_text="One control over all its values").locator("table")
    expect(tables).to_have_count(2)
    expect(tables.nth(1).locator("caption")).to_have_text("Times at N = 4,096, not at the size of the counts")
    expect(tables.nth(1).locator("tbody tr")).to_have_count(len(TILES))
    expect(lab.frame.get_by_role("button", name="Measure on this GPU")).to_be_hidden()
    lab.check_layout(picture(lab, "sweep"))


def test_5_the_large_view_by_its_switch(lab: LabOnPage) -> None:
    sentence = lab.frame.locator(".lk-sentence").first
    small = sentence.bounding_box()["height"]
    switch = lab.frame.get_by_role("button", name="Large view")
    switch.focus()
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_timeout(300)
    assert sentence.bounding_box()["height"] > 1.4 * small
    expect(lab.frame.locator(".lk-metric").first).to_be_hidden()
    lab.press("TILE", "End")
    expect(lab.status).to_contain_text(f"TILE {TILES[-1]}")
    lab.check_layout(picture(lab, "large"))
    switch.focus()
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_timeout(300)
    assert sentence.bounding_box()["height"] < 1.1 * small
