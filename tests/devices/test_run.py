"""The result of a launch."""

from __future__ import annotations

import pytest

from course_utils import simulator
from course_utils.devices import Run, Time


def test_time_is_a_median_with_its_spread() -> None:
    time = Time("Fake 9000", (3e-3, 1e-3, 2e-3, 9e-3, 2e-3))
    assert (time.median, time.minimum, time.repeats) == (2e-3, 1e-3, 5)
    assert time.spread == pytest.approx(8e-3)
    assert time.kind == "measured"
    assert str(time) == "measured on Fake 9000: median 2 ms of 5 launches, spread 8 ms"
    assert str(Time("Fake 9000", (2.5e-6,), cold=True)) == (
        "measured on Fake 9000: median 2.5 us of 1 launches, spread 0 us, L2 cold"
    )


def test_a_counted_run_keeps_all_that_the_simulator_says() -> None:
    run = simulator.Run("k", (1, 1, 1), (2, 1, 1), {"m": 3}, {7: {"inst": 1}}, "hello", ["f"], ["n"], None)
    counted = Run.counted(run)
    assert isinstance(counted, simulator.Run)
    assert (counted.kind, counted.device, counted.time) == ("counted", "simulator", None)
    assert vars(run).items() <= vars(counted).items()
