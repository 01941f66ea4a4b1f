"""Every view of the labs as a learner meets it: by keyboard, in a narrow window, in the dark theme."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.labs import ACCESS, BANKS, SWEEP, TILE, WARP, LabOnPage, OpenCells, fold_files_away

pytestmark = pytest.mark.browser

CELLS = {
    "access": """
from course_utils import labs
labs.Lab(
    kernels=["coalescing/strided_copy"],
    controls=[
        labs.Preset("pattern", {
            "side by side": {"stride": 1}, "every second": {"stride": 2}, "a column": {"stride": 32},
        }),
        labs.Choice("offset", (0, 1, 8)),
        labs.Choice("BLOCK", (32, 64, 128), 64),
        labs.Choice("n", (256, 500)),
    ],
    views=[labs.AccessMap(), labs.Sweep("pattern", ("sectors_per_request", "sectors"))],
)
""",
    "banks": """
from course_utils import labs
labs.Lab(
    kernels=["coalescing/transpose_shared", "coalescing/transpose_naive"],
    controls=[
        labs.Choice("kernel"), labs.Choice("PAD", start=0),
        labs.Choice("rows", (64,)), labs.Choice("cols", (40, 64)),
    ],
    views=[labs.BankGrid(), labs.OccupancyView()],
)
""",
    "warp": """
from course_utils import labs
labs.Lab(
    kernels=["execution_model/warp_sum"],
    controls=[labs.Choice("BLOCK", (32, 64), 64), labs.Choice("n", (64, 100), 100)],
    views=[labs.WarpFilm(), labs.SourceView(divergence=True)],
)
""",
    "tile": """
from course_utils import labs
labs.Lab(
    kernels=["tiling/tiled", "tiling/naive"],
    controls=[labs.Choice("kernel"), labs.Choice("TILE", (8, 16), 8), labs.Choice("N", (24, 40))],
    views=[labs.TileFilm(), labs.Roofline()],
    baseline="tiling/naive",
)
""",
}  # fmt: skip


@pytest.fixture(scope="module")
def lab(open_cells: OpenCells) -> Callable[..., LabOnPage]:
    """lab("access"): the lab of that name, on a page that later tests share."""
    opened: dict[tuple[str, int, str], LabOnPage] = {}

    def opening(name: str, width: int = 1400, theme: str = "Light") -> LabOnPage:
        key = (name, width, theme)
        if key not in opened:
            page = open_cells(name, CELLS[name].strip(), width=width, theme=theme)
            opened[key] = LabOnPage(fold_files_away(page))
        return opened[key]

    return opening


def test_access_map_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab("access")
    sentence, number = found.sentence(ACCESS), found.watched(ACCESS)
    expect(number).to_have_text("4")
    found.button("a column")
    expect(number).to_have_text("32")
    expect(sentence).to_contain_text("896 of their 1,024 bytes (88 %) are moved for nothing.")
    found.select("access", "line 20: store to out")
    expect(number).to_have_text("4")
    found.select("warp", "1")
    expect(sentence).to_contain_text("warp 1, line 20: store to out")
    found.select("access", "line 20: load of in")
    heights = set()
    for pattern, sectors in (("every second", "8"), ("a column", "32"), ("side by side", "4")):
        found.button(pattern)
        expect(number).to_have_text(sectors)
        heights.add(round(found.panel(ACCESS).bounding_box()["height"]))
    assert len(heights) == 1  # the page does not jump
    found.press("offset", "ArrowRight")
    expect(number).to_have_text("5")
    found.press("offset", "Home")
    found.select("warp", "0")


def test_sweep_runs_and_shows_another_measure(lab: Callable[..., LabOnPage]) -> None:
    found = lab("access")
    found.button("Run the sweep")
    panel = found.panel(SWEEP)
    expect(panel.locator(".lk-progress")).to_have_text("3 of 3")
    expect(panel.locator(".lk-sentence")).to_contain_text("most at pattern a column (32.0)")
    panel.locator(".lk-sweep-measure select").select_option(label="global load sectors")
    expect(panel.locator(".lk-sentence")).to_contain_text("global load sectors of strided_copy")
    expect(panel.locator(".lk-beside tbody tr")).to_have_count(3)
    expect(panel.locator(".lk-times-table tbody tr")).to_have_count(3)


def test_bank_grid_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab("banks")
    number = found.watched(BANKS)
    found.select("access", "line 33: load of tile")
    expect(number).to_have_text("32")
    found.press("PAD", "ArrowRight")
    expect(number).to_have_text("1")
    found.button("transpose_naive")
    expect(found.sentence(BANKS)).to_have_text("No warp of this block touches shared memory.")
    found.button("transpose_shared")
    found.press("PAD", "Home")
    expect(number).to_have_text("32")  # the access that was chosen comes back
    found.select("gpu", "T4")
    expect(found.sentence("What fits on one SM")).to_contain_text("One SM of the T4 holds 1 block")


def test_warp_film_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab("warp")
    sentence = found.sentence(WARP)
    found.select("warp", "1")
    found.press("step", *["ArrowRight"] * 4, kind="option")
    expect(sentence).to_contain_text("Step 5 of 16 of warp 1")
    expect(sentence).to_contain_text("Of 32 lanes 4 take part")
    found.button("next ›")  # noqa: RUF001
    expect(sentence).to_contain_text("Step 6 of 16")
    expect(sentence).to_contain_text("shuffle down by 16")
    found.press("step", "End", kind="option")
    expect(sentence).to_contain_text("Step 16 of 16")
    expect(found.frame.get_by_role("button", name="next ›", exact=True)).to_be_disabled()  # noqa: RUF001
    found.button("‹ back")  # noqa: RUF001
    expect(sentence).to_contain_text("Step 15 of 16")
    found.select("sort", "active lanes (PTX-level)")
    rows = found.frame.locator(".lk-source tbody tr:not(.empty)")
    expect(rows.last).to_be_visible()
    found.select("ptx", "19")
    expect(found.frame.locator(".lk-ptx-code")).to_contain_text("shfl.sync.down.b32")


def test_steps_in_quick_succession_end_with_the_last(lab: Callable[..., LabOnPage]) -> None:
    found = lab("warp")
    found.press("step", *["Home", "End"] * 5, "Home", kind="option")
    expect(found.sentence(WARP)).to_contain_text("Step 1 of 16")
    found.page.wait_for_timeout(1000)  # nothing older may come after it
    expect(found.sentence(WARP)).to_contain_text("Step 1 of 16")


def test_tile_film_by_keyboard_without_a_jump(lab: Callable[..., LabOnPage]) -> None:
    found = lab("tile")
    sentence = found.sentence(TILE)
    expect(sentence).to_contain_text("Phase 1 of 13")
    heights = set()
    for step in range(2, 8):
        found.button("next ›")  # noqa: RUF001
        expect(sentence).to_contain_text(f"Phase {step} of 13")
        heights.add(round(found.panel(TILE).bounding_box()["height"]))
    assert len(heights) == 1
    found.select("lane", "9")
    expect(sentence).to_contain_text("Lane 9 of each warp reads")
    found.press("N", "End")
    expect(sentence).to_contain_text("of 21 of block")
    found.press("N", "Home")


SETTINGS = [(1400, "Light"), (800, "Dark")]


@pytest.mark.parametrize(("width", "theme"), SETTINGS)
@pytest.mark.parametrize("name", CELLS)
def test_nothing_is_cut_and_text_is_legible(
    lab: Callable[..., LabOnPage], name: str, width: int, theme: str
) -> None:
    found = lab(name, width, theme)
    if name == "access":
        found.button("a column")
        expect(found.watched(ACCESS)).to_have_text(re.compile("32|33|4"))
    found.check_layout(f"lab_{name}_{theme.lower()}_{width}")


@pytest.mark.parametrize("name", CELLS)
def test_pictures_and_controls_are_described(lab: Callable[..., LabOnPage], name: str) -> None:
    found = lab(name)
    pictures = found.frame.get_by_role("img")
    assert pictures.count() >= 1
    assert all(picture.get_attribute("aria-label") for picture in pictures.all())
    for control in found.frame.locator(".lk-options .widget-dropdown, .lk-options .widget-slider").all():
        assert control.locator(".widget-label").inner_text().strip()
