from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from course_utils import metrics
from course_utils.figures import Figure, Sample, occupancy_view
from course_utils.figures.measures import occupancy
from course_utils.metrics import names
from tests.figures.runs import run

Make = Callable[..., Sample]


def bars(figure: Figure) -> dict[str, tuple[int, float, str]]:
    """Resource -> (blocks in its bar, per cent that the bar's parts take together, what stands beside)."""
    row = r'<div[^>]*>([a-z ]+)</div><div class="lk-bar">(.*?)</div><div[^>]*>([^<]*)</div>'
    return {
        name: (
            bar.count('class="held"'),
            sum(float(width) for width in re.findall(r"width:([\d.]+)%", bar)),
            told,
        )
        for name, bar, told in re.findall(row, figure.html)
    }


def test_warps_and_registers_limit_large_blocks() -> None:
    sample = Sample("transposed", run("coalescing/transpose_shared", {"PAD": 1}, rows=64, cols=64))
    figure = occupancy_view(sample)
    registers = 2 * 32 * 32 * -(-sample.run.metrics[names.REGISTERS] // 8) * 8  # rounded up to 256 a warp
    assert figure.sentence == (
        "One SM of the H200 SXM holds 2 blocks of the transposed kernel at once, 64 of the 64 warps that it "
        "has places for: an occupancy of 100 %, limited by warps."
    )
    found = bars(figure)
    assert {name: told for name, (_, _, told) in found.items()} == {
        "registers": f"{65536 // (registers // 2)} blocks",
        "warps": "2 blocks: limits",
        "blocks": "32 blocks",
        "shared memory": "44 blocks",  # of 228 KB, at 4,224 bytes and 1 KB for the driver
    }
    assert all(blocks == 2 for blocks, _, _ in found.values())
    assert found["warps"][1] == 100
    assert f"a block takes {registers // 2:,} of 65,536 registers" in figure.html
    assert (
        "a block takes 5.12 KB of 228 KB" in figure.html or "a block takes 5.25 KB of 228 KB" in figure.html
    )


def test_blocks_limit_small_blocks(sample: Make) -> None:
    figure = occupancy_view(sample("tiled", 4, 24))
    assert "32 blocks" in figure.sentence
    assert "50 %, limited by blocks" in figure.sentence
    assert bars(figure)["blocks"] == (32, 100, "32 blocks: limits")


@pytest.mark.parametrize("name", metrics.GPUS)
def test_every_gpu(sample: Make, name: str) -> None:
    chosen, gpu = sample("tiled", 16, 32), metrics.GPUS[name]
    found, figure = occupancy(chosen, gpu), occupancy_view(chosen, gpu)
    assert f"One SM of the {name} holds {found.blocks_per_sm} blocks" in figure.sentence
    limits = {
        "registers": found.registers, "warps": found.warps, "blocks": found.blocks,
        "shared memory": found.shared_memory,
    }  # fmt: skip
    for resource, (blocks, taken, told) in bars(figure).items():
        assert told.split()[0] == str(limits[resource])
        assert blocks == found.blocks_per_sm
        assert taken <= 100.1
    same = gpu.compute_capability == "9.0"
    assert ("may take others" in figure.html) != same


def test_a_kernel_without_shared_memory_where_the_driver_takes_none(sample: Make) -> None:
    figure = occupancy_view(sample("naive", 8, 24), metrics.GPUS["T4"])
    assert bars(figure)["shared memory"] == (0, 100, "no limit")


def test_formula_is_stated(sample: Make) -> None:
    figure = occupancy_view(sample("tiled", 8, 24))
    found = occupancy(sample("tiled", 8, 24))
    assert f"= {found.blocks_per_sm} × {found.warps_per_block} / 64." in figure.html  # noqa: RUF001
    assert "by formula" in figure.html
    assert f'role="img" aria-label="{figure.sentence}"' in figure.html


def test_what_does_not_fit_or_is_not_known(sample: Make) -> None:
    large = replace(sample("tiled", 8, 24), shared_bytes=80 * 1024)
    assert occupancy_view(large, metrics.GPUS["T4"]).sentence.startswith(
        "The tiled kernel does not run on the T4: "
    )
    unknown = replace(large, run=replace(large.run, metrics={}))
    assert "not known" in occupancy_view(unknown).sentence
