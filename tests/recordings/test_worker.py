"""The process that runs jobs: what a job does to it costs that job alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from course_utils.devices import GpuLost
from course_utils.recordings.recording import Entry
from course_utils.recordings.worker import JobFailed, Worker


class Number:
    def run(self) -> Entry:
        return {"process": os.getpid()}


class Fails:
    def run(self) -> Entry:
        raise ValueError("no result")


class LosesTheGpu:
    def run(self) -> Entry:
        raise GpuLost("the GPU is gone")


class Dies:
    def run(self) -> Entry:
        os._exit(7)


class NeverEnds:
    def run(self) -> Entry:
        time.sleep(1000)
        return {}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(30) as made:
        yield made


def process(worker: Worker) -> int:
    return worker.run(Number())["process"]


def test_jobs_share_a_process_of_their_own(worker: Worker) -> None:
    assert process(worker) == process(worker) != os.getpid()


def test_a_failed_job(worker: Worker) -> None:
    before = process(worker)
    with pytest.raises(JobFailed, match="ValueError: no result"):
        worker.run(Fails())
    assert process(worker) == before


def test_a_job_that_loses_the_gpu_ends_the_process(worker: Worker) -> None:
    before = process(worker)
    with pytest.raises(JobFailed, match="GpuLost: the GPU is gone"):
        worker.run(LosesTheGpu())
    assert process(worker) != before


def test_a_job_that_ends_its_process(worker: Worker) -> None:
    with pytest.raises(JobFailed, match=r"ended by itself \(exit code 7\)"):
        worker.run(Dies())
    assert process(worker) > 0


def test_a_job_that_does_not_end() -> None:
    with Worker(60) as worker:
        process(worker)
        worker.time_limit = 0.5
        began = time.monotonic()
        with pytest.raises(JobFailed, match=r"no answer within 0\.5 s"):
            worker.run(NeverEnds())
        assert time.monotonic() - began < 20
