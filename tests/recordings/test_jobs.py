from __future__ import annotations

import numpy as np
import pytest

from course_utils import kernels, problems
from course_utils.problems import Problem
from course_utils.recordings import jobs, libraries
from course_utils.recordings.jobs import Latency, TimeKernel, TimeLibrary
from tests.devices.fake_cuda import FakeCuda


def test_a_kernel_is_timed_and_checked(gpu: FakeCuda) -> None:
    gpu.durations = [
        1.0,
        *([2e-3] * 10),
        *([4e-3] * 10),
    ]  # the run that is checked, then those that are timed
    entry = TimeKernel("tiling/tiled", {"TILE": 8}, {"N": 33}).run()
    assert entry["seconds"] == {"median": 3e-3, "least": 2e-3, "most": 4e-3, "launches": 20}
    assert entry["operations"] == 33**3
    assert 0 < entry["error"] < 1e-6
    assert entry["tunables"] == {"TILE": 8}


def test_a_wrong_result_is_not_recorded(gpu: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(sizes: problems.Sizes, random: np.random.Generator) -> Problem:
        problem = problems.tiling.matmul(sizes, random)
        problem.expected["C"][3, 4] += 1
        return problem

    setting = problems.Setting(wrong)
    monkeypatch.setitem(problems.SETTINGS, "tiling/tiled", setting)
    jobs._maker.cache_clear()
    with pytest.raises(ValueError, match=r"wrong: 1 of 64 elements of C differ"):
        TimeKernel("tiling/tiled", {"TILE": 8}, {"N": 8}).run()
    jobs._maker.cache_clear()


def test_results_follow_the_tunables_that_they_depend_on(gpu: FakeCuda) -> None:
    for block in (32, 64):
        assert TimeKernel("execution_model/reverse", {"BLOCK": block}, {"n": 200}).run()["error"] == 0


def test_a_library_is_timed_by_its_fastest_variant(gpu: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(problem: Problem) -> libraries.Prepared:
        def work(seconds: float) -> None:
            gpu.clock += seconds

        def fetch() -> None:
            problem.arrays["out"][...] = problem.arrays["x"]

        return libraries.Prepared({"slow": lambda: work(2e-3), "fast": lambda: work(1e-3)}, fetch)

    library = libraries.Library("coalescing", problems.beside.copy, ({"n": 64},), prepare)
    monkeypatch.setitem(libraries.LIBRARIES, "a library", library)
    entry = TimeLibrary("a library", {"n": 64}).run()
    assert entry["seconds"]["median"] == 1e-3
    assert entry["note"] == "the fastest of slow 2 ms, fast 1 ms"
    assert (entry["topic"], entry["moved"], entry["error"]) == ("coalescing", 512, 0)


def test_a_library_that_is_wrong(gpu: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    idle = libraries.Prepared({"idle": lambda: None}, lambda: None)
    library = libraries.Library("coalescing", problems.beside.copy, (), lambda problem: idle)
    monkeypatch.setitem(libraries.LIBRARIES, "idle", library)
    with pytest.raises(ValueError, match="the result of idle is wrong"):
        TimeLibrary("idle", {"n": 64}).run()


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float16, 4e-3)])
def test_unfused_attention_is_attention(dtype: type, tolerance: float) -> None:
    """Written for CuPy, which has no GPU here; NumPy has the same functions."""
    problem = problems.flash_attention.attention({"N": 70}, np.random.default_rng(0))
    q, k, v = (problem.arrays[name].astype(dtype) for name in "QKV")
    weights, out = np.empty((70, 70), dtype), np.empty_like(q)
    libraries.attend(np, q, k, v, weights, out)
    problem.arrays["O"][...] = out
    assert problem.error() < tolerance


@pytest.mark.parametrize("kernel", ["pointer_chase", "shared_chase"])
def test_latency(gpu: FakeCuda, kernel: str) -> None:
    entry = Latency("latency", f"memory_hierarchy/{kernel}", (1, 4)).run()
    assert [x for x, _ in entry["points"]] == [1024, 4096]
    assert all(y > 0 for _, y in entry["points"])
    assert "128-byte line" in entry["method"]


def test_every_kernel_is_timed_with_every_tunable() -> None:
    timed = {(job.kernel, *job.tunables.items()) for job in jobs.all_jobs() if isinstance(job, TimeKernel)}
    for name in kernels.find():
        if problems.of(kernels.load(name)).timed:
            wanted = {(name, *each.items()) for each in problems.combinations(kernels.load(name))}
            assert wanted <= timed
    identities = [(job.section, str(job)) for job in jobs.all_jobs()]
    assert len(set(identities)) == len(identities)
