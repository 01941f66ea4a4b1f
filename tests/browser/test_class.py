"""A lab before a class: question, large view, recorded times; by keyboard, each control at its extremes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.labs import SWEEP, LabOnPage, OpenCells, fold_files_away
from tests.browser.test_tiling_lab import TILES, sectors

pytestmark = pytest.mark.browser

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


class Asking(LabOnPage):
    """A lab that asks before it shows anything."""

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


@pytest.fixture(scope="module", params=SETTINGS, ids=["light", "narrow-dark"])
def lab(request: pytest.FixtureRequest, open_cells: OpenCells) -> Asking:
    width, theme = request.param
    return Asking(fold_files_away(open_cells("class", IMPORT, LAB, width=width, theme=theme)), told="")


def picture(lab: Asking, name: str) -> str:
    return f"{name}_{lab.page.viewport_size['width']}"


def test_1_the_question_hides_the_numbers(lab: Asking) -> None:
    expect(lab.frame.get_by_text("How many times fewer sectors?")).to_be_visible()
    expect(lab.frame.get_by_text("tiled, TILE 8, N 40", exact=True)).to_be_visible()
    expect(lab.status).to_be_hidden()
    expect(lab.frame.locator(".lk-views")).to_be_hidden()
    expect(lab.frame.locator(".lk-control-kernel button").first).to_be_disabled()
    lab.check_layout(picture(lab, "question"))


def test_2_an_answer_by_keyboard_shows_them(lab: Asking) -> None:
    lab.answer("8 times")
    expect(lab.status).to_be_visible()
    told = lab.frame.locator(".lk-predict [role=status]")
    counted = sectors("naive", 8, 40) / sectors("tiled", 8, 40)
    expect(told).to_contain_text(
        f"You expected 8 times; 5 times was right: tiled has {counted:.1f} times fewer"
    )
    expect(lab.frame.get_by_text("A launch of tiled, TILE 8 took")).to_be_visible()
    lab.check_layout(picture(lab, "answered"))


def test_3_every_control_at_its_extremes_and_quickly_back(lab: Asking) -> None:
    cell = lab.frame.locator("[data-measure=sectors][data-column=chosen]")
    for size, size_key in ((24, "Home"), (40, "End")):
        lab.press("N", size_key)
        for tile, key in ((TILES[0], "Home"), (TILES[-1], "End")):
            lab.press("TILE", key)
            expect(cell).to_have_text(f"{sectors('tiled', tile, size):,}")
            expect(lab.status).to_contain_text(f"TILE {tile}, N {size}")
    lab.press("TILE", *["Home", "End"] * 5, "Home")
    expect(lab.status).to_contain_text(f"TILE {TILES[0]}, N 40")
    expect(cell).to_have_text(f"{sectors('tiled', TILES[0], 40):,}")


def test_4_a_sweep_has_recorded_times_in_a_table_of_their_own(lab: Asking) -> None:
    lab.frame.get_by_role("button", name="Run the sweep").focus()
    lab.page.keyboard.press("Enter")
    tables = lab.panel(SWEEP).locator("table")
    expect(tables).to_have_count(2)
    expect(tables.nth(1).locator("caption")).to_have_text("Times at N = 4,096, not at the size of the counts")
    expect(tables.nth(1).locator("tbody tr")).to_have_count(len(TILES))
    expect(lab.frame.get_by_role("button", name="Measure on this GPU")).to_be_hidden()
    lab.check_layout(picture(lab, "sweep"))


def test_5_the_large_view_by_its_switch(lab: Asking) -> None:
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
