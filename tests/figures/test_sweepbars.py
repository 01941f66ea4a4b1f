from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from course_utils.figures import Figure, Sample, sweep_bars
from course_utils.metrics import names
from tests.figures.runs import strided

Make = Callable[..., Sample]
SVG = "{http://www.w3.org/2000/svg}"


def bars(figure: Figure) -> list[tuple[str, float]]:
    """(fill, height) of each bar, from left to right."""
    picture = ET.fromstring(re.findall(r"<svg.*?</svg>", figure.html)[0])
    return [
        (re.findall("fill:([^;]*)", part.get("style"))[0], float(part.get("height")))
        for part in picture.iter(f"{SVG}rect")
    ]


def strides(*values: int) -> dict[int, tuple[Sample, None]]:
    return {value: (Sample("strided_copy", strided(value, 0)), None) for value in values}


def test_bars_are_as_high_as_the_numbers(sample: Make) -> None:
    pairs = {tile: (sample("tiled", tile, 24), sample("naive", tile, 24)) for tile in (4, 8)}
    counted = [each.run.metrics[names.GLOBAL_LOAD_SECTORS] for pair in pairs.values() for each in pair]
    drawn = bars(sweep_bars("TILE", pairs, "sectors"))
    solid, hatched = (fill for fill, _ in drawn[:2])
    assert [fill for fill, _ in drawn] == [solid, hatched] * 2
    assert solid == "var(--lk-tint)"
    assert hatched.startswith("url(#lk-hatch-")
    heights = [height for _, height in drawn]
    assert [each / heights[1] for each in heights] == pytest.approx(
        [each / counted[1] for each in counted], rel=1e-3
    )


def test_of_many_bars_as_many_are_named_as_have_room() -> None:
    one = strides(1)[1]
    figure = sweep_bars("stride", dict.fromkeys(range(34), one), "sectors")
    picture = ET.fromstring(re.findall(r"<svg.*?</svg>", figure.html)[0])
    named = [part for part in picture.iter(f"{SVG}text") if part.get("font-weight") and part.text.isdigit()]
    assert [part.text for part in named] == [str(value) for value in range(0, 34, 2)]
    places = [float(part.get("x")) for part in named]
    assert min(right - left for left, right in pairwise(places)) > 20
    assert len(bars(figure)) == 34


def test_sentence_names_the_extremes() -> None:
    figure = sweep_bars("stride", strides(1, 2, 8, 16), "sectors_per_request", where="n 64")
    assert figure.sentence == (
        "n 64: sectors a load request of strided_copy: least at stride 1 (4.0) and most at stride 8 (32.0)."
    )
    assert sweep_bars("stride", strides(8, 16), "sectors_per_request").sentence == (
        "sectors a load request of strided_copy: 32.0 for every stride."
    )


def test_values_that_were_not_run_have_a_place_and_no_bar() -> None:
    figure = sweep_bars("stride", strides(1, 2), "sectors", (1, 2, 77, 99))
    assert len(bars(figure)) == 2
    assert figure.sentence.endswith("Only 2 of 4 values were run.")
    assert [figure.html.count(f">{value}</text>") for value in (77, 99)] == [1, 1]
    nothing = sweep_bars("stride", {}, "sectors", (1, 2))
    assert (nothing.sentence, nothing.html) == ("Of 2 values of stride none was run.", "")


def test_what_is_not_known_is_a_dash() -> None:
    known, unknown = strides(1, 2).values()
    missing = replace(unknown[0], run=replace(unknown[0].run, metrics={}))
    figure = sweep_bars("stride", {1: known, 2: (missing, None)}, "sectors")
    assert len(bars(figure)) == 1
    assert ">–</text>" in figure.html  # noqa: RUF001
    assert "no number of global load sectors" in sweep_bars("stride", {2: (missing, None)}).sentence


def test_zeros_are_drawn(sample: Make) -> None:
    figure = sweep_bars("TILE", {8: (sample("naive", 8, 24), None)}, "conflicts")
    assert figure.sentence == "bank conflicts of naive: 0 for every TILE."
    assert len(bars(figure)) == 1


def test_table_label_and_repeatable_bytes() -> None:
    figure = sweep_bars("stride", strides(1, 32), "store_sectors")
    assert figure.html == sweep_bars("stride", strides(1, 32), "store_sectors").html
    assert "<caption>counted (simulator)</caption>" in figure.html
    assert figure.text.splitlines()[-1].split() == ["32", "8"]
    assert f'role="img" aria-label="{figure.sentence}"' in figure.html
    assert re.findall(r"(?:fill|stroke):(?!var\(--lk-|none|url\(#lk-)[^;\"]*", figure.html) == []
