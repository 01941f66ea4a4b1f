"""The playground as a learner meets it: paste a kernel, run it, break it, read the error, all by keyboard."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from course_utils import simulator
from course_utils.metrics import names
from tests.browser.labs import OpenLesson, check_ran, check_seen

pytestmark = pytest.mark.browser

PROGRAM = """\
// 每个线程处理一个元素 <<<
#include <cstdio>
__global__ void scale(const float* x, float* y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = factor * x[i];
    }
}
int main() {
    int n = 300;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scale<<<(n + 63) / 64, 64>>>(x, y, 3.0f, n);
}
"""


OTHER = "__global__ void other(int* a) { a[threadIdx.x] = 1; }\n"


class Pasting:
    """The last playground of the page, which is empty at first."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frame: Locator = page.locator(".lk-playground").last
        self.frame.scroll_into_view_if_needed()
        self.source = self.frame.get_by_label("Source")

    def field(self, label: str) -> Locator:
        return self.frame.get_by_label(label, exact=True)

    def paste(self, text: str) -> None:
        """As from the clipboard; then Tab leaves the text area."""
        self.source.focus()
        self.source.press("Control+a")
        self.page.keyboard.insert_text(text)
        self.source.press("Tab")

    def type(self, label: str, text: str) -> None:
        self.field(label).fill(text)
        self.field(label).press("Enter")

    def wait_for(self, text: str) -> None:
        self.frame.locator(".lk-status", has_text=text).wait_for()

    def expect(self, measure: str, number: int) -> None:
        expect(self.frame.locator(f"[data-measure={measure}][data-column=chosen]")).to_have_text(
            f"{number:,}"
        )


@pytest.fixture(scope="module")
def lesson(open_lesson: OpenLesson) -> Page:
    return open_lesson("playground")


@pytest.fixture
def pasting(lesson: Page) -> Pasting:
    found = Pasting(lesson)
    found.paste(OTHER)  # so that the fields are made anew
    found.wait_for("other: ")
    found.paste(PROGRAM)
    found.wait_for("scale: ")
    expect(found.frame.locator(".lk-error")).to_have_count(0)
    return found


def sectors(grid: int, block: int, n: int) -> int:
    """The global load sectors that the simulator's door counts."""
    program = simulator.compile(PROGRAM.split("int main")[0], name="pasted.cu")
    buffers = [np.zeros(n, np.float32) for _ in range(2)]
    run = program.launch("scale", grid, block, [*buffers, np.float32(3), np.int32(n)])
    return run.metrics[names.GLOBAL_LOAD_SECTORS]


def test_run_all_runs_without_an_error(lesson: Page) -> None:
    check_ran(lesson)


def test_a_pasted_program_fills_the_fields_and_runs(pasting: Pasting) -> None:
    expect(pasting.field("Grid")).to_have_value("5")
    expect(pasting.field("Block")).to_have_value("64")
    expect(pasting.field("x")).to_have_value("random n")
    expect(pasting.field("n")).to_have_value("300")
    pasting.expect("sectors", sectors(5, 64, 300))
    expect(pasting.frame.locator("[data-buffer=y] [data-column=changed]")).to_have_text("300")
    expect(pasting.frame.locator("tr[data-line='6']")).to_contain_text("y[i] = factor * x[i];")


def test_fields_by_keyboard(pasting: Pasting) -> None:
    pasting.type("n", "100")
    expect(pasting.frame.locator("[data-buffer=y] [data-column=elements]")).to_have_text("100")
    pasting.expect("sectors", sectors(5, 64, 100))
    pasting.type("Grid", "2")
    pasting.wait_for("a grid of 2 blocks")
    pasting.type("x", "counting n")
    expect(pasting.frame.locator("[data-buffer=y] [data-column=after]")).to_contain_text("0, 3, 6, 9")


def test_a_broken_kernel_is_explained_beside_its_line(pasting: Pasting) -> None:
    pasting.paste(PROGRAM.replace("i < n", "i <= n"))
    error = pasting.frame.get_by_role("alert")
    found = pasting.frame.get_by_text("What the checks found").locator("..")
    expect(found).to_contain_text("memory at line 6")
    expect(found).to_contain_text("reads x[300] at line 6")
    expect(found).to_contain_text("y[i] = factor * x[i];")
    pasting.paste(PROGRAM.replace("factor *", "faktor *"))
    expect(error).to_contain_text('line 6: identifier "faktor" is undefined')
    pasting.paste(PROGRAM)
    expect(error).to_have_count(0)


def test_the_run_button_by_keyboard(pasting: Pasting) -> None:
    pasting.source.focus()
    pasting.source.press("Control+a")
    pasting.page.keyboard.insert_text(PROGRAM.replace("3.0f", "5.0f").replace("factor * x", "factor + x"))
    button = pasting.frame.get_by_role("button", name="Run")
    button.focus()
    button.press("Enter")
    expect(pasting.field("factor")).to_have_value("5")
    expect(pasting.frame.locator("[data-buffer=y] [data-column=changed]")).to_have_text("300")


def test_every_field_has_a_label(pasting: Pasting) -> None:
    for label in ("File", "Source", "Kernel", "Launch", "Grid", "Block", "Shared bytes", "x", "factor"):
        expect(pasting.field(label)).to_be_visible()


@pytest.mark.parametrize(("width", "theme"), [(1400, "Light"), (700, "Dark")])
def test_nothing_is_cut_and_nothing_overlaps(open_lesson: OpenLesson, width: int, theme: str) -> None:
    page = open_lesson("playground", width=width, theme=theme)
    for lab in page.locator(".lk-playground").all():
        lab.scroll_into_view_if_needed()
        check_seen(lab)
