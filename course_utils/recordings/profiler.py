"""Nsight Compute: run launches under it, and read what it counted, by launch and by source line."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..compiler import disassembly
from ..devices.programs import Source
from ..kernels import load
from ..metrics import METRICS, Level, names
from .launches import Launch

REPETITIONS = 3
"""How often each launch is counted: some counts are noisy."""

_ATOMICS = (
    *(
        f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
        for op in ("atom", "red")
        for what in ("requests", "sectors")
    ),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
)
COUNTED = (
    *(
        metric.name
        for metric in METRICS.values()
        if metric.level is Level.HARDWARE and metric.name != names.LIMIT_SHARED
    ),
    *_ATOMICS,
)
"""The metrics that are asked for: all that the simulator counts at hardware level. The limit by shared memory
is left out, since it depends on the carve-out that the driver chose."""

_LINES = {
    "Instructions Executed": "inst",
    "L1 Wavefronts Shared": "shared_wavefronts",
    "L1 Wavefronts Shared Ideal": "shared_wavefronts_ideal",
    "L2 Theoretical Sectors Global": "global_sectors",
    "L2 Theoretical Sectors Global Ideal": "global_sectors_ideal",
}
"""Nsight Compute's columns a machine instruction -> the simulator's keys a line (run.by_line)."""


@dataclass(frozen=True)
class Profile:
    """What a launch counted: each metric's values over the repetitions, source line -> counts where it was
    asked for, and the CRCs of its arrays."""

    metrics: dict[str, list[int]]
    results: list[int]
    lines: dict[int, dict[str, int]]


class ProfilerFailed(Exception):
    """Nsight Compute could not count; the text says why and what to do."""


def find() -> str | None:
    """The path of ncu, None where it is not installed."""
    return disassembly.tool("ncu")


def version(ncu: str) -> str:
    """Such as 2025.3.1.0."""
    told = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"Version (\S+)", told)
    return match[1] if match else "unknown"


def profile(
    ncu: str, arch: str, launches: Sequence[Launch], time_limit: float
) -> tuple[dict[int, Profile], dict[int, str]]:
    """Count launches; returns the index of each -> its profile, and of those that failed -> why.

    arch: what the GPU runs, such as "sm_90". time_limit: seconds for each run of Nsight Compute. Raises
    ProfilerFailed where nothing can be counted at all.
    """
    metrics = ["--metrics", ",".join(COUNTED)]
    rows, failed = _repeated(ncu, launches, REPETITIONS, metrics, "raw", time_limit)
    by_line = [index for index in rows if launches[index].by_line]
    sources = ["--section", "SourceCounters"]
    pages, _ = _repeated(ncu, [launches[index] for index in by_line], 1, sources, "source", time_limit)
    lines = {
        by_line[place]: _by_line(launches[by_line[place]], arch, page)
        for place, ((page, _),) in pages.items()
    }
    found = {}
    for index, repetitions in rows.items():
        values = [_metrics(row) for row, _ in repetitions]
        merged = {name: [each[name] for each in values] for name in COUNTED}
        found[index] = Profile(merged, [result for _, result in repetitions], lines.get(index, {}))
    return found, failed


Part = tuple[list[str], list[list[str]]]
"""The head of a table of one launch, and its rows."""


def _repeated(
    ncu: str, launches: Sequence[Launch], repetitions: int, asked: Sequence[str], page: str, time_limit: float
) -> tuple[dict[int, list[tuple[Part, int]]], dict[int, str]]:
    """Each launch's tables on a page of the report, with the CRC of its arrays; and what failed, and why.

    A launch that breaks the GPU ends the process; those behind it are counted by the next one.
    """
    found: dict[int, list[tuple[Part, int]]] = {}
    failed: dict[int, str] = {}
    left = list(range(len(launches)))
    while left:
        ran, text, log = _run(ncu, [launches[index] for index in left], repetitions, asked, page, time_limit)
        parts = list(_PAGES[page](text))
        good = [each for each in ran if "result" in each]
        if not ran:
            raise ProfilerFailed(_explained(log))
        if len(good) != len(parts):
            raise ProfilerFailed(f"Nsight Compute reports {len(parts)} launches, and there were {len(good)}")
        for each, part in zip(good, parts, strict=True):
            found.setdefault(left[each["launch"]], []).append((part, each["result"]))
        failed |= {left[each["launch"]]: each["failed"] for each in ran if "failed" in each}
        ended = {left[each["launch"]] for each in ran}
        left = [index for index in left if index not in ended]
    return {index: parts for index, parts in found.items() if len(parts) == repetitions}, failed


def _run(
    ncu: str, launches: Sequence[Launch], repetitions: int, asked: Sequence[str], page: str, time_limit: float
) -> tuple[list[dict], str, str]:
    """What counting.py told of each launch, the page of the report as CSV, and what was printed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted, told, report = folder / "launches.json", folder / "ran.jsonl", folder / "report.ncu-rep"
        wanted.write_text(json.dumps([[each.kernel, each.tunables, each.sizes] for each in launches]))
        command = [
            ncu, "--clock-control", "none", *asked, "-f", "-o", str(report),
            sys.executable, "-m", "course_utils.recordings.counting",
            str(wanted), str(told), str(repetitions),
        ]  # fmt: skip
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=time_limit, check=False)
            log = answer.stdout + answer.stderr
        except subprocess.TimeoutExpired:
            return [], "", f"it took longer than {time_limit:g} s"
        if not report.exists() or not told.exists():
            return [], "", log
        ran = [json.loads(line) for line in told.read_text().splitlines()]
        return ran, _page(ncu, report, page), log


def _page(ncu: str, report: Path, page: str) -> str:
    command = [ncu, "--import", str(report), "--page", page, "--csv", "--print-units", "base"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _rows(text: str) -> Iterable[Part]:
    """The launches of a raw page: a head with the metrics' names, and a row for each launch."""
    table = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    for row in table[2:]:  # behind the names and the units
        yield table[0], [row]


def _metrics(part: Part) -> dict[str, int]:
    head, (row,) = part
    return {name: _number(row[head.index(name)]) for name in COUNTED}


def _blocks(text: str) -> Iterable[Part]:
    """The launches of a source page: its head, and a row for each machine instruction."""
    block: Part | None = None
    for row in csv.reader(text.splitlines()):
        if row and row[0] == "Kernel Name":
            if block is not None:
                yield block
            block = ([], [])
        elif row and block is not None:
            if block[0]:
                block[1].append(row)
            else:
                block[0].extend(row)
    if block is not None:
        yield block


_PAGES = {"raw": _rows, "source": _blocks}


def _by_line(launch: Launch, arch: str, part: Part) -> dict[int, dict[str, int]]:
    """Sums over the machine instructions of each source line. Empty where there is no disassembler."""
    head, rows = part
    lines = _lines_of_instructions(launch, arch)
    if len(lines) != len(rows):
        return {}
    sums: dict[int, Counter[str]] = {}
    for line, row in zip(lines, rows, strict=True):
        if line is None:
            continue
        record = dict(zip(head, row, strict=False))
        counts = sums.setdefault(line, Counter())
        for column, key in _LINES.items():
            counts[key] += _number(record.get(column, "0") or "0")
    return {line: dict(sums[line]) for line in sorted(sums) if any(sums[line].values())}


def _lines_of_instructions(launch: Launch, arch: str) -> list[int | None]:
    """The line of the kernel's own file for each machine instruction; empty without a disassembler."""
    generated = launch.kernel.startswith("generated/")
    kernel = launch.source if generated else load(launch.kernel)
    source = Source.of(kernel, None if generated else launch.tunables, f"{launch.entry}.cu", ())
    compiled = source.program(arch, launch.entry).compiled
    return [line for line, _ in disassembly.instructions(compiled, launch.entry)]


def _number(text: str) -> int:
    text = text.replace(",", "")
    return int(float(text)) if text and text != "-" else 0


def _explained(log: str) -> str:
    """What to do where nothing was counted."""
    if "ERR_NVGPUCTRPERM" in log:
        return (
            "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): an administrator can allow it, "
            "see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
        )
    return f"Nsight Compute counted nothing: {' '.join(log.split())[-400:] or 'it said nothing'}"
