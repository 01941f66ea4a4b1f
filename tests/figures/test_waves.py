from __future__ import annotations

import re
from dataclasses import replace

from course_utils import metrics
from course_utils.figures import Figure, Sample, waves_view
from course_utils.figures.numbers import TIMES
from course_utils.metrics import names
from tests.figures.runs import run

ADDED = run("execution_model/vector_add", {"BLOCK": 256}, n=5000)
SAMPLE = Sample("vector_add", ADDED)


def bars(figure: Figure) -> list[tuple[str, float, str]]:
    """(wave, per cent of the places that it takes, what stands beside)."""
    row = r'<div>(wave [\d,]+)</div><div class="lk-bar"><i class="held" style="width:([\d.]+)%"></i></div>'
    return [
        (name, float(width), told) for name, width, told in re.findall(rf"{row}<div>([^<]*)", figure.html)
    ]


def test_fewer_blocks_than_sms() -> None:
    figure = waves_view(SAMPLE)
    assert figure.sentence == (
        "A grid of 20 blocks on the H200 SXM, which holds 1,056 at once: 112 of its 132 SMs get no block at "
        "all."
    )
    assert bars(figure) == [("wave 1", 1.894, "20 blocks")]


def test_one_block_more_than_fits_takes_another_wave() -> None:
    assert "in one wave, which takes 100 % of the places" in waves_view(SAMPLE, blocks=1056).sentence
    figure = waves_view(SAMPLE, blocks=1057)
    assert "2 waves, of which the last has 1 block and is full to <1 %" in figure.sentence
    assert [told for _, _, told in bars(figure)] == ["1,056 blocks", "1 block"]
    assert f"1,057 / (132 {TIMES} 8)" in figure.html
    assert "50 % of the places of 2 waves" in figure.html


def test_many_waves_are_cut_short() -> None:
    figure = waves_view(SAMPLE, metrics.GPUS["T4"], 100_000)
    assert "625 waves" in figure.sentence
    shown = bars(figure)
    assert [name for name, _, _ in shown] == [*(f"wave {number}" for number in range(1, 7)), "wave 625"]
    assert sum(told == "160 blocks" for _, _, told in shown) == 7
    assert "618 more waves, as full" in figure.html


def test_without_registers_or_room_there_are_no_waves() -> None:
    known = {name: value for name, value in ADDED.metrics.items() if name != names.REGISTERS}
    assert "not known" in waves_view(Sample("ptx", replace(ADDED, metrics=known))).sentence
    large = Sample("large", ADDED, shared_bytes=200_000)
    assert "does not run on the T4" in waves_view(large, metrics.GPUS["T4"]).sentence
