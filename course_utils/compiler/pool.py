"""The parent's side of the NVRTC worker: start it, ask it, and kill it when it must end.

Each worker process has one thread of this process that starts it, writes to it and reads from it; the caller
only waits on a queue. So a caller can be interrupted at any moment, while the worker starts as well, on POSIX
and on Windows alike (where a blocked read of a pipe cannot be). An interrupted, cancelled or overdue compile
costs its worker; a new one starts.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from . import toolchain
from .errors import Cancelled, CompilerFailed
from .worker import pack, read_frame, write_all

MEMORY_BYTES = 2 << 30  # beyond what NVRTC's libraries map; enforced on Linux
START_SECONDS = 60.0  # a cold disk, a virus scanner
_POLL_SECONDS = 0.02
# A superseded compile is left to finish for this long: an ordinary one does, and then costs no new worker.
_GRACE_SECONDS = 0.2
_MOST = 2


class _Died(Exception):
    """The process ended, with Popen's returncode, or could not be started (None)."""

    def __init__(self, returncode: int | None, reason: str = "") -> None:
        super().__init__(returncode, reason)
        self.returncode = returncode
        self.reason = reason


class Worker:
    """One child process and the thread that talks to it."""

    def __init__(self, memory_bytes: int) -> None:
        self.confinement = ""
        self.ready = threading.Event()
        self._memory = memory_bytes
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False
        self._lock = threading.Lock()
        self._requests: queue.SimpleQueue[tuple[list[bytes], queue.SimpleQueue[object]]] = queue.SimpleQueue()
        self._failure: _Died | None = None
        self._thread = threading.Thread(target=self._serve, name="nvrtc-worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        return (
            self._failure is None
            and not self._killed
            and (self._process is None or self._process.poll() is None)
        )

    def ask(self, fields: list[bytes]) -> queue.SimpleQueue[object]:
        """Send a request; the queue gets the answer's fields, or a _Died."""
        answer: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._requests.put((fields, answer))
        return answer

    def kill(self) -> None:
        with self._lock:
            self._killed = True
            if self._process:
                with contextlib.suppress(OSError):
                    self._process.kill()
        self._requests.put(([], queue.SimpleQueue()))  # wakes the thread, which then finds the process gone

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def forget(self) -> None:
        """In a forked child: let go of the parent's worker without touching it."""
        if self._process:
            self._process.returncode = 0  # not this process's child, so nothing to wait for
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()

    def _start(self) -> subprocess.Popen[bytes]:
        tools = toolchain.find()
        folders = [tools.library.parent, *toolchain.include_folders()]
        command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("worker.py")), str(tools.library)]
        command += [str(os.getpid()), str(self._memory), *map(str, folders)]
        # A session of its own: the terminal's Ctrl-C and the notebook's interrupt reach this process only.
        group = (
            {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
            if sys.platform == "win32"
            else {"start_new_session": True}
        )
        # NVRTC takes flags from variables of its own (NVRTC_APPEND_FLAGS); counts must not depend on them.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("NVRTC_", "EDG_"))}
        with self._lock:
            if self._killed:
                raise _Died(None, "it was stopped")
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=toolchain.WORKING_FOLDER,
                env=environment | {"LC_ALL": "C"},
                **group,
            )
            return self._process

    def _serve(self) -> None:
        process = None
        try:
            process = self._start()
            greeting = read_frame(process.stdout.fileno())
            if greeting[0] != b"ready":
                raise _Died(None, greeting[1].decode("utf-8", "replace"))
            self.confinement = greeting[1].decode()
            self.ready.set()
        except Exception as error:
            self._failure = self._end(process, error)
        while True:
            fields, answer = self._requests.get()
            if self._failure is None:
                try:
                    if self._killed:
                        raise EOFError
                    write_all(process.stdin.fileno(), pack(fields))
                    answer.put(read_frame(process.stdout.fileno()))
                    continue
                except Exception as error:
                    self._failure = self._end(process, error)
            answer.put(self._failure)
            if self._killed:
                return

    def _end(self, process: subprocess.Popen[bytes] | None, error: Exception) -> _Died:
        if process is None:
            return error if isinstance(error, _Died) else _Died(None, str(error))
        if not isinstance(error, (EOFError, OSError)):
            process.kill()
        process.stdin.close()
        code = process.wait()
        process.stdout.close()
        return error if isinstance(error, _Died) else _Died(code)


class Pool:
    """Up to two workers, started when needed and kept warm."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self.memory_bytes = memory_bytes
        self._reset()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def warm(self) -> None:
        """Start a worker in the background, if none is there."""
        with self._lock:
            if not any(worker.alive for worker in self._idle) and not self._busy:
                self._idle.append(Worker(self.memory_bytes))

    def run(
        self, fields: list[bytes], what: str, seconds: float, cancelled: Callable[[], bool] | None
    ) -> list[bytes]:
        """One request's answer. `what` names the source in the words of CompilerFailed. Raises Cancelled."""
        token = object()
        worker, done = None, False
        try:
            worker = self._take(token, cancelled)
            answer = _wait(worker, worker.ask(fields), what, seconds, self.memory_bytes, cancelled)
            done = True
            return answer
        finally:
            self._release(token, keep=done)
            if worker is not None and not done:
                self.warm()

    def close(self) -> None:
        """End all workers. The next compile starts a new one."""
        with self._lock:
            workers = [*self._idle, *self._busy.values()]
            self._idle.clear()
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join(1.0)

    def confinement(self) -> str:
        """What confines the idle workers beyond the scan of includes: "landlock", or nothing."""
        with self._lock:
            return self._idle[-1].confinement if self._idle else ""

    def pids(self) -> list[int]:
        """The process ids of the workers that run, for tests and `doctor`."""
        with self._lock:
            return [
                worker.pid for worker in (*self._idle, *self._busy.values()) if worker.alive and worker.pid
            ]

    def _take(self, token: object, cancelled: Callable[[], bool] | None) -> Worker:
        while True:
            if cancelled and cancelled():
                raise Cancelled
            with self._lock:
                while self._idle:
                    worker = self._idle.pop()
                    if worker.alive:
                        self._busy[token] = worker
                        return worker
                    worker.kill()
                if len(self._busy) < _MOST:
                    self._busy[token] = Worker(self.memory_bytes)
                    return self._busy[token]
            time.sleep(_POLL_SECONDS)

    def _release(self, token: object, keep: bool) -> None:
        with self._lock:
            worker = self._busy.pop(token, None)
            if worker is not None:
                if keep:
                    self._idle.append(worker)
                else:
                    worker.kill()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: dict[object, Worker] = {}

    def _after_fork(self) -> None:
        workers = [*self._idle, *self._busy.values()]
        self._reset()
        for worker in workers:
            worker.forget()


def _wait(
    worker: Worker,
    answer: queue.SimpleQueue[object],
    what: str,
    seconds: float,
    memory: int,
    cancelled: Callable[[], bool] | None,
) -> list[bytes]:
    deadline = time.monotonic() + START_SECONDS
    running, unwanted = False, None
    while True:
        with contextlib.suppress(queue.Empty):
            result = answer.get(timeout=_POLL_SECONDS)
            if isinstance(result, _Died):
                raise CompilerFailed(_obituary(result, what, memory), [], what)
            return result
        now = time.monotonic()
        if not running and worker.ready.is_set():
            running, deadline = True, now + seconds
        if unwanted is None and cancelled and cancelled():
            unwanted = now
        if unwanted is not None and now - unwanted > _GRACE_SECONDS:
            raise Cancelled
        if now > deadline:
            raise CompilerFailed(
                f"NVRTC did not finish {what} within {seconds:g} s and was stopped; look for a template or a "
                "constant expression that never ends."
                if running
                else f"NVRTC did not start within {START_SECONDS:g} s.",
                [],
                what,
            )


def _obituary(died: _Died, what: str, memory: int) -> str:
    if died.returncode is None:
        return f"NVRTC could not be started: {died.reason}"
    code = died.returncode
    how = f"exit code {code:#x}" if code >= 0 else f"signal {-code}"
    if -code in {*signal.Signals}:
        how = signal.Signals(-code).name
    text = f"NVRTC crashed while compiling {what} ({how}): the source made the compiler itself fail."
    if sys.platform == "linux":
        text += f" A source that needs more than {memory / 2**30:g} GB of memory can end so as well."
    return text
