"""The record command: progress, a budget, going on where it was, and failures that cost themselves alone."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from course_utils import devices
from course_utils.recordings import jobs, launches, profiler, record
from course_utils.recordings.profiler import Profile
from course_utils.recordings.recording import Entry, RecordingError, read
from course_utils.recordings.worker import JobFailed
from tests.recordings.test_recording import ABOUT

JOBS = [jobs.TimeKernel("tiling/naive", {"TILE": tile}, {"N": 64}) for tile in (4, 8, 16)]
LAUNCHES = [
    launches.Launch("tiling/naive", {"TILE": 4}, {"N": 8}),
    launches.Launch("tiling/tiled", {}, {"N": 8}),
]


class FakeWorker:
    """Makes entries at once; `fails`: the text of the job that fails; `takes`: seconds that a job takes."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.fails = ""
        self.interrupts = ""

    def run(self, job: jobs.Job | record.About) -> Entry:
        if isinstance(job, record.About):
            return {**ABOUT, "arch": "sm_90"}
        if str(job) == self.interrupts:
            raise KeyboardInterrupt
        self.ran.append(str(job))
        if str(job) == self.fails:
            raise JobFailed("GpuLost: it broke the GPU")
        seconds = {"median": 1e-3, "least": 1e-3, "most": 1e-3, "launches": 3}
        return job.identity() | {"seconds": seconds, "error": 0.0, "operations": 1, "moved": None}


Session = Callable[..., tuple[int, FakeWorker]]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Runs the command into one file; returns its exit code and the worker."""
    monkeypatch.setattr(jobs, "all_jobs", lambda: iter(JOBS))
    monkeypatch.setattr(launches, "all_launches", lambda: LAUNCHES)
    monkeypatch.setattr(profiler, "find", lambda: "ncu")
    monkeypatch.setattr(profiler, "version", lambda ncu: "1.2")
    monkeypatch.setattr(profiler, "profile", profile)
    monkeypatch.setattr(record, "_watch", lambda *_: None)

    def run(*arguments: str, fails: str = "", interrupts: str = "") -> tuple[int, FakeWorker]:
        worker = FakeWorker()
        worker.fails, worker.interrupts = fails, interrupts
        options = record._options([*arguments, "--into", str(tmp_path / "own.json")])
        return record.Session(options, worker).run(), worker  # type: ignore[arg-type]

    return run


def profile(
    ncu: str, arch: str, asked: list[launches.Launch], time_limit: float
) -> tuple[dict[int, Profile], dict[int, str]]:
    values = {name: [5, 5, 6] if "_st" in name else [4, 4, 4] for name in profiler.COUNTED}
    return {0: Profile(values, [9] * 3, {7: {"inst": 3}})}, (
        {1: "it broke the GPU"} if len(asked) > 1 else {}
    )


def test_everything_is_recorded_and_then_kept(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, worker = session("--only", "times")
    assert (code, len(worker.ran)) == (0, 3)
    assert "Fake 9000: recording into" in capsys.readouterr().out
    code, worker = session("--only", "times")
    assert (code, worker.ran) == (0, [])
    assert "0 recorded, 3 kept from before" in capsys.readouterr().out
    code, worker = session("--only", "times", "--again", "--kernels", "tiling/*")
    assert len(worker.ran) == 3
    assert session("--only", "times", "--again", "--kernels", "coalescing/*")[1].ran == []
    assert len(read(tmp_path / "own.json").times) == 3


def test_one_failure_costs_one_entry_and_is_forgotten_once_it_works(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = "tiling/naive TILE=8 N=64"
    assert session("--only", "times", fails=broken)[0] == 1
    assert f"{broken}: FAILED, GpuLost: it broke the GPU" in capsys.readouterr().out
    found = read(tmp_path / "own.json")
    assert [timed.tunables["TILE"] for timed in found.times] == [4, 16]
    assert found.document["failures"] == [{"what": broken, "why": "GpuLost: it broke the GPU"}]
    code, worker = session("--only", "times")
    assert (code, worker.ran) == (0, [broken])
    assert read(tmp_path / "own.json").document["failures"] == []


def test_out_of_time(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert session("--only", "times", "--minutes", "0")[0] == 1
    assert (
        "0 recorded, 0 kept from before, 0 failed, 3 left; the same command goes on"
        in capsys.readouterr().out
    )


def test_an_interrupt_loses_nothing(session: Session, tmp_path: Path) -> None:
    assert session("--only", "times", interrupts="tiling/naive TILE=16 N=64")[0] == 130
    assert len(read(tmp_path / "own.json").times) == 2


def test_counters(session: Session, tmp_path: Path) -> None:
    assert session("--only", "counted")[0] == 1
    recording = read(tmp_path / "own.json")
    (counted,) = recording.counted
    assert (counted.kernel, counted.result, counted.lines) == ("tiling/naive", 9, {7: {"inst": 3}})
    assert {counted.metrics[name] for name in profiler.COUNTED if "_st" in name} == {(5, 6)}
    assert {counted.metrics[name] for name in profiler.COUNTED if "_st" not in name} == {(4, 4)}
    assert recording.document["failures"][0]["what"] == "counters of tiling/tiled N=8"
    assert recording.document["about"]["profiler"] == "Nsight Compute 1.2"


def test_without_a_profiler(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(profiler, "find", lambda: None)
    assert session("--only", "counted")[0] == 0
    assert "no counters: Nsight Compute (ncu) is not installed" in capsys.readouterr().out


def test_a_file_of_another_gpu(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session("--only", "times")
    monkeypatch.setitem(ABOUT, "gpu", "Other 1")
    with pytest.raises(
        RecordingError, match="was recorded on Fake 9000, and this is Other 1: name another file"
    ):
        session("--only", "times")


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(devices, "available", lambda: (devices.SIMULATOR,))
    assert record.main([]) == 1
    assert "There is nothing to record without a GPU." in capsys.readouterr().err


def test_clocks_are_watched() -> None:
    told = iter(["1980, 3201\n", "1500, 3201\n"])
    ended = threading.Event()

    def ask(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        text = next(told, "")
        if not text:
            raise OSError("no more")
        return subprocess.CompletedProcess([], 0, text, "")

    seen: dict[str, list[int]] = {}
    record._watch(seen, ended, 0.001, ask)
    assert seen == {"sm": [1500, 1980], "memory": [3201, 3201]}


def test_a_recording_of_several_days_names_the_first_and_the_last(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session("--only", "times", "--kernels", "none")
    assert read(tmp_path / "own.json").label == "recorded on Fake 9000, 2026-11-29"
    for day in ("2026-11-30", "2026-12-02"):
        monkeypatch.setitem(ABOUT, "date", day)
        session("--only", "times")
        assert read(tmp_path / "own.json").label == f"recorded on Fake 9000, 2026-11-29 to {day}"
