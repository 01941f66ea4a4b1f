from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from course_utils import kernels, simulator
from course_utils.figures import Sample, source_view
from tests.figures.runs import run

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


def numbers(html: str) -> list[int]:
    return [int(each) for each in re.findall(r'<tr data-line="(\d+)"', html)]


def test_sorted_by_a_column(sample: Make) -> None:
    run = sample("tiled", 8, 24).run
    figure = source_view(TILED, run, sort="warp instructions (PTX-level)")
    spent = [run.by_line.get(line, {}).get("inst", 0) for line in numbers(figure.html)]
    assert spent == sorted(spent, reverse=True)
    assert numbers(figure.html)[0] == PRODUCT
    assert sorted(numbers(figure.html)) == numbers(source_view(TILED, run).html)
    assert figure.html.count('aria-sort="descending"') == 1
    by_sectors = numbers(source_view(TILED, run, sort="global sectors").html)
    assert by_sectors[:2] == LOADS


def test_divergence_is_a_column_and_a_sentence() -> None:
    kernel = kernels.load("execution_model/warp_sum")
    found = run("execution_model/warp_sum", {"BLOCK": 64}, block=(1, 0), n=100)
    figure = source_view(kernel, found, divergence=True)
    assert figure.sentence.endswith("Warps diverge in lines 18, 21.")
    for line in (15, 18, 19, 21):
        counted = found.by_line[line]
        assert row(figure.html, line)[5] == f"{counted['thread_inst'] / counted['inst']:.1f}"
    assert row(figure.html, 19)[5] == "32.0"
    plain = source_view(kernel, found)
    assert "diverge" not in plain.sentence
    assert "active lanes" not in plain.html


def test_ptx_of_a_line(sample: Make) -> None:
    ptx = simulator.compile(TILED.source, defines={"TILE": 8}, name="tiled.cu").ptx
    figure = source_view(TILED, sample("tiled", 8, 24).run, ptx=ptx, ptx_line=PRODUCT)
    (code,) = re.findall(r"<pre[^>]*>(.*?)</pre>", figure.html, re.DOTALL)
    written = code.splitlines()
    for opcode in ("fma.rn.f32", "ld.shared.f32"):  # no other line has any
        assert sum(opcode in each for each in written) == ptx.count(opcode) > 0
    assert all(each in " ".join(ptx.split()) for each in written)
    assert f"PTX of line {PRODUCT}: {len(written)} instructions" in figure.html
    assert ">none</pre>" in source_view(TILED, sample("tiled", 8, 24).run, ptx=ptx, ptx_line=1).html
