"""The experiments on the host's side of a launch, on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_utils import devices, recordings
from course_utils.recordings import host, jobs
from course_utils.recordings.recording import new, read
from tests.recordings.test_recording import ABOUT

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", host.EXPERIMENTS)
def test_an_experiment_can_be_recorded(gpu: devices.Gpu, name: str, tmp_path: Path) -> None:
    recording = new(ABOUT)
    recording.add("host", jobs.HostExperiment(name).run())
    recording.write(tmp_path / "own.json")
    found = read(tmp_path / "own.json").host[name]
    assert found.measured
    assert bool(found.pieces) == (name == "streams")


def test_a_launch_returns_before_it_is_done(gpu: devices.Gpu) -> None:
    found = recordings.Experiment.of("launches", host.launches())
    times = {each.case: each.seconds.median for each in found.measured}
    assert (
        times["a launch of one block: until the call returns"]
        < times["a launch of one block: until it is done"]
    )
