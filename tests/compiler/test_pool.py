"""Interrupts, time, memory, crashes: each costs the worker, never this process."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from course_utils import compiler
from course_utils.compiler import pool, program, toolchain

QUICK = 'extern "C" __global__ void k(int *a) { a[0] = VALUE; }\n'
# 2^24 instantiations: minutes of work, or more memory than a worker may have.
SLOW = """template <int N, int M> struct Sum {
    static constexpr int v = Sum<N - 1, 2 * M>::v + Sum<N - 1, 2 * M + 1>::v;
};
template <int M> struct Sum<0, M> { static constexpr int v = 1; };
extern "C" __global__ void k(int *a) { a[0] = Sum<24, 0>::v; }
"""
posix = pytest.mark.skipif(os.name != "posix", reason="uses POSIX signals")


@pytest.fixture
def own_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[pool.Pool]:
    made = pool.Pool()
    monkeypatch.setattr(program, "_POOL", made)
    yield made
    made.close()


def quick(value: int) -> compiler.Compiled:
    return compiler.compile(QUICK, defines={"VALUE": value})


def wait_for_worker(made: pool.Pool) -> int:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if pids := made.pids():
            return pids[0]
        time.sleep(0.01)
    raise AssertionError("no worker started")


def test_time_limit(own_pool: pool.Pool) -> None:
    start = time.monotonic()
    with pytest.raises(compiler.CompilerFailed, match=r"did not finish slow\.cu within 0\.5 s"):
        compiler.compile(SLOW, name="slow.cu", time_limit=0.5)
    assert time.monotonic() - start < 3
    assert "k" in quick(1).resources


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is enforced on Linux")
def test_memory_limit(own_pool: pool.Pool) -> None:
    own_pool.memory_bytes = 192 << 20
    with pytest.raises(
        compiler.CompilerFailed, match=r"ran out of memory on slow\.cu: it may use 0\.1875 GB"
    ):
        compiler.compile(SLOW, name="slow.cu")
    assert "k" in quick(1).resources


@posix
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_a_crash_while_compiling_is_named(own_pool: pool.Pool, number: signal.Signals) -> None:
    quick(0)
    pid = wait_for_worker(own_pool)
    threading.Timer(0.3, os.kill, (pid, number)).start()
    with pytest.raises(compiler.CompilerFailed, match=rf"crashed while compiling slow\.cu \({number.name}\)"):
        compiler.compile(SLOW, name="slow.cu")
    assert "k" in quick(1).resources
    assert wait_for_worker(own_pool) != pid


@posix
def test_a_worker_that_died_idle_is_replaced(own_pool: pool.Pool) -> None:
    quick(0)
    pid = wait_for_worker(own_pool)
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while own_pool.pids() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert own_pool.pids() == []
    assert "k" in quick(1).resources


def test_a_compile_no_longer_wanted_ends(own_pool: pool.Pool) -> None:
    quick(0)
    start = time.monotonic()
    with pytest.raises(compiler.Cancelled):
        compiler.compile(SLOW, cancelled=lambda: time.monotonic() - start > 0.3)
    assert 0.3 < time.monotonic() - start < 2
    assert "k" in quick(1).resources


def test_a_compile_never_wanted_does_not_start(own_pool: pool.Pool) -> None:
    with pytest.raises(compiler.Cancelled):
        compiler.compile(QUICK, defines={"VALUE": 1}, cancelled=lambda: True)
    assert own_pool.pids() == []


def test_threads_share_the_workers(own_pool: pool.Pool) -> None:
    with ThreadPoolExecutor(6) as threads:
        made = list(threads.map(quick, range(100, 118)))
    assert all(f", {100 + i};" in one.ptx for i, one in enumerate(made))
    assert 1 <= len(own_pool.pids()) <= 2


def test_warm_starts_a_worker_that_the_first_compile_uses(own_pool: pool.Pool) -> None:
    compiler.warm()
    pid = wait_for_worker(own_pool)
    compiler.warm()
    quick(1)
    assert own_pool.pids() == [pid]


def test_close_ends_the_worker_and_the_next_compile_starts_one(own_pool: pool.Pool) -> None:
    quick(1)
    pid = wait_for_worker(own_pool)
    compiler.close()
    assert own_pool.pids() == []
    quick(2)
    assert wait_for_worker(own_pool) != pid


def test_a_library_that_does_not_load_is_said(
    own_pool: pool.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "libnvrtc.so.12"
    broken.write_bytes(b"no library")
    tools = dataclasses.replace(toolchain.find(), library=broken)
    monkeypatch.setattr(toolchain, "find", lambda: tools)
    with pytest.raises(compiler.CompilerFailed, match="NVRTC could not be started: OSError"):
        quick(1)


def test_flags_in_the_environment_do_not_reach_nvrtc(
    own_pool: pool.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NVRTC_APPEND_FLAGS", "-DVALUE=5")
    with pytest.raises(compiler.CompileError, match='identifier "VALUE" is undefined'):
        compiler.compile(QUICK)


def child(code: str, **arguments: object) -> subprocess.Popen[str]:
    header = (
        "import os, signal, sys, time, threading\n"
        "from course_utils import compiler\nfrom course_utils.compiler import program\n"
        f"QUICK = {QUICK!r}\nSLOW = {SLOW!r}\n"
    )
    command = [sys.executable, "-W", "error", "-c", header + code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **arguments)


# An interrupt may fall between open() and the `with` that closes the file. Python closes it then, and warns.
INTERRUPTED = """
import warnings
warnings.simplefilter("ignore", ResourceWarning)
if WARM:
    compiler.compile(QUICK, defines={"VALUE": 0})
try:
    print("go", flush=True)
    compiler.compile(SLOW)
except KeyboardInterrupt:
    print("interrupted", flush=True)
warnings.simplefilter("error", ResourceWarning)
compiler.compile(QUICK, defines={"VALUE": 1})
print("usable", flush=True)
"""


@posix
@pytest.mark.parametrize(
    ("warm", "delay"), [(True, 0.3), (False, 0.0), (False, 0.03), (False, 0.1), (False, 0.5)]
)
def test_an_interrupt_ends_a_compile_within_a_second(warm: bool, delay: float) -> None:
    # To the whole process group, as a terminal and Jupyter send it; also while the first worker starts.
    process = child(INTERRUPTED.replace("WARM", str(warm)), start_new_session=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(delay)
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 1
    assert process.stdout.readline() == "usable\n"
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 0)
            # A zombie that nobody has reaped yet has ended all the same.
            stat = Path(f"/proc/{pid}/stat")
            if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.02)
                continue
        return True
    return False


@posix
@pytest.mark.parametrize("source", ["QUICK", "SLOW"])
def test_the_worker_dies_with_its_parent(source: str) -> None:
    code = (
        "compiler.compile(QUICK, defines={'VALUE': 0})\nprint(program._POOL.pids()[0], flush=True)\n"
        f"compiler.compile({source}, defines={{'VALUE': 0}})\ntime.sleep(60)"
    )
    process = child(code)
    pid = int(process.stdout.readline())
    time.sleep(0.2)
    process.kill()
    process.communicate()
    assert gone(pid)


@posix
def test_a_thread_that_ends_does_not_take_its_worker_along() -> None:
    code = (
        "thread = threading.Thread(target=lambda: compiler.compile(QUICK, defines={'VALUE': 0}))\n"
        "thread.start(); thread.join(); first = program._POOL.pids(); time.sleep(0.3)\n"
        "compiler.compile(QUICK, defines={'VALUE': 1})\nprint(first == program._POOL.pids())"
    )
    output, errors = child(code).communicate(timeout=30)
    assert (output, errors) == ("True\n", "")


@posix
def test_a_forked_child_compiles_with_a_worker_of_its_own() -> None:
    code = (
        "compiler.compile(QUICK, defines={'VALUE': 0}); before = program._POOL.pids()\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "pid = os.fork()\n"
        "compiler.compile(QUICK, defines={'VALUE': 1})\n"
        "same = program._POOL.pids() == before\n"
        "if pid == 0: os._exit(same)\n"
        "print(os.waitpid(pid, 0)[1], same)"
    )
    output, errors = child(code).communicate(timeout=30)
    assert (output, errors) == ("0 True\n", "")


def test_leaving_python_during_a_compile_is_quiet() -> None:
    code = (
        "def run():\n"
        "    try: compiler.compile(SLOW)\n"
        "    except compiler.CompilerFailed: pass\n"
        "threading.Thread(target=run, daemon=True).start()\ntime.sleep(0.4)"
    )
    start = time.monotonic()
    process = child(code)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (0, "", "")
    assert time.monotonic() - start < 8
