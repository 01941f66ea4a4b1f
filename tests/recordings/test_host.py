"""The experiments on the host's side of a launch, on a GPU that is a clock: see fake_cupy.py."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from course_utils import recordings
from course_utils.recordings import host, jobs
from course_utils.recordings.recording import new, read
from tests.devices.fake_cuda import FakeCuda
from tests.recordings.fake_cupy import CALL, LEAST, FakeArray, FakeGpu, modules
from tests.recordings.test_recording import ABOUT


@pytest.fixture
def bench(gpu: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    """What an experiment takes for CuPy, and its clock for the host's; with sizes that suit it."""
    fake = FakeGpu()
    for name, module in modules(fake).items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(host.time, "perf_counter", lambda: fake.now)
    monkeypatch.setattr(host, "BUSY_SECONDS", 0.0)
    monkeypatch.setattr(host, "COPIED", (1 << 10, 1 << 20))
    monkeypatch.setattr(host, "PIECE_FLOATS", 1 << 18)
    return fake


def run(name: str, folder: Path) -> recordings.Experiment:
    """The experiment by way of its job, a file, and the reader."""
    recording = new(ABOUT)
    recording.add("host", jobs.HostExperiment(name).run())
    recording.write(folder / "own.json")
    return read(folder / "own.json").host[name]


def times(found: recordings.Experiment) -> dict[str, float]:
    return {each.case: each.seconds.median for each in found.measured}


def test_copies(bench: FakeGpu, tmp_path: Path) -> None:
    bench.rates["copy out"] = 5e8
    found = run("copies", tmp_path)
    assert "cudaMemcpyAsync" in found.method
    assert len(found.measured) == 8
    for each in found.measured:
        rate = bench.rates["copy in" if each.case.startswith("host") else "copy out"]
        wanted = CALL + each.sizes["bytes"] / rate  # the call itself lies between the events of an idle GPU
        assert each.seconds.median == pytest.approx(wanted, rel=1e-3)
        assert (each.clock, each.seconds.launches) == ("GPU", host.REPEATS)
    assert {each.case.split(", ")[1] for each in found.measured} == {"pageable", "pinned"}


def test_launches_return_before_they_are_done(bench: FakeGpu, tmp_path: Path) -> None:
    found = times(run("launches", tmp_path))
    block = host.FLOATS / bench.rates["kernel"]
    assert found["an empty launch, of 500: until the call returns"] == pytest.approx(CALL, rel=1e-3)
    assert found["a launch of one block: until the call returns"] == pytest.approx(CALL, rel=1e-3)
    assert found["a launch of one block: until it is done"] == pytest.approx(CALL + block, rel=1e-3)
    whole, many, waiting = (
        found[name] for name in ("all in one launch", "1,024 launches", "1,024 launches, each waited for")
    )
    assert many == pytest.approx(waiting + CALL, rel=0.5)
    assert whole < many / 10
    assert waiting >= many


def test_two_streams_overlap_and_one_does_not(bench: FakeGpu, tmp_path: Path) -> None:
    found = run("streams", tmp_path)
    step = 4 * host.PIECE_FLOATS / bench.rates["copy in"]
    total = times(found)
    assert total["one stream"] == pytest.approx(12 * step, rel=0.1)
    assert total["two streams"] == pytest.approx(7 * step, rel=0.1)
    one, two = ([each for each in found.pieces if each.case == case] for case in total)
    for pieces, used in ((one, 1), (two, 2)):
        assert {each.stream for each in pieces} == set(range(1, used + 1))
        assert [each.what for each in pieces[:3]] == ["copy in", "kernel", "copy out"]
        assert {each.piece for each in pieces} == {1, 2, 3, 4}
        for stream in range(1, used + 1):
            mine = [each for each in pieces if each.stream == stream]
            assert all(b.start >= a.end for a, b in pairwise(mine))
    assert max(each.end for each in one) == pytest.approx(total["one stream"], rel=1e-3)
    assert two[3].start < two[0].end + step


def test_a_graph_is_one_call(bench: FakeGpu, tmp_path: Path) -> None:
    found = times(run("graph", tmp_path))
    assert found["one by one: until the calls return"] == pytest.approx(host.CHAIN * CALL, rel=1e-3)
    assert found["one graph: until the call returns"] == pytest.approx(CALL, rel=1e-3)
    assert found["one graph: on the GPU"] == pytest.approx(CALL + host.CHAIN * LEAST * 16.384, rel=1e-2)


def test_a_pool_is_cheaper_than_the_driver(bench: FakeGpu, tmp_path: Path) -> None:
    found = run("allocation", tmp_path)
    assert [each.sizes["bytes"] for each in found.measured[::2]] == list(host.ALLOCATED)
    assert found.measured[0].seconds.median == pytest.approx(100 * CALL, rel=1e-3)
    assert found.measured[1].seconds.median == pytest.approx(CALL, rel=1e-3)


class FakePlanner:
    """Plans products of FakeGpu's arrays. Asking takes 50 calls' time, and it `keeps` what it heard."""

    gpu: FakeGpu
    keeps = True

    def __init__(self) -> None:
        self.asked = 0

    def plan(self, a: FakeArray, b: FakeArray) -> FakePlanner:
        if not (self.asked and self.keeps):
            self.asked += 1
            self.gpu.now += 50 * CALL
        self.gpu.now += CALL
        self.operands = a.array, b.array
        return self

    def run(self, stream: int = 0) -> FakeArray:
        self.gpu.now += CALL
        result = np.full(self.operands[0].shape, np.nan, np.float32)
        a, b = self.operands
        self.gpu.streams[stream].do("kernel", 1e-3, lambda: np.add(a @ b, self.gpu.breaks, out=result))
        return FakeArray(result)

    def free(self) -> None: ...

    def __enter__(self) -> FakePlanner:
        return self

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture
def planner(bench: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> type[FakePlanner]:
    fake = type("FakePlanner", (FakePlanner,), {"gpu": bench})
    monkeypatch.setattr(host.lt, "Planner", fake)
    monkeypatch.setattr(host, "PLANNED", 16)
    return fake


def test_a_plan_is_cheaper_with_an_answer_from_before(planner: type[FakePlanner], tmp_path: Path) -> None:
    found = times(run("plans", tmp_path))
    assert found["a plan that asks the heuristic"] == pytest.approx(51 * CALL, rel=1e-3)
    assert found["a plan with its answer from before"] == pytest.approx(CALL, rel=1e-3)
    assert found["the product: until the call returns"] == pytest.approx(CALL, rel=1e-3)
    assert found["the product: on the GPU"] == pytest.approx(CALL + 1e-3, rel=1e-3)


def test_a_planner_that_forgets_is_not_recorded(planner: type[FakePlanner]) -> None:
    planner.keeps = False
    with pytest.raises(ValueError, match="the heuristic was asked 14 times for one product"):
        jobs.HostExperiment("plans").run()


def test_a_wrong_product_is_not_recorded(planner: type[FakePlanner], bench: FakeGpu) -> None:
    bench.breaks = 0.5
    with pytest.raises(ValueError, match="the result is wrong"):
        jobs.HostExperiment("plans").run()


@pytest.mark.parametrize("name", ["launches", "streams", "graph"])
def test_a_wrong_result_is_not_recorded(bench: FakeGpu, name: str) -> None:
    bench.breaks = 0.5
    with pytest.raises(ValueError, match="the result is wrong"):
        jobs.HostExperiment(name).run()


def test_a_lost_copy_is_not_recorded(bench: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.memmove", lambda *_: None)
    with pytest.raises(ValueError, match=r"the result is wrong: a copy of 1024 bytes .* pageable"):
        jobs.HostExperiment("copies").run()


def test_every_experiment_is_recorded_once() -> None:
    found = [job.experiment for job in jobs.all_jobs() if isinstance(job, jobs.HostExperiment)]
    assert found == list(host.EXPERIMENTS)


def test_what_is_called_exists_in_cupy() -> None:
    """The names alone: what they do needs a GPU."""
    cupy, cupyx = pytest.importorskip("cupy"), pytest.importorskip("cupyx")
    for owner, names in (
        (cupy.cuda, "Stream Event Module MemoryPool get_elapsed_time runtime"),
        (cupy.cuda.runtime, "memcpyAsync deviceSynchronize malloc free"),
        (cupy.cuda.Stream, "begin_capture end_capture wait_event synchronize __enter__"),
        (cupy.cuda.Graph, "launch"),
        (cupy.cuda.Event, "record synchronize"),
        (cupy.cuda.Module, "load get_function"),
        (cupy.cuda.MemoryPool, "malloc free_all_blocks"),
        (cupy, "asarray empty empty_like"),
        (cupy.ndarray, "get set fill data size"),
        (cupyx, "empty_pinned"),
    ):
        assert [name for name in names.split() if not hasattr(owner, name)] == []
    assert (cupy.cuda.runtime.memcpyHostToDevice, cupy.cuda.runtime.memcpyDeviceToHost) == (
        host._TO_GPU,
        host._TO_HOST,
    )
