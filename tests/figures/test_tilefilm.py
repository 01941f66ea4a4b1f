"""Films of blocks: what each phase loads, what shared memory then holds, who reads it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from course_utils import kernels
from course_utils.figures import Figure, tile_film
from course_utils.figures.phases import contents, phases
from course_utils.simulator.trace import Trace
from tests.figures.runs import run

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = dict.fromkeys("ABC", (24, 24))
SHARED = {"a_tile": (8, 8), "b_tile": (8, 8)}


def tiled() -> Trace:
    return run("tiling/tiled", {"TILE": 8}, block=(1, 2), N=24).trace


def film(step: int, **reader: int) -> Figure:
    return tile_film(tiled(), SHAPES, SHARED, step, **reader)


def pictures(figure: Figure) -> dict[str, ET.Element]:
    """The pictures by the first word of their description: a buffer or an array."""
    found = [ET.fromstring(each) for each in re.findall(r"<svg.*?</svg>", figure.html)]
    return {re.split(r"[ ,]", svg.get("aria-label"))[0]: svg for svg in found}


def part(rows: range, columns: range) -> list[int]:
    return [row * 24 + column for row in rows for column in columns]


def test_phases_are_loads_barriers_and_products_in_turn() -> None:
    found = phases(tiled())
    assert [phase.barrier for phase in found] == [None, 32, None, 35] * 3 + [None]
    assert all(phase.warps == 2 for phase in found)
    for step, start in enumerate((0, 8, 16)):
        loads = found[4 * step].touched("global", load=True)
        assert loads["A"].tolist() == part(range(16, 24), range(start, start + 8))
        assert loads["B"].tolist() == part(range(start, start + 8), range(8, 16))
    assert found[-1].touched("global", load=False)["C"].tolist() == part(range(16, 24), range(8, 16))


def test_phases_hold_all_steps_that_touch_memory() -> None:
    for name, sizes in (("tiling/naive", {"N": 24}), ("execution_model/reverse", {"n": 300})):
        trace = run(name, **sizes).trace
        count = sum(len([each for each in phase.steps if each.index is not None]) for phase in phases(trace))
        assert count == len([step for step in trace.steps if step.index is not None])


def test_contents_are_the_elements_that_were_loaded() -> None:
    found = phases(tiled())
    for step, start in ((0, 0), (4, 8), (8, 16)):
        held = contents(found[: step + 1])
        assert held["a_tile"].element.tolist() == part(range(16, 24), range(start, start + 8))
        assert held["b_tile"].element.tolist() == part(range(start, start + 8), range(8, 16))
        assert held["a_tile"].lately.all()
    assert not contents(found[:3])["a_tile"].lately.any()


def test_reads_of_all_of_a_warp_and_of_a_lane() -> None:
    products = phases(tiled())[2]
    assert np.bincount(products.reads("a_tile", None, None)).tolist() == [8] * 64
    assert np.unique(products.reads("a_tile", 1, None)).tolist() == list(range(32, 64))
    assert products.reads("a_tile", 1, 12).tolist() == list(range(40, 48))  # thread (4, 5): row 5
    assert products.reads("b_tile", 1, 12).tolist() == list(range(4, 64, 8))  # column 4


def test_sentences() -> None:
    assert (
        film(1).sentence == "Phase 1 of 13 of block (1, 2): its warps load A and B, fill a_tile and b_tile."
    )
    assert film(2).sentence == (
        "Phase 2 of 13 of block (1, 2): a barrier, all 2 warps wait until the last has come; then a_tile and "
        "b_tile can be read by all."
    )
    assert film(3).sentence == (
        "Phase 3 of 13 of block (1, 2): its warps read a_tile and b_tile. They read 64 elements of a_tile, "
        "each 8 times, and 64 elements of b_tile, each 8 times."
    )
    assert film(3, warp=0, lane=9).sentence.endswith(
        "Lane 9 of warp 0 reads 8 elements of a_tile, each once, and 8 elements of b_tile, each once."
    )
    assert film(99).sentence == film(13).sentence == "Phase 13 of 13 of block (1, 2): its warps store to C."


def test_arrays_say_what_they_hold_and_who_reads() -> None:
    loaded, read = pictures(film(5)), pictures(film(7, warp=0, lane=9))
    assert loaded["a_tile"].get("aria-label") == (
        "a_tile in shared memory, 8 by 8 elements: holds A[16–23, 8–15]; nobody reads it now."  # noqa: RUF001
    )
    texts = [each.text for each in read["b_tile"].iter(f"{SVG}text")]
    assert texts.count("1") == 8
    assert texts[-2:] == ["holds B[8–15, 8–15]", "8 elements read, each once"]  # noqa: RUF001
    assert loaded["A"].get("aria-label") == "A, 24 by 24 elements: loads 64."
    assert pictures(film(13))["C"].get("aria-label") == "C, 24 by 24 elements: stores 64."


def test_padding_is_never_written() -> None:
    trace = run("coalescing/transpose_shared", {"PAD": 1}, rows=64, cols=64).trace
    shared = kernels.load("coalescing/transpose_shared").shared_shapes({"PAD": 1})
    figure = tile_film(trace, {"in": (64, 64), "out": (64, 64)}, shared, 3, warp=2)
    assert "Warp 2 reads 32 elements of tile, each once." in figure.sentence
    (hatched,) = re.findall(
        r'<rect[^>]*width="([\d.]+)" height="([\d.]+)" style="fill:url\(#lk-hatch-[0-9a-f]{8}\)', figure.html
    )
    width, height = map(float, hatched)
    assert height == pytest.approx(32 * width, rel=1e-3)  # one column of the 33


def test_a_block_at_the_edge_and_an_array_of_one_row() -> None:
    trace = run("execution_model/reverse", {"BLOCK": 64}, block=(1, 0), n=100).trace
    figure = tile_film(trace, {"in": (1, 100), "out": (1, 100)}, {"segment": (64,)}, 1)
    assert pictures(figure)["segment"].get("aria-label") == (
        "segment in shared memory, 4 by 16 elements: holds in[64–99]; nobody reads it now."  # noqa: RUF001
    )


def test_blocks_without_shared_memory_or_any_memory() -> None:
    trace = run("tiling/naive", {"TILE": 8}, N=24).trace
    figure = tile_film(trace, SHAPES, {}, 1)
    assert figure.sentence == "Phase 1 of 1 of block (0, 0): its warps load A and B, store to C."
    assert "the block uses no shared memory" in figure.html
    assert tile_film(Trace((0, 0, 0), []), {}, {}).sentence == "This block touches no memory."
    cut = Trace(trace.block, trace.steps[:50], complete=False)
    assert tile_film(cut, SHAPES, {}).sentence.endswith("The trace was full before the block ended.")


def test_picture_is_labelled_repeatable_and_of_one_height() -> None:
    films = [film(step) for step in range(1, 14)]
    assert films[2].html == film(3).html
    for figure in films:
        assert list(pictures(figure)) == ["A", "B", "C", "a_tile", "b_tile"]
        assert figure.html.count("aria-current=step") == 1
        assert re.findall(r"(?:fill|stroke):(?!var\(--lk-|none|url\(#lk-)[^;\"]*", figure.html) == []
    heights = {tuple(svg.get("height") for svg in pictures(figure).values()) for figure in films}
    assert len(heights) == 1


def test_pills_and_marked_lines() -> None:
    trace, kernel = tiled(), kernels.load("tiling/tiled")
    pills, marked = (
        r'<span class="lk-pill[^>]*>([^<]*)</span>',
        r'<div class="now"><b>▶</b><span>(\d+)</span>',
    )
    figures = [tile_film(trace, SHAPES, SHARED, step, kernel=kernel) for step in (1, 2, 3, 13)]
    assert re.findall(pills, figures[0].html)[:5] == [
        "1 load",
        "2 barrier",
        "3 compute",
        "4 barrier",
        "5 load",
    ]
    assert [re.findall(marked, figure.html) for figure in figures] == [["30", "31"], ["32"], ["34"], ["38"]]
    copied = run("execution_model/reverse", {"BLOCK": 64}, n=100).trace
    assert re.findall(pills, tile_film(copied, {}, {}, 1).html) == ["1 load", "2 barrier", "3 read + store"]


def test_barrier_of_a_single_warp() -> None:
    trace = run("execution_model/reverse", {"BLOCK": 32}, n=32).trace
    assert tile_film(trace, {}, {}, 2).sentence == (
        "Phase 2 of 3 of block (0, 0): a barrier, the only warp goes on at once; then segment can be "
        "read by all."
    )
