from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from course_utils import kernels
from course_utils.figures import Sample, source_view

Make = Callable[..., Sample]
TILED = kernels.load("tiling/tiled")
CODE = TILED.source.splitlines()
LOADS = [number for number, line in enumerate(CODE, 1) if "? A[" in line or "? B[" in line]
(PRODUCT,) = [number for number, line in enumerate(CODE, 1) if "sum +=" in line]


def row(html: str, line: int) -> list[str]:
    (content,) = re.findall(rf'<tr data-line="{line}">(.*?)</tr>', html)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", content)
    return [re.sub("<[^>]*>", "", cell) for cell in cells]


def test_numbers_are_those_of_the_run(sample: Make) -> None:
    run = sample("tiled", 8, 24).run
    figure = source_view(TILED, run)
    for line in (*LOADS, PRODUCT):
        counted = run.by_line[line]
        instructions, sectors, _, wavefronts, _, code = row(figure.html, line)
        assert instructions == f"{counted['inst']:,}"
        assert sectors == (f"{counted['global_sectors']:,}" if line in LOADS else "")
        assert wavefronts == f"{counted['shared_wavefronts']:,}"
        assert re.sub("&[a-z#0-9]+;", "", code).split()[0] == CODE[line - 1].split()[0]


def test_every_line_of_the_kernel_is_there_once(sample: Make) -> None:
    html = source_view(TILED, sample("tiled", 8, 24).run).html
    numbers = [int(each) for each in re.findall(r'<tr data-line="(\d+)"', html)]
    assert numbers == list(range(TILED.entry.first, TILED.entry.last + 1))


def test_sectors_a_request_are_of_the_traced_block(sample: Make) -> None:
    run = sample("tiled", 8, 24).run
    assert row(source_view(TILED, run).html, LOADS[0])[2] == "4.0"  # 4 rows of 8 floats a warp
    assert row(source_view(TILED, replace(run, trace=None)).html, LOADS[0])[2] == ""


def test_sentence_names_the_costly_lines(sample: Make) -> None:
    sentence = source_view(TILED, sample("tiled", 8, 24).run).sentence
    assert sentence.startswith(f"Line {PRODUCT} executes ")
    assert f"Lines {LOADS[0]}, {LOADS[1]} move " in sentence
    assert "No line has bank conflicts." in sentence


def test_conflicts_are_named(sample: Make) -> None:
    run = sample("tiled", 8, 24).run
    lines = {line: dict(counts) for line, counts in run.by_line.items()}
    lines[PRODUCT]["shared_wavefronts"] = 3 * lines[PRODUCT]["shared_wavefronts_ideal"]
    figure = source_view(TILED, replace(run, by_line=lines))
    assert f"Bank conflicts are in line {PRODUCT}." in figure.sentence
    assert row(figure.html, PRODUCT)[4] == "3.0"
    assert figure.html.count('class="conflict"') == 1


def test_padding_makes_kernels_equally_high(sample: Make) -> None:
    run = sample("naive", 8, 24).run
    html = source_view(kernels.load("tiling/naive"), run, rows=30).html
    assert html.count("<tr") == 1 + 30


def test_text_has_the_source_and_the_numbers(sample: Make) -> None:
    run = sample("tiled", 8, 24).run
    (line,) = [each for each in source_view(TILED, run).text.splitlines() if "sum +=" in each]
    assert f"{run.by_line[PRODUCT]['inst']:,}" in line
