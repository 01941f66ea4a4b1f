"""`record`: time and count the course's kernels on this machine's GPU, and keep what came out.

It can be stopped at any time and goes on where it was; one kernel that fails costs its own entry only.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

from .. import compiler, devices, machine
from . import jobs, launches, places, profiler
from .recording import Entry, Recording, RecordingError, new, read
from .worker import JobFailed, Worker

SECTIONS = ("counted", "curves", "host", "libraries", "times")
JOB_SECONDS = 120.0
"""How long one job may take: the slowest, a matrix product checked against float64, needs a few seconds."""
BATCH = 90
"""Launches that Nsight Compute counts at once: what is lost at most where it is stopped."""
WRITE_SECONDS = 5.0


def main(arguments: list[str]) -> int:
    """Run the command; returns its exit code."""
    wanted = _options(arguments)
    if devices.available() == (devices.SIMULATOR,):
        print(f"{devices.describe()} There is nothing to record without a GPU.", file=sys.stderr)
        return 1
    try:
        with Worker(JOB_SECONDS) as worker:
            return Session(wanted, worker).run()
    except (RecordingError, JobFailed) as error:
        print(error, file=sys.stderr)
        return 1


@dataclass(frozen=True)
class Options:
    """What to record: see `record --help`."""

    minutes: float
    sections: tuple[str, ...]
    kernels: str
    again: bool
    into: Path | None


def _options(arguments: list[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="python3 -m course_utils record",
        description="Time and count the course's kernels on this machine's GPU. What is recorded is kept.",
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="stop after so long (default 30)")
    parser.add_argument(
        "--only", choices=SECTIONS, action="append",
        help="counted (by Nsight Compute), curves, host (copies, streams ...), libraries or times; may be "
        "given several times",
    )  # fmt: skip
    parser.add_argument("--kernels", default="*", help='such as "tiling/*"; all others by their names')
    parser.add_argument("--again", action="store_true", help="record anew what is there already")
    parser.add_argument("--into", type=Path, help="the file (default: one for this GPU in your data folder)")
    found = parser.parse_args(arguments)
    return Options(found.minutes, tuple(found.only or SECTIONS), found.kernels, found.again, found.into)


class Session:
    """One run of the command."""

    def __init__(self, options: Options, worker: Worker) -> None:
        self.options, self.worker = options, worker
        self.began = time.monotonic()
        about = worker.run(About())
        self.arch = about.pop("arch")
        self.path = options.into or places.own_file(about["gpu"])
        self.recording = self._opened(about)
        self._written = time.monotonic()
        self.done = self.kept = self.left = self.failed = 0

    def run(self) -> int:
        """Record; returns 0 where nothing failed and nothing is left."""
        print(f"{self.recording.gpu}: recording into {self.path}")
        try:
            with clocks() as seen:
                if "counted" in self.options.sections:
                    self._count()
                for job in list(jobs.all_jobs()):
                    if job.section in self.options.sections and self._wanted(str(job).split(" ")[0]):
                        self._do(job)
        except KeyboardInterrupt:
            print("\nStopped. The same command goes on from here.", file=sys.stderr)
            return 130
        finally:
            if seen:
                self.recording.document["about"]["clocks"] = seen
            self.recording.write(self.path)
        told = f"{self.done} recorded, {self.kept} kept from before, {self.failed} failed, {self.left} left"
        more = "; the same command goes on with what is left" if self.left else ""
        print(f"{told}{more}. {self.path}")
        return 1 if self.failed or self.left else 0

    def _opened(self, about: Entry) -> Recording:
        if not self.path.exists():
            return new(about)
        recording = read(self.path, own=True)
        if recording.gpu != about["gpu"]:
            raise RecordingError(
                f"{self.path} was recorded on {recording.gpu}, and this is {about['gpu']}: name another file"
            )
        before = recording.document["about"]
        since = before.get("since", before["date"])
        recording.document["about"] = {**before, **about}
        if since != about["date"]:
            recording.document["about"]["since"] = since
        return recording

    # Times, libraries, curves

    def _do(self, job: jobs.Job) -> None:
        if not self._due(job.section, job.identity()):
            return
        started = time.monotonic()
        try:
            entry = self.worker.run(job)
        except JobFailed as problem:
            self._failed(str(job), str(problem))
            return
        self._add(job.section, entry, str(job))
        median = entry.get("seconds", {}).get("median")
        told = f"{median * 1e3:.4g} ms" if median else f"{time.monotonic() - started:.1f} s"
        self._tell(f"{job}: {told}")
        if time.monotonic() - self._written > WRITE_SECONDS:
            self.recording.write(self.path)
            self._written = time.monotonic()

    # Counters

    def _count(self) -> None:
        ncu = profiler.find()
        if ncu is None:
            self._tell("no counters: Nsight Compute (ncu) is not installed; it comes with the CUDA toolkit")
            return
        due = [each for each in launches.all_launches() if self._wanted(each.kernel)]
        due = [each for each in due if self._due("counted", _counted_identity(each))]
        for start in range(0, len(due), BATCH):
            batch = due[start : start + BATCH]
            if self._time_left() <= 0:
                self.left += len(due) - start
                break
            try:
                found, failed = profiler.profile(ncu, self.arch, batch, max(self._time_left(), 60))
            except profiler.ProfilerFailed as problem:
                self._failed("counters", str(problem))
                return
            self._add_counted(batch, found, failed)
            self.recording.document["about"]["profiler"] = f"Nsight Compute {profiler.version(ncu)}"
            self.recording.write(self.path)

    def _add_counted(
        self,
        batch: Sequence[launches.Launch],
        found: dict[int, profiler.Profile],
        failed: dict[int, str],
    ) -> None:
        document = self.recording.document
        document["metrics"] = list(profiler.COUNTED)
        for index, profile in found.items():
            entry = _counted_identity(batch[index]) | _counted(profile)
            self._add("counted", entry, f"counters of {batch[index]}")
            self._tell(f"{batch[index]}: counted")
        for index, why in failed.items():
            self._failed(f"counters of {batch[index]}", why)

    # Whether, and telling

    def _wanted(self, name: str) -> bool:
        return fnmatch(name, self.options.kernels)

    def _due(self, section: str, identity: Entry) -> bool:
        """Whether an entry is to be made now: it is not there yet, and there is time."""
        if not self.options.again and self.recording.has(section, identity):
            self.kept += 1
            return False
        if self._time_left() <= 0:
            self.left += 1
            return False
        return True

    def _time_left(self) -> float:
        return self.options.minutes * 60 - (time.monotonic() - self.began)

    def _add(self, section: str, entry: Entry, what: str) -> None:
        """Keep an entry; an earlier failure of the same is forgotten."""
        self.recording.add(section, entry)
        failures = self.recording.document["failures"]
        self.recording.document["failures"] = [each for each in failures if each["what"] != what]
        self.done += 1

    def _failed(self, what: str, why: str) -> None:
        self.failed += 1
        self.recording.add("failures", {"what": what, "why": why[:500]})
        self._tell(f"{what}: FAILED, {why}")

    def _tell(self, text: str) -> None:
        print(f"[{time.monotonic() - self.began:5.0f} s, {self.done:3} done] {text}", flush=True)


class About:
    """The job that says what is recorded on, and with what."""

    def run(self) -> Entry:
        """What a recording is about, and `arch` besides."""
        import cupy

        gpu, driver = devices.gpu(), machine.nvidia_driver()
        assert driver is not None
        return {
            "arch": gpu.arch,
            "gpu": gpu.name,
            "compute_capability": gpu.compute_capability,
            "driver": machine.nvml()[0],
            "cuda": ".".join(map(str, driver.cuda)),
            "nvrtc": compiler.version(),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "libraries": {"CuPy": cupy.__version__, **_versions()},
        }


def _versions() -> dict[str, str]:
    """Those of the libraries that are timed, as numbers of their own."""
    import cupy
    from cupy_backends.cuda.libs import cublas, cusparse

    device = cupy.cuda.device
    optional: dict[str, str] = {}
    for name, package in (("nvmath-python", "nvmath-python"), ("PyTorch", "torch")):
        with contextlib.suppress(metadata.PackageNotFoundError):
            optional[name] = metadata.version(package)
    return optional | {
        "cuBLAS": str(cublas.getVersion(device.get_cublas_handle())),
        "cuSPARSE": str(cusparse.getVersion(device.get_cusparse_handle())),
    }


def _counted_identity(launch: launches.Launch) -> Entry:
    return {
        "kernel": launch.kernel,
        "source": launch.digest,
        "tunables": dict(launch.tunables),
        "sizes": dict(launch.sizes),
    }


def _counted(profile: profiler.Profile) -> Entry:
    """What a launch counted: one number where its repetitions agree, and else the range."""
    if len(set(profile.results)) > 1:
        raise RecordingError("a launch that is to be counted gives another result each time")
    values: list[int | list[int]] = []
    for name in profiler.COUNTED:
        seen = profile.metrics[name]
        values.append(seen[0] if len(set(seen)) == 1 else [min(seen), max(seen)])
    entry: Entry = {"values": values, "result": profile.results[0]}
    if profile.lines:
        entry["lines"] = {str(line): counts for line, counts in profile.lines.items()}
    return entry


@contextlib.contextmanager
def clocks(every_seconds: float = 1.0) -> Iterator[dict[str, list[int]]]:
    """Least and most of the GPU's clocks, in megahertz, while this is entered; empty without nvidia-smi."""
    seen: dict[str, list[int]] = {}
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(seen, ended, every_seconds), daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        ended.set()
        watcher.join()


def _watch(
    seen: dict[str, list[int]],
    ended: threading.Event,
    every_seconds: float,
    ask: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run,
) -> None:
    command = ["nvidia-smi", "--query-gpu=clocks.sm,clocks.mem", "--format=csv,noheader,nounits", "-i", "0"]
    while not ended.wait(every_seconds):
        try:
            told = ask(command, capture_output=True, text=True, timeout=10, check=True).stdout
            numbers = [int(number) for number in told.split(",")]
        except (OSError, ValueError, subprocess.SubprocessError):
            return
        for name, number in zip(("sm", "memory"), numbers, strict=False):
            least, most = seen.get(name, (number, number))
            seen[name] = [min(least, number), max(most, number)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
