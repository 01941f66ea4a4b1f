"""Every view of the labs as a learner meets it: by keyboard, in a narrow window, in the dark theme.

With LIVE_KERNELS_PICTURES=<folder> each lab is also photographed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

OpenCells = Callable[..., Page]

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


class LabOnPage:
    """The lab of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="File Browser").first.click()  # the folder's list folds away
        self.frame: Locator = page.locator(".lk-lab").first
        self.frame.scroll_into_view_if_needed()
        self.frame.locator(".lk-status", has_text="counted (simulator)").wait_for()

    def panel(self, title: str) -> Locator:
        return self.frame.locator(".lk-panel", has=self.page.get_by_role("heading", name=title))

    def sentence(self, title: str) -> Locator:
        return self.panel(title).locator(".lk-sentence")

    def press(self, control: str, key: str, times: int = 1) -> None:
        handle = self.frame.locator(f"{control} .noUi-handle").first
        handle.focus()
        for _ in range(times):
            handle.press(key)

    def choose(self, option: str, text: str) -> None:
        """Of a list, by keyboard: typing selects, as in any list."""
        chosen = self.frame.locator(f".lk-option-{option} select").first
        chosen.focus()
        chosen.select_option(label=text)

    def button(self, text: str) -> None:
        button = self.frame.get_by_role("button", name=text, exact=True).first
        button.focus()
        button.press("Enter")

    def check_layout(self, name: str) -> None:
        """Nothing is cut, the text is legible; and a photograph."""
        assert self.frame.evaluate(CUT) == []
        assert self.frame.evaluate(FAINT) == []
        folder = os.environ.get("LIVE_KERNELS_PICTURES")
        if folder:
            width = self.page.viewport_size["width"]
            self.page.set_viewport_size(
                {"width": width, "height": int(self.frame.bounding_box()["height"]) + 400}
            )
            self.page.wait_for_timeout(400)
            self.frame.screenshot(path=Path(folder) / f"{name}.png")
            self.page.set_viewport_size({"width": width, "height": 1000})


@pytest.fixture(scope="module")
def lab(open_cells: OpenCells) -> Callable[..., LabOnPage]:
    """lab("access"): the lab of that name, on a page that later tests share."""
    opened: dict[tuple[str, int, str], LabOnPage] = {}

    def opening(name: str, width: int = 1400, theme: str = "Light") -> LabOnPage:
        key = (name, width, theme)
        if key not in opened:
            opened[key] = LabOnPage(open_cells(name, CELLS[name].strip(), width=width, theme=theme))
        return opened[key]

    return opening


CUT = """lab => {
  const cut = [], frame = lab.getBoundingClientRect();
  for (const text of lab.querySelectorAll('svg text')) {
    const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1)
      cut.push(text.textContent);
  }
  for (const part of lab.querySelectorAll('.lk *, button, select, .noUi-target')) {
    if (part.closest('.lk-scroll') && !part.matches('.lk-scroll')) continue;  // it scrolls
    const box = part.getBoundingClientRect();
    const out = box.right > frame.right || box.left < frame.left;
    if (box.width && out) cut.push(part.outerHTML.slice(0, 80));
  }
  for (const part of lab.querySelectorAll('.lk-scroll'))
    if (part.scrollWidth > part.clientWidth && part.tabIndex !== 0) cut.push('no focus: ' + part.className);
  return cut;
}"""
"""What sticks out of its picture or of the lab; what scrolls may, if the keyboard reaches it."""

FAINT = """lab => {
  const parse = text => {
    const numbers = text.match(/[\\d.]+/g).map(Number), unit = text.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map(each => each * unit), numbers.length > 3 ? numbers[3] : 1];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const paper = part => {
    const layers = [];
    for (let each = part; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = colour => {
    const [r, g, b] = colour.map(each => each / 255)
      .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  for (const part of lab.querySelectorAll('.lk *')) {
    const own = [...part.childNodes].some(each => each.nodeType === 3 && each.textContent.trim());
    if (!own || part.closest('code, td.code, style, title, [aria-hidden]')) continue;
    const style = getComputedStyle(part), below = paper(part);
    const ink = parse(part.closest('svg') ? style.fill : style.color);
    const [one, other] = [light(over(ink, below)), light(below)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${part.textContent.slice(0, 40)}`);
  }
  return [...new Set(faint)];
}"""
"""Text with less contrast to what lies below it than WCAG 2.2, 1.4.3, wants; code has its theme's colours."""

ACCESS, BANKS, WARP, TILE = (
    "Which sectors a warp touches",
    "Which banks a warp wants",
    "What a warp does, step by step",
    "What a block does, phase by phase",
)


def test_access_map_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab("access")
    sentence, number = found.sentence(ACCESS), found.panel(ACCESS).locator(".lk-watch b")
    expect(number).to_have_text("4")
    found.button("a column")
    expect(number).to_have_text("32")
    expect(sentence).to_contain_text("896 of their 1,024 bytes (88 %) are moved for nothing.")
    found.choose("access", "line 20: store to out")
    expect(number).to_have_text("4")
    found.choose("warp", "1")
    expect(sentence).to_contain_text("warp 1, line 20: store to out")
    found.choose("access", "line 20: load of in")
    heights = set()
    for pattern, sectors in (("every second", "8"), ("a column", "32"), ("side by side", "4")):
        found.button(pattern)
        expect(number).to_have_text(sectors)
        heights.add(round(found.panel(ACCESS).bounding_box()["height"]))
    assert len(heights) == 1  # the page does not jump
    found.press(".lk-control-offset", "ArrowRight")
    expect(number).to_have_text("5")
    found.press(".lk-control-offset", "Home")
    found.choose("warp", "0")


def test_sweep_runs_and_shows_another_measure(lab: Callable[..., LabOnPage]) -> None:
    found = lab("access")
    found.button("Run the sweep")
    panel = found.panel("One control over all its values")
    expect(panel.locator(".lk-progress")).to_have_text("3 of 3")
    expect(panel.locator(".lk-sentence")).to_contain_text("most at pattern a column (32.0)")
    panel.locator(".lk-sweep-measure select").select_option(label="global load sectors")
    expect(panel.locator(".lk-sentence")).to_contain_text("global load sectors of strided_copy")
    expect(panel.locator(".lk-beside tbody tr")).to_have_count(3)
    expect(panel.locator(".lk-times-table tbody tr")).to_have_count(3)


def test_bank_grid_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab("banks")
    number = found.panel(BANKS).locator(".lk-watch b")
    found.choose("access", "line 33: load of tile")
    expect(number).to_have_text("32")
    found.press(".lk-control-PAD", "ArrowRight")
    expect(number).to_have_text("1")
    found.button("transpose_naive")
    expect(found.sentence(BANKS)).to_have_text("No warp of this block touches shared memory.")
    found.button("transpose_shared")
    found.press(".lk-control-PAD", "Home")
    expect(number).to_have_text("32")  # the access that was chosen comes back
    found.choose("gpu", "T4")
    expect(found.sentence("What fits on one SM")).to_contain_text("One SM of the T4 holds 1 block")


def test_warp_film_by_keyboard(lab: Callable[..., LabOnPage]) -> None:
    found = lab("warp")
    sentence = found.sentence(WARP)
    found.choose("warp", "1")
    found.press(".lk-option-step", "ArrowRight", 4)
    expect(sentence).to_contain_text("Step 5 of 16 of warp 1")
    expect(sentence).to_contain_text("Of 32 lanes 4 take part")
    found.button("next ›")  # noqa: RUF001
    expect(sentence).to_contain_text("Step 6 of 16")
    expect(sentence).to_contain_text("shuffle down by 16")
    found.press(".lk-option-step", "End")
    expect(sentence).to_contain_text("Step 16 of 16")
    expect(found.frame.get_by_role("button", name="next ›", exact=True)).to_be_disabled()  # noqa: RUF001
    found.button("‹ back")  # noqa: RUF001
    expect(sentence).to_contain_text("Step 15 of 16")
    found.choose("sort", "active lanes (PTX-level)")
    rows = found.frame.locator(".lk-source tbody tr:not(.empty)")
    expect(rows.last).to_be_visible()
    found.choose("ptx", "19")
    expect(found.frame.locator(".lk-ptx-code")).to_contain_text("shfl.sync.down.b32")


def test_steps_in_quick_succession_end_with_the_last(lab: Callable[..., LabOnPage]) -> None:
    found = lab("warp")
    for key in ["Home", "End"] * 5 + ["Home"]:
        found.press(".lk-option-step", key)
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
    found.choose("lane", "9")
    expect(sentence).to_contain_text("Lane 9 of each warp reads")
    found.press(".lk-control-N", "End")
    expect(sentence).to_contain_text("of 21 of block")
    found.press(".lk-control-N", "Home")


SETTINGS = [(1400, "Light"), (800, "Dark")]


@pytest.mark.parametrize(("width", "theme"), SETTINGS)
@pytest.mark.parametrize("name", CELLS)
def test_nothing_is_cut_and_text_is_legible(
    lab: Callable[..., LabOnPage], name: str, width: int, theme: str
) -> None:
    found = lab(name, width, theme)
    if name == "access":
        found.button("a column")
        expect(found.panel(ACCESS).locator(".lk-watch b")).to_have_text(re.compile("32|33|4"))
    found.check_layout(f"lab_{name}_{theme.lower()}_{width}")


@pytest.mark.parametrize("name", CELLS)
def test_pictures_and_controls_are_described(lab: Callable[..., LabOnPage], name: str) -> None:
    found = lab(name)
    pictures = found.frame.get_by_role("img")
    assert pictures.count() >= 1
    assert all(picture.get_attribute("aria-label") for picture in pictures.all())
    for control in found.frame.locator(".lk-options .widget-dropdown, .lk-options .widget-slider").all():
        assert control.locator(".widget-label").inner_text().strip()
