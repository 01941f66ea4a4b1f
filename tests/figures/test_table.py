from __future__ import annotations

from course_utils.figures import Table
from course_utils.figures.numbers import between, count, decimal, percent, plural, times
from course_utils.figures.table import aligned


def test_aligned() -> None:
    assert aligned(["name", "a\nlong head", "b"], [["x", "1", "22"], ["yy", "333", ""]], left=(0,)) == (
        "              a\nname  long head   b\n----  ---------  --\nx             1  22\nyy          333"
    )


def test_html_is_escaped() -> None:
    table = Table("a < b", ("k", "v\nw"), (("<x>", "1"),))
    assert "<caption>a &lt; b</caption>" in table.html
    assert '<th scope="row">&lt;x&gt;</th><td>1</td>' in table.html
    assert "v<br>w" in table.html
    assert table._repr_html_().endswith(f"{table.html}</div>")
    assert repr(table).splitlines()[0] == "a < b"


def test_columns_of_words_are_aligned_to_the_left() -> None:
    table = Table("", ("k", "what", "n"), (("x", "a", "1"), ("y", "long", "22")), words=(1,))
    assert table.text.splitlines()[-2:] == ["x  a      1", "y  long  22"]
    assert '<th scope="col" class="lk-prose">what</th>' in table.html
    assert '<td class="lk-prose">a</td><td>1</td>' in table.html


def test_numbers() -> None:
    assert (count(12345), decimal(1234.56), decimal(0.256, 2)) == ("12,345", "1,234.6", "0.26")
    assert (percent(0), percent(0.001), percent(0.5), percent(1)) == ("0 %", "<1 %", "50 %", "100 %")
    assert (times(1), times(2), times(32)) == ("once", "twice", "32 times")
    assert (between(8, 8), between(1, 8)) == ("8 times", "1 to 8 times")
    assert (plural(1, "element"), plural(1200, "element")) == ("1 element", "1,200 elements")
