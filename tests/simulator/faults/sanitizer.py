"""What NVIDIA's compute-sanitizer says of the planted faults, on a real GPU.

    python -m tests.simulator.faults.sanitizer compile LAUNCHES [--arch sm_90]
    python -m tests.simulator.faults.sanitizer run LAUNCHES RESULTS.json [--jobs 12] [--seconds 20]

The first command compiles every fault and every repaired kernel, with line information, for a GPU's
architecture, and writes each with its arguments to the folder LAUNCHES. It needs the course's packages and no
GPU. The second one needs an NVIDIA GPU, compute-sanitizer on PATH and Python (with NumPy it also says whether
values are right). It launches each file under each of the four tools and once without a tool, each time in a
process of its own that is ended after some seconds, since hangs are among the faults. RESULTS.json is written
again after every run; what it holds already is not run again, so the command can be stopped and started.

    {"setup": {"gpu", "arch", "driver", "sanitizer", "date"},
     "faults": {"memory/null_mask": {"faulty": {TOOL: OUTCOME}, "repaired": {TOOL: OUTCOME}}}}

TOOL is memcheck, racecheck, initcheck, synccheck or "none". OUTCOME: found (whether the tool reported
anything), reports (the first line of each kind of report and how often), lines (source lines named),
right_line (one of them is marked in the fault), hang (it ran out of time), seconds, problem (what went wrong
with the launch itself), and without a tool also right (whether the values are NumPy's).
"""

# Whatever the second command does not need is imported where the first one uses it.
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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .fault import Fault

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
NO_TOOL = "none"
# In the tools' favour: room between buffers, so that one's overrun is not the next one's element; all races.
OPTIONS = {"memcheck": ("--padding", "512"), "racecheck": ("--racecheck-report", "all")}
PROGRAM = Path(__file__).parent / "gpu_launch.py"
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


# Compiling


def write_launches(folder: Path, arch: str) -> None:
    """Compile all faults and their repaired kernels into a folder, one file each."""
    from .corpus import FAULTS

    folder.mkdir(parents=True, exist_ok=True)
    for fault in FAULTS:
        for repaired in (False, True):
            which = "repaired" if repaired else "faulty"
            path = folder / f"{fault.kind}.{fault.name}.{which}.launch"
            path.write_bytes(pickle.dumps(prepared(fault, repaired, arch)))


def prepared(fault: Fault, repaired: bool, arch: str) -> dict:
    """What gpu_launch.py and the second command need, as plain data. Raises CompileError."""
    from course_utils import compiler

    launch = fault.launch(repaired)
    expressions = [launch.kernel] if launch.kernel.endswith(">") else []
    made = compiler.compile(
        fault.source(repaired), arch=arch, name=fault.path(repaired).name, expressions=expressions
    )
    return {
        "arch": arch,
        "cubin": made.cubin,
        "kernel": made.lowered_names.get(launch.kernel, launch.kernel),
        "grid": _three(launch.grid),
        "block": _three(launch.block),
        "shared_bytes": launch.shared_bytes,
        "cooperative": launch.cooperative,
        "symbols": {name: value.tobytes() for name, value in launch.symbols.items()},
        "args": [_argument(each) for each in launch.args],
        "expected": {place: _expected(launch.args[place], right) for place, right in launch.expected.items()},
        "source": fault.path(repaired).name,
        "marked": [] if repaired else sorted(fault.marked),
    }


def _three(size: int | tuple[int, ...]) -> tuple[int, ...]:
    given = size if isinstance(size, tuple) else (size,)
    return given + (1,) * (3 - len(given))


def _argument(argument: object) -> tuple[str, object]:
    import numpy as np

    from .fault import Fresh

    if argument is None:
        return "value", bytes(8)
    if isinstance(argument, Fresh):
        return "fresh", np.empty(argument.shape, argument.dtype).nbytes
    if isinstance(argument, np.ndarray):
        return "buffer", argument.tobytes()
    if isinstance(argument, np.generic):
        return "value", argument.tobytes()
    raise TypeError(f"{argument!r} has no size of its own: use a NumPy scalar")


def _expected(buffer: object, right: object) -> tuple[str, bytes]:
    """Type and bytes of what a buffer should hold."""
    import numpy as np

    kind = np.dtype(buffer.dtype)  # type: ignore[attr-defined]
    return kind.str, np.asarray(right).astype(kind).tobytes()


# Running


def is_right(expected: Mapping[int, tuple[str, bytes]], left: Sequence[bytes | None]) -> bool:
    """Whether the buffers hold what NumPy computed. Raises ImportError where there is no NumPy."""
    import numpy as np

    for place, (kind, data) in expected.items():
        right, found = np.frombuffer(data, kind), np.frombuffer(left[place] or b"", kind)
        if right.size != found.size:
            return False
        if right.dtype.kind == "f":
            if not np.allclose(found, right, rtol=1e-5, atol=1e-6):
                return False
        elif found.tobytes() != data:
            return False
    return True


class Session:
    """All runs of one call: launches from `folder`, outcomes to `path`."""

    def __init__(self, folder: Path, path: Path, seconds: float) -> None:
        self.folder, self.path, self.seconds = folder, path, seconds
        self.results: dict = json.loads(path.read_text()) if path.exists() else {"setup": {}, "faults": {}}
        self._lock = threading.Lock()

    def set_up(self) -> None:
        """Note the GPU and the tool. Raises SystemExit where one is missing, or results or launches are for
        another GPU."""
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
        files = sorted(self.folder.glob("*.launch"))
        if not files:
            raise SystemExit(f"{self.folder} holds no launches; the command `compile` writes them")
        compiled = pickle.loads(files[0].read_bytes())["arch"]
        if compiled != arch:
            raise SystemExit(f"the launches are compiled for {compiled}, and the GPU is {arch}")

    def jobs(self, only: str = "") -> list[tuple[Path, str]]:
        """What is still to be run: launch and tool."""
        return [
            (path, tool)
            for path in sorted(self.folder.glob("*.launch"))
            if only in path.name
            for tool in (*TOOLS, NO_TOOL)
            if tool not in self._outcomes(path)
        ]

    def run(self, path: Path, tool: str) -> str:
        """One run; a line that says how it went. Whatever happens becomes an outcome."""
        start = time.monotonic()
        try:
            outcome = self._run(path, tool)
        except Exception as problem:
            outcome = {"found": False, "hang": False, "problem": f"{type(problem).__name__}: {problem}"}
        outcome["seconds"] = round(time.monotonic() - start, 1)
        with self._lock:
            self._outcomes(path)[tool] = outcome
            self._save()
        told = "hang" if outcome["hang"] else "found" if outcome["found"] else "nothing found"
        if "right" in outcome:
            told = "values right" if outcome["right"] else "values wrong"
        return f"{path.stem} {tool}: {told} {outcome['problem']}".rstrip()

    def _run(self, path: Path, tool: str) -> dict:
        what = pickle.loads(path.read_bytes())
        command = [sys.executable, str(PROGRAM), str(path)]
        with tempfile.TemporaryDirectory() as scratch:
            left = Path(scratch) / "left"
            if tool == NO_TOOL:
                command.append(str(left))
            else:
                options = ["--show-backtrace", "no", *OPTIONS.get(tool, ())]
                command = ["compute-sanitizer", "--tool", tool, *options, *command]
            code, text = limited(command, self.seconds)
            outcome = read_report(text, what["source"], what["marked"]) | {"hang": code is None}
            if code and not outcome["problem"] and not outcome["found"]:
                outcome["problem"] = text.strip().splitlines()[-1] if text.strip() else f"ended with {code}"
            if tool == NO_TOOL and code == 0 and what["expected"]:
                with contextlib.suppress(ImportError):
                    outcome["right"] = is_right(what["expected"], pickle.loads(left.read_bytes()))
        return outcome

    def _outcomes(self, path: Path) -> dict:
        kind, name, which = path.stem.split(".")
        entry = self.results["faults"].setdefault(f"{kind}/{name}", {"faulty": {}, "repaired": {}})
        return entry[which]

    def _save(self) -> None:
        draft = self.path.with_suffix(".draft")
        draft.write_text(json.dumps(self.results, indent=1, sort_keys=True) + "\n")
        draft.replace(self.path)


def limited(command: Sequence[str], seconds: float) -> tuple[int | None, str]:
    """(exit status, output) of a command; status None: it, and all that it had started, was ended after some
    seconds."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
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
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser("compile", help="write the launches, on any machine")
    compiling.add_argument("launches", type=Path)
    compiling.add_argument("--arch", default="sm_90", help="the GPU's architecture")
    running = commands.add_parser("run", help="run them, on a machine with a GPU")
    running.add_argument("launches", type=Path)
    running.add_argument("results", type=Path)
    running.add_argument("--jobs", type=int, default=12, help="processes at the same time")
    running.add_argument("--seconds", type=float, default=20.0, help="time limit of each process")
    running.add_argument("--only", default="", help="launches whose name contains this")
    given = parser.parse_args(arguments)
    if given.command == "compile":
        write_launches(given.launches, given.arch)
        return
    session = Session(given.launches, given.results, given.seconds)
    session.set_up()
    jobs = session.jobs(given.only)
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
