"""Showing sources: the text and the HTML hold the same lines, under the same numbers."""

import html
import re

import pytest

from course_utils import kernels
from course_utils.kernels import Listing


def as_text(page: str) -> list[str]:
    body = re.search(r"<pre[^>]*>(.*)</pre>", page, re.DOTALL)
    assert body is not None
    return [line.rstrip() for line in html.unescape(re.sub(r"<[^>]*>", "", body[1])).splitlines()]


@pytest.mark.parametrize("name", kernels.find())
def test_text_and_html_hold_the_source(name: str) -> None:
    kernel = kernels.load(name)
    title, *lines = repr(kernel.show()).splitlines()
    assert title == f"kernels/{name}.cu"
    assert as_text(kernel.show()._repr_html_()) == lines
    assert [re.sub(r"^ *\d+( {2}|$)", "", line) for line in lines] == kernel.source.splitlines()


def test_a_range_keeps_the_files_own_numbers() -> None:
    kernel = kernels.load("tiling/tiled")
    shown = repr(kernel.show_code()).splitlines()[1:]
    assert shown[0].startswith(f"{kernel.entry.first}  extern")
    assert shown[-1] == f"{kernel.entry.last}  }}"
    assert len(shown) == kernel.entry.last - kernel.entry.first + 1


def test_a_comment_over_several_lines_stays_well_formed() -> None:
    page = Listing("a <title>", "/* one\n   two */ int x = 1 < 2;\n", 1, 2)._repr_html_()
    assert as_text(page) == ["1  /* one", "2     two */ int x = 1 < 2;"]
    assert "a &lt;title&gt;" in page
    assert all(line.count("<span") == line.count("</span>") for line in page.splitlines())


def test_colours_are_the_themes_own() -> None:
    page = kernels.load("tiling/tiled").show()._repr_html_()
    assert "var(--jp-mirror-editor-keyword-color)" in page
    assert re.search(r"color: ?#", page) is None
