"""Each lab of each lesson: every control to its extremes and quickly back and forth, and nothing breaks.

What the numbers must be is tested lab by lab in the files beside this one; here, that after all moving about
a lab shows what its controls say, as the same lab does that went there at once.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from course_utils.exercises import manifest
from tests.browser.labs import OpenLesson, check_seen, fold_files_away
from tests.browser.test_class import SETTINGS

pytestmark = pytest.mark.browser

LESSONS = [
    lesson.path.stem for lesson in manifest.lessons() if not lesson.to_come and lesson.file[:1].isdigit()
][1:]


# Does the line above the views name what every slider, button and list of the controls says? A lab that says
# its state in another way (that of one call of the library) answers within a moment.
SAYS_WHAT_ITS_CONTROLS_SAY = """lab => {
  const told = lab.querySelector(".lk-status .lk-badge + span")?.textContent ?? "";
  if (!told.includes(": a grid of")) return true;
  const parts = told.split(": a grid of")[0].split(", ");
  const controls = [...lab.querySelectorAll("[class*='lk-control-']")];
  const text = found => found?.textContent.trim();
  return controls.length > 0 && controls.filter(each => each.offsetParent).every(each => {
    const list = each.querySelector("select");
    const chosen = text(list ? list.selectedOptions[0]
      : each.querySelector(".widget-readout") ?? each.querySelector("button.mod-active"));
    const name = [...each.classList].find(one => one.startsWith("lk-control-")).slice(11);
    return parts.includes(chosen) || parts.includes(`${name} ${chosen}`);
  });
}"""


def settle(page: Page, lab: Locator) -> str:
    """What the lab says once it has come to where its controls are, and nothing is computed any more."""
    page.wait_for_function(SAYS_WHAT_ITS_CONTROLS_SAY, arg=lab.element_handle(), timeout=40_000)
    page.wait_for_timeout(400)
    expect(lab.locator(".lk-busy")).to_have_count(0, timeout=20_000)
    page.wait_for_timeout(400)
    expect(lab.locator(".lk-busy")).to_have_count(0, timeout=20_000)
    return lab.locator(".lk-views").inner_text()


def move(lab: Locator, keys: list[str]) -> None:
    """Press keys on every slider of the controls, and the first and last button or entry of every choice."""
    controls = lab.locator(".lk-controls").first
    for handle in controls.locator(".noUi-handle:visible").all():
        handle.focus()
        for key in keys:
            handle.press(key)
    for group in controls.locator(".widget-toggle-buttons:visible").all():
        buttons = group.locator("button").all()
        for button in (buttons[-1], buttons[0]) if keys[-1] == "Home" else (buttons[0], buttons[-1]):
            button.focus()
            button.press("Enter")
    for field in controls.locator("select:visible").all():
        last = field.locator("option").count() - 1
        field.select_option(index=0 if keys[-1] == "Home" else last)


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize(("width", "theme"), SETTINGS, ids=["light", "narrow-dark"])
def test_every_control_to_its_extremes(open_lesson: OpenLesson, lesson: str, width: int, theme: str) -> None:
    page = fold_files_away(open_lesson(lesson, width=width, theme=theme))
    labs = page.locator(".lk-lab:visible")
    assert labs.count() > 0
    for number in range(labs.count()):
        lab = labs.nth(number)
        lab.scroll_into_view_if_needed()
        seen = {}
        for end in ("Home", "End"):
            move(lab, [end])
            seen[end] = settle(page, lab)
            assert lab.get_by_role("alert").count() == 0, lab.get_by_role("alert").first.inner_text()
            check_seen(lab, f"lab {number + 1} at {end}")
        assert seen["Home"] != seen["End"], f"lab {number + 1} shows the same at both ends"
        move(lab, ["Home", "End"] * 3 + ["Home"])
        assert settle(page, lab) == seen["Home"], f"lab {number + 1} after moving back and forth"
