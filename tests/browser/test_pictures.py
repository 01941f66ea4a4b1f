"""The pictures in docs/images are taken from the running course, by

LIVE_KERNELS_PICTURES=docs/images python -m course_utils test -- tests/browser/test_pictures.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.labs import OpenLesson, fold_files_away

pytestmark = pytest.mark.browser


def test_picture_of_the_tiling_lab(open_lesson: OpenLesson, tmp_path: Path) -> None:
    page = fold_files_away(open_lesson("02_tiling", width=1560))
    frame = page.locator(".lk-lab").first
    page.set_viewport_size({"width": 1560, "height": 2200})
    frame.scroll_into_view_if_needed()
    frame.locator(".lk-status", has_text="counted (simulator)").wait_for()
    page.wait_for_timeout(500)  # the notebook settles at its new size
    path = Path(os.environ.get("LIVE_KERNELS_PICTURES", tmp_path)) / "tiling_lab.png"
    frame.screenshot(path=path)
    box = frame.bounding_box()
    assert box is not None
    assert box["width"] > 900, box
    assert path.stat().st_size > 40_000
