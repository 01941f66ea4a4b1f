"""A process that runs jobs on the GPU, so that a kernel which breaks it, or never ends, costs one job."""

from __future__ import annotations

import multiprocessing
import sys
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from ..devices import GpuLost
from ..simulator import Hang
from .jobs import Job
from .recording import Entry


class JobFailed(Exception):
    """A job did not give its entry; the text says why."""


class Worker:
    """Runs one job after another in a process, which is started anew where a job broke it."""

    def __init__(self, time_limit: float) -> None:
        self.time_limit = time_limit
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def run(self, job: Job) -> Entry:
        """The job's entry. Raises JobFailed, also after `time_limit` seconds without an answer."""
        pipe = self._start()
        try:
            pipe.send(job)
            if not pipe.poll(self.time_limit):
                self.stop()
                raise JobFailed(f"no answer within {self.time_limit:g} s, so its process was ended")
            entry, problem, lost = pipe.recv()
        except (EOFError, OSError):
            code = self._code()
            self.stop()
            raise JobFailed(f"its process ended by itself (exit code {code})") from None
        if lost:
            self.stop()
        if problem:
            raise JobFailed(problem)
        return entry

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _start(self) -> Connection:
        if self._process is None or self._pipe is None:
            context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
            self._pipe, there = context.Pipe()
            self._process = context.Process(target=serve, args=(there,), daemon=True)
            self._process.start()
            there.close()
        return self._pipe

    def _code(self) -> int | None:
        assert self._process is not None
        self._process.join(5)
        return self._process.exitcode


def serve(pipe: Connection) -> None:
    """Run jobs that arrive until there are no more: an entry, or a problem and whether the GPU is lost."""
    while True:
        try:
            job = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            sys.exit(0)
        try:
            answer = job.run(), "", False
        except Exception as error:  # whatever it is, it is told, and the other jobs go on
            answer = None, f"{type(error).__name__}: {error}", isinstance(error, GpuLost | Hang)
        pipe.send(answer)
