from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from course_utils.figures import findings_view

SOURCE = """\
extern "C" __global__ void product(const float *A, float *C, int n)
{
    __shared__ float a[16];
    int x = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        a[x] = A[k + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            if (i < n && k < n)
                sum += i * a[i];
    }
    C[x] = sum;
}
"""


@dataclass(frozen=True)
class Access:
    line: int
    text: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    array: str | None
    index: object
    action: str


@dataclass(frozen=True)
class Finding:
    """What simulator.Finding has."""

    kind: str
    message: str
    lines: tuple[int, ...]
    threads: tuple
    count: int
    build: str
    accesses: tuple[Access, ...]
    fix: str


WRITE = Access(7, "a[x] = A[k + x];", (0, 0, 0), (5, 0, 0), "a", 5, "writes")
READ = Access(11, "sum += i * a[i];", (0, 0, 0), (40, 0, 0), "a", 5, "reads")
RACE = Finding(
    "races",
    "Thread (5, 0, 0) writes a[5] while thread (40, 0, 0) may still read it: i < n && k < n.",
    (7, 11),
    (((0, 0, 0), (5, 0, 0)), ((0, 0, 0), (40, 0, 0))),
    96,
    "optimised",
    (WRITE, READ),
    "Put __syncthreads() at the end of the loop.",
)
HANG = Finding(
    "barriers",
    "Warp 1 waits at line 8 for warp 0, which has ended. Let all threads come to it.",
    (8,),
    (((0, 0, 0), (32, 0, 0)),),
    1,
    "unoptimised",
    (Access(8, "__syncthreads();", (0, 0, 0), (32, 0, 0), None, None, "waits"),),
    "Let all threads come to it.",
)


def rows(html: str) -> dict[int, tuple[str, str, str]]:
    """Line -> class, mark and code as they are read."""
    found = {}
    for line, attributes, content in re.findall(r'<tr data-line="(\d+)"([^>]*)>(.*?)</tr>', html):
        mark, code = (re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", content))
        kind = re.search(r'class="(.*?)"', attributes)
        found[int(line)] = (kind[1] if kind else "", mark, code)
    return found


def test_both_accesses_are_marked_in_words() -> None:
    shown = rows(findings_view([RACE], SOURCE).html)
    assert shown[7][:2] == ("lk-first", "1 writes")
    assert shown[11][:2] == ("lk-other", "2 reads")
    assert {line for line, (kind, mark, _) in shown.items() if kind or mark} == {7, 11}
    assert shown[7][2] == "        a[x] = A[k + x];"


def test_source_around_is_shown_once() -> None:
    assert sorted(rows(findings_view([RACE], SOURCE).html)) == [5, 6, 7, 8, 9, 10, 11, 12, 13]
    far = replace(RACE, lines=(3, 13), accesses=(replace(WRITE, line=3), replace(READ, line=13)))
    html = findings_view([far], SOURCE).html
    assert sorted(rows(html)) == [1, 2, 3, 4, 5, 11, 12, 13, 14]
    assert html.count('class="lk-gap"') == 1


def test_card_tells_threads_count_build_and_repair() -> None:
    html = findings_view([RACE], SOURCE, name="product.cu").html
    text = re.sub("<[^>]*>", " ", html)
    for words in (
        "Race, lines 7 and 11",
        "96 times, in the optimised build",
        "a[5]",
        "thread (5, 0, 0)",
        "thread (40, 0, 0)",
        "block (0, 0, 0)",
        "Put __syncthreads() at the end of the loop.",
    ):
        assert words in text, words
    assert 'aria-label="product.cu, the lines around"' in html


def test_markup_in_kernels_and_messages_is_text() -> None:
    html = findings_view([RACE], SOURCE).html
    assert "i &lt; n &amp;&amp; k &lt; n." in html
    assert "i < n" not in html


def test_repair_is_not_told_twice() -> None:
    html = findings_view([HANG], SOURCE).html
    assert html.count("Let all threads come to it.") == 1
    assert "Repair:" not in html
    assert rows(html)[8][:2] == ("lk-first", "1 waits")


def test_text_has_the_same() -> None:
    figure = findings_view([RACE, HANG], SOURCE)
    lines = figure.text.splitlines()
    assert lines[0] == "Race (96 times, in the optimised build)"
    assert "  1 writes >    7          a[x] = A[k + x];" in lines
    assert "   2 reads >   11                  sum += i * a[i];" in lines
    assert "                6      for (int k = 0; k < n; k += 16) {" in lines
    assert "1  writes  a[5]     thread (5, 0, 0)   block (0, 0, 0)  line 7" in lines
    assert "Repair: Put __syncthreads() at the end of the loop." in lines
    assert "Barrier (once, in the unoptimised build)" in lines
    assert repr(figure).endswith(figure.sentence)


def test_sentence_names_what_was_found() -> None:
    assert findings_view([RACE], SOURCE).sentence == "The checks found 1 fault: race at lines 7 and 11."
    both = findings_view([RACE, HANG], SOURCE).sentence
    assert both == "The checks found 2 faults: race at lines 7 and 11 and barrier at line 8."
    assert findings_view([HANG] * 8, SOURCE).sentence.endswith("8 faults: barrier at line 8 (8 times).")
    apart = [replace(HANG, lines=(line,)) for line in range(1, 9)]
    assert findings_view(apart, SOURCE).sentence.endswith("barrier at line 5 and 3 more.")


def test_nothing_found_is_said() -> None:
    figure = findings_view([], SOURCE)
    assert figure.sentence == "The checks found nothing."
    assert figure.sentence in figure.html


@pytest.mark.parametrize("source", ["", "one line\n"])
def test_without_the_source_the_lines_own_text_is_shown(source: str) -> None:
    figure = findings_view([RACE], source)
    shown = rows(figure.html)
    assert shown[7][1:] == ("1 writes", "a[x] = A[k + x];")
    assert shown[11][1:] == ("2 reads", "sum += i * a[i];")
    assert "a[x] = A[k + x];" in figure.text


def test_two_accesses_of_one_line() -> None:
    same = replace(RACE, lines=(11,), accesses=(replace(WRITE, line=11), READ))
    assert rows(findings_view([same], SOURCE).html)[11][1] == "1 writes, 2 reads"


def test_look_has_a_rule_for_each_mark() -> None:
    """Solid and dashed lines tell the first access from the others where colours do not."""
    style = findings_view([RACE], SOURCE)._repr_html_()
    assert re.search(r"tr\.lk-first \.lk-here \{ text-decoration: underline solid", style)
    assert re.search(r"tr\.lk-other \.lk-here \{ text-decoration: underline dashed", style)


def test_an_access_may_have_no_line() -> None:
    """A thread that has returned waits nowhere."""
    gone = replace(HANG.accesses[0], line=None, action="has returned")
    figure = findings_view([replace(HANG, accesses=(*HANG.accesses, gone))], SOURCE)
    assert "has returned" in figure.text
