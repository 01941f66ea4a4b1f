"""A lab on a page: its controls by keyboard, what it says, and whether all of it can be seen and read.

With LIVE_KERNELS_PICTURES=<folder> each layout that is checked is also photographed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

from course_utils import kernels, problems, simulator

OpenLesson = Callable[..., Page]
OpenCells = Callable[..., Page]

ACCESS, BANKS, WARP, TILE, SWEEP = (
    "Which sectors a warp touches",
    "Which banks a warp wants",
    "What a warp does, step by step",
    "What a block does, phase by phase",
    "One control over all its values",
)
"""The titles of panels."""


@cache
def counted(name: str, *metrics: str, **settings: int) -> int:
    """The sum of some metrics of a kernel, as the simulator's door counts them."""
    kernel = kernels.load(name)
    tunables = {key: value for key, value in settings.items() if key in kernel.tunables}
    sizes = {key: value for key, value in settings.items() if key not in kernel.tunables}
    grid, block, shared = problems.geometry(kernel, tunables, sizes)
    problem = problems.of(kernel).make({**sizes, **tunables}, np.random.default_rng(0))  # as labs make it
    program = simulator.compile(kernel.source, defines=kernel.defines(tunables), name=kernel.path.name)
    run = program.launch(kernel.entry.name, grid, block, problem.arguments(kernel.entry), shared)
    return sum(run.metrics[metric] for metric in metrics)


def check_ran(page: Page, labs: int | None = None) -> None:
    """Run All met no error, and made so many labs."""
    for kind in ("stderr", "error"):
        assert page.locator(f".jp-OutputArea-output[data-mime-type*={kind}]").count() == 0
    if labs is not None:
        assert page.locator(".lk-lab").count() == labs
        assert page.locator(".lk-error:visible").count() == 0


def fold_files_away(page: Page) -> Page:
    """Hide JupyterLab's list of files, so that the notebook has the window."""
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="File Browser").first.click()
    return page


def check_seen(lab: Locator, where: str = "") -> None:
    """Nothing is cut, nothing lies over another, and the text is legible."""
    for what, script in (("cut", CUT), ("over another", OVERLAP), ("faint", FAINT)):
        assert lab.evaluate(script) == [], f"{where}: {what}"


class LabOnPage:
    """One lab of a page, the first by default. `told`: what its status says once it is there; "": do not
    wait."""

    def __init__(self, page: Page, number: int = 0, told: str = "counted (simulator)") -> None:
        self.page = page
        self.frame: Locator = page.locator(".lk-lab").nth(number)
        self.frame.scroll_into_view_if_needed()
        if told:
            self.wait_for(told)

    # What it says

    @property
    def status(self) -> Locator:
        return self.frame.locator(".lk-status")

    def wait_for(self, told: str) -> None:
        self.frame.locator(".lk-status", has_text=told).wait_for()

    def panel(self, title: str) -> Locator:
        return self.frame.locator(".lk-panel", has=self.page.get_by_role("heading", name=title))

    def sentence(self, title: str) -> Locator:
        return self.panel(title).locator(".lk-sentence")

    def watched(self, title: str) -> Locator:
        """The large number of a picture."""
        return self.panel(title).locator(".lk-watch b")

    def expect(self, measure: str, number: int, column: str = "chosen") -> None:
        """A number of the table of counters, as the learner reads it."""
        cell = self.frame.locator(f"[data-measure={measure}][data-column={column}]")
        expect(cell).to_have_text(f"{number:,}")

    # By keyboard

    def press(self, control: str, *keys: str, kind: str = "control") -> None:
        """Keys on the slider of a control, or of a view's option."""
        handle = self.frame.locator(f".lk-{kind}-{control} .noUi-handle").first
        handle.focus()
        for key in keys:
            handle.press(key)

    def value(self, control: str) -> int:
        return int(self.frame.locator(f".lk-control-{control} .widget-readout").inner_text())

    def move_to(self, control: str, value: int) -> None:
        """With the arrow keys, until the control says the value; then until the lab says it as well."""
        for _ in range(40):
            now = self.value(control)
            if now == value:
                break
            self.press(control, "ArrowRight" if now < value else "ArrowLeft")
        assert self.value(control) == value
        self.wait_for(f"{control} {value}")

    def choose(self, control: str, text: str) -> None:
        """One of the buttons of a control; then wait until the lab says it."""
        button = self.frame.locator(f".lk-control-{control} button", has_text=text)
        button.focus()
        button.press("Enter")
        self.wait_for(text)

    def select(self, option: str, text: str) -> None:
        """Of a list, by keyboard: typing selects, as in any list."""
        chosen = self.frame.locator(f".lk-option-{option} select").first
        chosen.focus()
        chosen.select_option(label=text)

    def button(self, text: str) -> None:
        button = self.frame.get_by_role("button", name=text, exact=True).first
        button.focus()
        button.press("Enter")

    # How it looks

    def check_layout(self, name: str = "") -> None:
        """As check_seen; and a photograph, where there is a folder for it and a name."""
        check_seen(self.frame, name)
        folder = os.environ.get("LIVE_KERNELS_PICTURES")
        if folder and name:
            width = self.page.viewport_size["width"]
            height = int(self.frame.bounding_box()["height"]) + 400
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.wait_for_timeout(400)
            self.frame.screenshot(path=Path(folder) / f"{name}.png")
            self.page.set_viewport_size({"width": width, "height": 1000})


CUT = """lab => {
  const cut = [], frame = lab.getBoundingClientRect();
  for (const text of lab.querySelectorAll('svg text')) {
    const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1)
      cut.push(text.textContent);
  }
  const parts = '.lk *, h4, p, svg, input, select, textarea, button, .noUi-target, .lk-status > *';
  for (const part of lab.querySelectorAll(parts)) {
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

OVERLAP = """lab => {
  const wanted = 'input, select, textarea, button, .widget-slider, .widget-dropdown, .widget-readout, ' +
    'h4, p, .lk-scroll';
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
  for (const part of lab.querySelectorAll('.lk *, h4, .lk-status span')) {
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
