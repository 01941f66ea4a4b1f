"""Sweeps in a lab: progress, the stop button, another measure without another run, values that fail."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from course_utils.labs import Choice, Counters, Lab, Sweep
from course_utils.labs.sweeping import SweepPanel
from course_utils.metrics import names
from tests.labs.test_background import Slow, in_a_loop

MakeLab = Callable[..., Lab]
SIZES = (24, 32, 40)


def with_sweep(make_lab: MakeLab, **options: object) -> tuple[Lab, SweepPanel]:
    lab = make_lab(views=[Counters(), Sweep("N", ("sectors", "registers"))], **options)
    return lab, lab.sweeps[0]


def progress(panel: SweepPanel) -> str:
    return re.sub("<[^>]*>", "", panel._progress.value).strip()


def test_a_sweep_is_that_of_the_lab(make_lab: MakeLab) -> None:
    lab, panel = with_sweep(make_lab)
    assert panel.figure is None
    panel._start.click()
    assert progress(panel) == "3 of 3"
    assert panel._stop.disabled
    assert panel.figure.text == lab.sweep("N", ("sectors",)).text
    assert panel.figure.sentence.startswith("tiled, TILE 8: global load sectors of tiled: least at N 24 (")
    assert panel.figure.text in lab.report()


def test_another_measure_runs_nothing(make_lab: MakeLab) -> None:
    slow = Slow({})
    lab, panel = with_sweep(make_lab, problem=slow, baseline=None)
    panel.run()
    asked = len(slow.asked)
    panel._measure.value = "registers"
    assert len(slow.asked) == asked
    registers = lab.result.run.metrics[names.REGISTERS]
    assert panel.figure.sentence == f"tiled, TILE 8: registers a thread of tiled: {registers} for every N."


def test_stop_keeps_what_was_run(make_lab: MakeLab) -> None:
    slow = Slow({32: 0.4, 40: 0.4})
    lab, panel = with_sweep(make_lab, problem=slow, baseline=None)
    _ = lab.widget
    in_a_loop(panel.run)
    time.sleep(0.2)
    assert not panel._stop.disabled
    assert progress(panel) == "1 of 3"
    panel._stop.click()
    assert lab.wait(20)
    assert progress(panel) == "stopped after 1 of 3"
    assert panel.figure.sentence.endswith("Only 1 of 3 values were run.")
    assert 40 not in slow.asked


def test_a_newer_sweep_supersedes(make_lab: MakeLab) -> None:
    lab, panel = with_sweep(make_lab, problem=Slow({32: 0.3}), baseline=None)
    _ = lab.widget

    def act() -> None:
        panel.run()
        time.sleep(0.1)
        panel._over.value = "TILE"
        panel.run()

    in_a_loop(act)
    assert lab.wait(20)
    assert progress(panel) == "2 of 2"
    assert "least at TILE" in panel.figure.sentence


def test_values_that_fail_are_told_and_the_others_shown(make_lab: MakeLab) -> None:
    lab = make_lab(
        kernels=["tiling/tiled"],
        controls=[Choice("N", (24, 32)), Choice("TILE", (8, 7, 4))],
        views=[Sweep("TILE")],
        baseline=None,
    )
    lab.sweeps[0].run()
    sentence = lab.sweeps[0].figure.sentence
    assert "Only 2 of 3 values were run." in sentence
    assert "TILE 7: TILE cannot be 7" in sentence


def test_sweeps_that_do_not_fit(make_lab: MakeLab) -> None:
    with pytest.raises(ValueError, match="a sweep over 'STRIDE': this lab has kernel, TILE, N"):
        make_lab(views=[Sweep("STRIDE")])
    with pytest.raises(ValueError, match="no measure 'speed'"):
        make_lab(views=[Sweep("N", ("speed",))])
