"""What NVIDIA's compute-sanitizer says of the planted faults, on a real GPU.

    python -m tests.simulator.faults.sanitizer RESULTS.json [--jobs 12] [--seconds 20] [--only WORD]

It needs an NVIDIA GPU and compute-sanitizer on PATH. Every fault and every repaired kernel is compiled for
the GPU with line information, then launched under each of the four tools and once without a tool, each time
in a process of its own that is ended after some seconds, since hangs are among the faults. RESULTS.json is
written again after every run; what it holds already is not run again, so the script can be stopped and
started.

    {"setup": {"gpu", "arch", "driver", "sanitizer", "date"},
     "faults": {"memory/null_mask": {"faulty": {TOOL: OUTCOME}, "repaired": {TOOL: OUTCOME}}}}

TOOL is memcheck, racecheck, initcheck, synccheck or "none". OUTCOME: found (whether the tool reported
anything), reports (the first line of each kind of report and how often), lines (source lines named),
right_line (one of them is marked in the fault), hang (it ran out of time), seconds, problem (what went wrong
with the launch itself), and without a tool also right (whether the values are NumPy's).
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from course_utils import compiler

from .corpus import FAULTS
from .fault import HERE, Fault, Fresh, Launch

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
NO_TOOL = "none"
# In the tools' favour: room between buffers, so that one's overrun is not the next one's element; all races.
OPTIONS = {"memcheck": ("--padding", "512"), "racecheck": ("--racecheck-report", "all")}
PROGRAM = HERE / "gpu_launch.py"
REPORTS_KEPT = 5
_REPORT = re.compile(r"^=+ (?! )(\S.*)$", re.MULTILINE)
# Said by every tool, of itself or of errors that the driver reports to any program.
_NO_REPORT = re.compile(
    r"COMPUTE-SANITIZER|(?:ERROR|RACECHECK|LEAK) SUMMARY|Program hit |Target application|This tool "
    r"|Error: (?!Race|Potential)|Warning: (?!Race|Potential|\(Warp)|Internal Sanitizer"
)


def read_report(text: str, source: str, marked: Sequence[int] = ()) -> dict[str, object]:
    """What a tool's output says: the keys found, reports, lines, right_line and problem of an OUTCOME."""
    heads = _REPORT.findall(text)
    reports = Counter(_plain(head) for head in heads if not _NO_REPORT.match(head))
    problems = [
        head for head in heads if re.match(r"Program hit |Internal Sanitizer|Error: (?!Race|Potential)", head)
    ]
    lines = sorted({int(number) for number in re.findall(rf"\b{re.escape(source)}:(\d+)", text)})
    return {
        "found": bool(reports),
        "reports": dict(reports.most_common(REPORTS_KEPT)),
        "lines": lines,
        "right_line": bool(reports) and bool({*lines} & {*marked}),
        "problem": problems[0] if problems else "",
    }


def _plain(head: str) -> str:
    """A report's first line without what differs from one thread to the next."""
    return re.sub(r" ?\+?0x[0-9a-f]+|\[\d+ hazards\]| in block \([^)]*\) ?:?", "", head).strip()


def prepared(fault: Fault, repaired: bool, arch: str) -> dict[str, object]:
    """What gpu_launch.py needs, with the kernel compiled. Raises CompileError."""
    launch = fault.launch(repaired)
    expressions = [launch.kernel] if launch.kernel.endswith(">") else []
    made = compiler.compile(
        fault.source(repaired), arch=arch, name=fault.path(repaired).name, expressions=expressions
    )
    return {
        "cubin": made.cubin,
        "kernel": made.lowered_names.get(launch.kernel, launch.kernel),
        "grid": _three(launch.grid),
        "block": _three(launch.block),
        "shared_bytes": launch.shared_bytes,
        "cooperative": launch.cooperative,
        "symbols": {name: value.tobytes() for name, value in launch.symbols.items()},
        "args": [_argument(each) for each in launch.args],
    }


def _three(size: int | tuple[int, ...]) -> tuple[int, ...]:
    given = size if isinstance(size, tuple) else (size,)
    return given + (1,) * (3 - len(given))


def _argument(argument: object) -> tuple[str, object]:
    if argument is None:
        return "value", bytes(8)
    if isinstance(argument, Fresh):
        return "fresh", np.empty(argument.shape, argument.dtype).nbytes
    if isinstance(argument, np.ndarray):
        return "buffer", argument.tobytes()
    if isinstance(argument, np.generic):
        return "value", argument.tobytes()
    raise TypeError(f"{argument!r} has no size of its own: use a NumPy scalar")


def is_right(launch: Launch, left: Sequence[bytes | None]) -> bool:
    """Whether the buffers hold what NumPy computed."""
    for place, expected in launch.expected.items():
        argument = launch.args[place]
        data = left[place]
        if not isinstance(argument, (np.ndarray, Fresh)) or data is None:
            raise TypeError(f"argument {place} is no buffer")
        found = np.frombuffer(data, argument.dtype)
        wanted = np.ravel(expected)
        if found.dtype.kind == "f":
            if not np.allclose(found, wanted, rtol=1e-5, atol=1e-6):
                return False
        elif not np.array_equal(found, wanted):
            return False
    return True


class Session:
    """All runs of one call: compiled launches in `folder`, outcomes in `path`."""

    def __init__(self, path: Path, folder: Path, seconds: float) -> None:
        self.path, self.folder, self.seconds = path, folder, seconds
        self.results: dict = json.loads(path.read_text()) if path.exists() else {"setup": {}, "faults": {}}
        self._lock = threading.Lock()

    def set_up(self) -> str:
        """Note the GPU and the tool; the GPU's architecture. Raises SystemExit where one is missing, or the
        results are another GPU's."""
        if shutil.which("compute-sanitizer") is None:
            raise SystemExit("compute-sanitizer is not on PATH; it comes with the CUDA Toolkit")
        described = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True)
        if described.returncode:
            raise SystemExit(f"no GPU answers: {described.stdout}{described.stderr}".strip())
        arch, driver, gpu = described.stdout.strip().split(" ", 2)
        version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout
        found = re.search(r"[Vv]ersion ([\d.]+)", version)
        setup = {
            "gpu": gpu,
            "arch": arch,
            "driver": driver,
            "sanitizer": found[1] if found else "?",
            "date": datetime.date.today().isoformat(),
        }
        known = self.results["setup"]
        if known and known["gpu"] != gpu:
            raise SystemExit(f"{self.path} holds the results of another GPU: {known['gpu']}, this is {gpu}")
        self.results["setup"] = known or setup
        return arch

    def jobs(self, faults: Sequence[Fault]) -> list[tuple[Fault, bool, str]]:
        """What is still to be run."""
        return [
            (fault, repaired, tool)
            for fault in faults
            for repaired in (False, True)
            for tool in (*TOOLS, NO_TOOL)
            if tool not in self._outcomes(fault, repaired)
        ]

    def compile(self, faults: Sequence[Fault], arch: str) -> None:
        for fault in faults:
            for repaired in (False, True):
                self._launch_file(fault, repaired).write_bytes(pickle.dumps(prepared(fault, repaired, arch)))

    def run(self, fault: Fault, repaired: bool, tool: str) -> str:
        """One run; a line that says how it went. Whatever happens becomes an outcome."""
        start = time.monotonic()
        try:
            outcome = self._run(fault, repaired, tool)
        except Exception as problem:
            outcome = {"found": False, "hang": False, "problem": f"{type(problem).__name__}: {problem}"}
        outcome["seconds"] = round(time.monotonic() - start, 1)
        with self._lock:
            self._outcomes(fault, repaired)[tool] = outcome
            self._save()
        told = "hang" if outcome["hang"] else "found" if outcome["found"] else "nothing found"
        if tool == NO_TOOL and "right" in outcome:
            told = "values right" if outcome["right"] else "values wrong"
        return f"{fault} {'repaired' if repaired else 'faulty'} {tool}: {told} {outcome['problem']}".rstrip()

    def _run(self, fault: Fault, repaired: bool, tool: str) -> dict:
        command = [sys.executable, str(PROGRAM), str(self._launch_file(fault, repaired))]
        left = self.folder / f"{fault}-{repaired}.left"
        if tool == NO_TOOL:
            command.append(str(left))
        else:
            command = [
                "compute-sanitizer",
                "--tool",
                tool,
                "--show-backtrace",
                "no",
                *OPTIONS.get(tool, ()),
                *command,
            ]

        code, text = limited(command, self.folder, self.seconds)
        source = fault.path(repaired).name
        outcome = read_report(text, source, () if repaired else sorted(fault.marked)) | {"hang": code is None}
        if code and not outcome["problem"] and not outcome["found"]:
            outcome["problem"] = text.strip().splitlines()[-1] if text.strip() else f"ended with {code}"
        if tool == NO_TOOL and code == 0 and (launch := fault.launch(repaired)).expected:
            outcome["right"] = is_right(launch, pickle.loads(left.read_bytes()))
        return outcome

    def _launch_file(self, fault: Fault, repaired: bool) -> Path:
        return self.folder / f"{fault}-{repaired}.launch"

    def _outcomes(self, fault: Fault, repaired: bool) -> dict:
        entry = self.results["faults"].setdefault(
            f"{fault.kind}/{fault.name}", {"faulty": {}, "repaired": {}}
        )
        return entry["repaired" if repaired else "faulty"]

    def _save(self) -> None:
        draft = self.path.with_suffix(".draft")
        draft.write_text(json.dumps(self.results, indent=1, sort_keys=True) + "\n")
        draft.replace(self.path)


def limited(command: Sequence[str], folder: Path, seconds: float) -> tuple[int | None, str]:
    """(exit status, output) of a command; status None: it, and all that it had started, was ended after some
    seconds."""
    with tempfile.TemporaryFile("w+", dir=folder, errors="replace") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
        output.seek(0)
        return code, output.read()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--jobs", type=int, default=12, help="processes at the same time")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of each process")
    parser.add_argument("--only", default="", help="faults whose kind and name contain this")
    given = parser.parse_args(arguments)
    faults = [fault for fault in FAULTS if given.only in str(fault)]
    with tempfile.TemporaryDirectory() as folder:
        session = Session(given.results, Path(folder), given.seconds)
        arch = session.set_up()
        jobs = session.jobs(faults)
        session.compile(faults, arch)
        print(f"{len(jobs)} runs", flush=True)
        with ThreadPoolExecutor(given.jobs) as pool:
            waiting = [pool.submit(session.run, *job) for job in jobs]
            for number, each in enumerate(as_completed(waiting), 1):
                print(f"{number}/{len(jobs)} {each.result()}", flush=True)
    print(summary(session.results))


def summary(results: Mapping) -> str:
    """How many faults each tool reported, and how many repaired kernels."""
    lines = []
    for tool in TOOLS:
        counts = [
            sum(bool(entry[which].get(tool, {}).get("found")) for entry in results["faults"].values())
            for which in ("faulty", "repaired")
        ]
        lines.append(f"{tool}: {counts[0]} of {len(results['faults'])} faults, {counts[1]} repaired kernels")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
