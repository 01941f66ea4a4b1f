from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

from course_utils.figures import chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(axes: Axes) -> None:
    axes.plot([1, 2], [3, 4], color=chart.BLUE, marker="o", label="one & two")
    axes.legend()


def test_a_chart_is_a_described_picture_in_the_colours_of_the_page() -> None:
    svg = chart.chart(draw, 'A line rises from "3" to 4.')
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'A line rises from "3" to 4.'
    assert "var(--lk-blue)" in svg
    assert "var(--lk-text)" in svg
    assert not re.search(r"#0102\d\d", svg)
    assert not re.findall(r"(?:fill|stroke): (#\w+)", svg), "a colour that no theme changes"
    assert "one &amp; two" in svg
    assert "DejaVu" not in svg


def test_the_same_chart_has_the_same_bytes() -> None:
    assert chart.chart(draw, "a") == chart.chart(draw, "a")


def test_ids_are_the_picture_s_own() -> None:
    """Else a browser would take those of another picture on the page, which may be hidden."""
    one, other = (chart.chart(draw, label) for label in "ab")
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, other)]
    assert not ids[0] & ids[1]
    referred = set(re.findall(r'(?:url\(#|href="#)([^")]+)', one))
    assert referred
    assert referred <= ids[0]
