from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from course_utils import metrics
from course_utils.figures import Figure, Point, Sample, roofline
from course_utils.figures.roofline import ceiling
from course_utils.metrics import names
from tests.figures.runs import strided

Make = Callable[..., Sample]
SVG = "{http://www.w3.org/2000/svg}"
H200 = metrics.H200


def rows(figure: Figure) -> list[list[str]]:
    lines = figure.text.splitlines()[3:]
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def marks(figure: Figure) -> list[tuple[str, float, float]]:
    """(shape, x, y) of each mark in the picture."""
    picture = ET.fromstring(re.findall(r"<svg.*?</svg>", figure.html)[0])
    found = []
    for part in picture:
        if part.tag == f"{SVG}circle":
            found.append(("disc", float(part.get("cx")), float(part.get("cy"))))
        elif part.tag == f"{SVG}path" and (part.get("d") or "").endswith("Z"):
            corners = [tuple(map(float, each.split())) for each in part.get("d")[1:-1].split("L")]
            x, y = (sum(each[axis] for each in corners) / 4 for axis in (0, 1))
            found.append(("diamond" if corners[0][0] == pytest.approx(x) else "square", x, y))
    return found


def test_a_products_operations_and_bytes(sample: Make) -> None:
    tiled = sample("tiled", 8, 24)
    point = Point.counted(tiled, least=3 * 24 * 24 * 4)
    sectors = tiled.run.metrics[names.GLOBAL_LOAD_SECTORS] + tiled.run.metrics[names.GLOBAL_STORE_SECTORS]
    assert point.operations == 2 * 24**3
    assert point.bytes == 32 * sectors
    assert point.most == 2 * 24**3 / (3 * 24 * 24 * 4)
    assert point.rate is None


def test_ceilings_are_the_gpus() -> None:
    ridge = H200.fp32_flops / H200.dram_bytes_per_second
    assert ceiling(H200, ridge / 4) == pytest.approx(H200.fp32_flops / 4)
    assert ceiling(H200, ridge * 4) == H200.fp32_flops


def test_sentence(sample: Make) -> None:
    point = Point.counted(sample("tiled", 8, 24), least=3 * 24 * 24 * 4)
    assert roofline([point]).sentence == (
        f"The tiled kernel does {point.intensity:.2f} FP32 operations for each byte that its warps ask for. "
        f"If all of these bytes came from the memory of the H200 SXM, memory would limit it to "
        f"{point.intensity * 4.8:.3g} TFLOP/s; with each element moved once the limit would be "
        f"{point.most * 4.8:.3g} TFLOP/s."
    )


def test_kinds_are_told_apart_by_shape_and_label(sample: Make) -> None:
    counted = Point.counted(sample("tiled", 8, 24))
    timed = {"operations": 10**12, "bytes": 10**11, "seconds": 0.1}
    points = [
        counted,
        Point("fast", **timed, kind="measured", source="this GPU"),
        Point("slow", **timed, kind="recorded", source="H200, 2026-11-29"),
    ]
    figure = roofline(points)
    assert [shape for shape, _, _ in marks(figure)] == ["diamond", "disc", "square"]
    assert [row[2] for row in rows(figure)] == ["counted", "measured, this GPU", "recorded, H200, 2026-11-29"]
    assert [row[-1] for row in rows(figure)] == ["–", "10 TFLOP/s", "10 TFLOP/s"]  # noqa: RUF001
    assert all(f'aria-label="{kind}"' in figure.html for kind in ("counted", "measured", "recorded"))
    assert "counted (simulator)" in figure.html


@pytest.mark.parametrize("name", metrics.GPUS)
def test_points_stand_at_their_place(name: str) -> None:
    gpu = metrics.GPUS[name]
    slow = Point("slow", 10**9, 10**9)
    ten, twenty = (Point("x", 10**12, size, None, 1.0, "measured") for size in (10**11, 5 * 10**10))
    (_, x0, y0), (_, x1, y1), (_, x2, y2) = marks(roofline([slow, ten, twenty], gpu))
    assert y1 == y2
    assert (x1 - x0) / (x2 - x1) == pytest.approx(3.3219, rel=1e-2)  # log2(10) / log2(2)
    assert (y0 < y1) == (ceiling(gpu, 1.0) > 1e12)


def test_a_copy_has_no_place() -> None:
    figure = roofline([Point.counted(Sample("strided_copy", strided(2, 0)))])
    assert figure.sentence == "There is no FP32 arithmetic in strided_copy, so no place in a roofline."
    assert figure.html == ""


def test_formula_and_label(sample: Make) -> None:
    figure = roofline([Point.counted(sample("naive", 8, 24))], metrics.GPUS["T4"])
    assert "2 x 64 lanes x 40 SMs x 1,590 MHz" in figure.html
    assert "operations a byte x 0.32 TB/s" in figure.html
    assert f'role="img" aria-label="{figure.sentence}"' in figure.html
    assert figure.html == roofline([Point.counted(sample("naive", 8, 24))], metrics.GPUS["T4"]).html
    assert re.findall(r"(?:fill|stroke):(?!var\(--lk-|none)[^;\"]*", figure.html) == []
