from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace

import pytest

from course_utils.figures import Figure, Sample, tile_picture
from tests.figures.runs import run

Make = Callable[..., Sample]
SVG = "{http://www.w3.org/2000/svg}"


def picture(sample: Sample, size: int) -> Figure:
    return tile_picture(sample.run.trace, dict.fromkeys("ABC", (size, size)), sample.name)


def pictures(figure: Figure) -> list[ET.Element]:
    return [ET.fromstring(each) for each in re.findall(r"<svg.*?</svg>", figure.html)]


def texts(svg: ET.Element) -> list[str]:
    return [each.text or "" for each in svg.iter(f"{SVG}text")]


def test_sentence_tiled(sample: Make) -> None:
    assert picture(sample("tiled", 8, 24, (1, 2)), 24).sentence == (
        "Block (1, 2) of the tiled kernel loads 192 elements of A and 192 elements of B, each once, from "
        "global memory; its threads then read each 8 times from shared memory."
    )


def test_sentence_where_only_some_lie_in_shared_memory() -> None:
    trace = run("flash_attention/fused", {"TILE_Q": 32, "TILE_K": 16}, N=32).trace
    assert tile_picture(trace, dict.fromkeys("QKVO", (32, 32)), "fused").sentence == (
        "Block (0, 0) of the fused kernel loads 1,024 elements of Q, 1,024 elements of K and 1,024 elements "
        "of V, each once, from global memory; its threads then read those of K and those of V, each 32 "
        "times, from shared memory."
    )


def test_sentence_naive(sample: Make) -> None:
    assert picture(sample("naive", 4, 24), 24).sentence == (
        "Block (0, 0) of the naive kernel loads 96 elements of A and 96 elements of B, each 4 times, all "
        "from global memory; it keeps none of them in shared memory."
    )


def test_sentence_of_a_trace_that_was_full(sample: Make) -> None:
    run = sample("naive", 4, 24).run
    figure = tile_picture(replace(run.trace, complete=False), {"A": (24, 24)}, "naive")
    assert "these are its first steps" in figure.sentence


def test_sentence_of_a_block_that_loads_nothing(sample: Make) -> None:
    run = sample("naive", 4, 24).run
    figure = tile_picture(replace(run.trace, steps=[]), {"A": (24, 24)}, "naive")
    assert figure.sentence == "Block (0, 0) of the naive kernel loads nothing from these buffers."


def test_each_picture_says_what_it_shows(sample: Make) -> None:
    figure = picture(sample("tiled", 8, 24), 24)
    found = pictures(figure)
    assert len(found) == 3
    for svg in found:
        assert svg.get("role") == "img"
        assert svg.get("aria-label") == svg.findtext(f"{SVG}title")
    assert found[0].get("aria-label") == figure.sentence
    assert found[1].get("aria-label") == (
        "A magnified, 8 by 8 elements from [0, 0]: each loaded once from global memory, read 8 times from "
        "shared memory."
    )


def test_magnified_elements_show_loads_and_reads(sample: Make) -> None:
    tiled, naive = (pictures(picture(sample(name, 4, 24), 24))[1] for name in ("tiled", "naive"))
    assert sorted(text for text in texts(tiled) if text.isdigit()) == ["1"] * 16 + ["4"] * 16
    assert {text for text in texts(naive) if text.isdigit()} == {"4"}


def test_map_outlines_each_step(sample: Make) -> None:
    outlines = [
        rectangle
        for rectangle in pictures(picture(sample("tiled", 8, 24), 24))[0].iter(f"{SVG}rect")
        if "stroke-width:0.6" in rectangle.get("style", "")
    ]
    assert len(outlines) == 2 * 3


def test_colours_are_the_themes(sample: Make) -> None:
    html = picture(sample("tiled", 8, 24), 24).html
    assert re.findall(r"(?:fill|stroke):(?!var\(--lk-|none)[^;\"]*", html) == []


@pytest.mark.parametrize(("name", "tile", "size"), [("tiled", 4, 128), ("naive", 16, 100)])
def test_large_matrices_make_small_pictures(sample: Make, name: str, tile: int, size: int) -> None:
    assert len(picture(sample(name, tile, size), size).html) < 100_000


def test_a_vector_is_a_bar() -> None:
    trace = run("execution_model/vector_add", {"BLOCK": 64}, block=(1, 0), n=256).trace
    figure = tile_picture(trace, {"a": (1, 256), "b": (256, 1)}, "vector_add")
    assert figure.sentence.startswith("Block (1, 0) of the vector_add kernel loads 64 elements of a and 64 ")
    boxes = [
        (float(each.get("width")), float(each.get("height")))
        for each in pictures(figure)[0].iter(f"{SVG}rect")
    ]
    assert (186, 12) in boxes  # a
    assert (12, 186) in boxes  # b
    assert (46.5, 12) in boxes  # the quarter of a that is loaded
