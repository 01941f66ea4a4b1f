"""Nsight Compute: run launches under it, and read what it counted, by launch and by source line."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    """What one launch counted: a value of each metric, source line -> counts, and the CRC of its arrays."""

    metrics: dict[str, int]
    lines: dict[int, dict[str, int]]
    result: int


class ProfilerFailed(Exception):
    """Nsight Compute could not count; the text says why and what to do."""


def find() -> str | None:
    """The path of ncu, None where it is not installed."""
    return _tool("ncu")


def version(ncu: str) -> str:
    """Such as 2025.3.1.0."""
    told = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"Version (\S+)", told)
    return match[1] if match else "unknown"


def profile(
    ncu: str, arch: str, launches: Sequence[Launch], time_limit: float
) -> tuple[dict[int, list[Profile]], dict[int, str]]:
    """Count launches; returns the index of each -> its profiles, and of those that failed -> why.

    arch: what the GPU runs, such as "sm_90". time_limit: seconds for all of them.

    A launch that breaks the GPU ends the process; those behind it are counted by the next one. Raises
    ProfilerFailed where nothing can be counted at all.
    """
    found: dict[int, list[Profile]] = {}
    failed: dict[int, str] = {}
    left = list(range(len(launches)))
    while left:
        done, broken, log = _profile_some(ncu, arch, [launches[index] for index in left], time_limit)
        for place, profiles in done.items():
            found[left[place]] = profiles
        for place, why in broken.items():
            failed[left[place]] = why
        ended = {left[place] for place in (*done, *broken)}
        if not ended:
            raise ProfilerFailed(_explained(log))
        left = [index for index in left if index not in ended]
    return found, failed


def _profile_some(
    ncu: str, arch: str, launches: Sequence[Launch], time_limit: float
) -> tuple[dict[int, list[Profile]], dict[int, str], str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked, told, report = folder / "launches.json", folder / "ran.jsonl", folder / "report.ncu-rep"
        asked.write_text(json.dumps([[each.kernel, each.tunables, each.sizes] for each in launches]))
        command = [
            ncu, "--clock-control", "none", "--section", "SourceCounters", "--metrics", ",".join(COUNTED),
            "-f", "-o", str(report), sys.executable, "-m", "course_utils.recordings.counting",
            str(asked), str(told), str(REPETITIONS),
        ]  # fmt: skip
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=time_limit, check=False)
            log = answer.stdout + answer.stderr
        except subprocess.TimeoutExpired:
            log = f"Nsight Compute took longer than {time_limit:g} s"
        ran = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
        if not report.exists() or not ran:
            return {}, {}, log
        raw = _page(ncu, report, "raw")
        source = _page(ncu, report, "source")
    good = [each for each in ran if "result" in each]
    rows = list(_rows(raw))
    blocks = list(_blocks(source))
    if not len(good) == len(rows) == len(blocks):
        raise ProfilerFailed(
            f"Nsight Compute reports {len(rows)} launches and {len(blocks)} sources for {len(good)} launches"
        )
    found: dict[int, list[Profile]] = {}
    for each, row, block in zip(good, rows, blocks, strict=True):
        launch = launches[each["launch"]]
        lines = _by_line(launch, arch, block) if launch.by_line else {}
        found.setdefault(each["launch"], []).append(Profile(row, lines, each["result"]))
    broken = {each["launch"]: each["failed"] for each in ran if "failed" in each}
    whole = {place: each for place, each in found.items() if len(each) == REPETITIONS}
    return whole, broken, log


def _page(ncu: str, report: Path, page: str) -> str:
    command = [
        ncu,
        "--import",
        str(report),
        "--page",
        page,
        "--csv",
        *(["--print-units", "base"] if page == "raw" else []),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _rows(text: str) -> Iterable[dict[str, int]]:
    """The launches of a raw page: metric -> value."""
    head, _units, *rows = csv.reader(line for line in text.splitlines() if line.startswith('"'))
    places = {name: place for place, name in enumerate(head)}
    for row in rows:
        yield {name: _number(row[places[name]]) for name in COUNTED if name in places}


def _blocks(text: str) -> Iterable[tuple[list[str], list[list[str]]]]:
    """The launches of a source page: its head, and a row for each machine instruction."""
    block: tuple[list[str], list[list[str]]] | None = None
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


def _by_line(
    launch: Launch, arch: str, block: tuple[list[str], list[list[str]]]
) -> dict[int, dict[str, int]]:
    """Sums over the machine instructions of each source line. Empty where there is no disassembler."""
    head, rows = block
    lines = _lines_of_instructions(launch, arch)
    if lines is None or len(lines) != len(rows):
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


def _lines_of_instructions(launch: Launch, arch: str) -> list[int | None] | None:
    """The line of the kernel's own file for each machine instruction, by nvdisasm; None without it."""
    nvdisasm = _tool("nvdisasm")
    if nvdisasm is None:
        return None
    generated = launch.kernel.startswith("generated/")
    kernel = launch.source if generated else load(launch.kernel)
    source = Source.of(kernel, None if generated else launch.tunables, f"{launch.entry}.cu", ())
    compiled = source.program(arch, launch.entry).compiled
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.cubin)
        file.flush()
        text = subprocess.run([nvdisasm, "-g", file.name], capture_output=True, text=True, check=False).stdout
    return _disassembled(text, compiled.name, launch.entry)


def _disassembled(text: str, name: str, entry: str) -> list[int | None]:
    """The line of `name` for each instruction of a kernel in nvdisasm's listing."""
    found: list[int | None] = []
    line: int | None = None
    inside = False
    for each in text.splitlines():
        if section := re.match(r"\s*\.section\s+\.text\.(\S+?),", each):
            inside, line = section[1] == entry, None
        if place := re.search(r'//## File "([^"]*)", line (\d+)', each):
            line = int(place[2]) if place[1].endswith(name) else None
        if inside and re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+\S.*;", each):
            found.append(line)
    return found


def _number(text: str) -> int:
    text = text.replace(",", "")
    return int(float(text)) if text and text != "-" else 0


def _tool(name: str) -> str | None:
    """A tool of the CUDA toolkit: on PATH, or where the toolkit is installed by default."""
    if found := shutil.which(name):
        return found
    homes = [
        os.environ.get("CUDA_HOME", ""),
        "/usr/local/cuda",
        *sorted(map(str, Path("/usr/local").glob("cuda-*"))),
    ]
    for home in filter(None, homes):
        if (path := Path(home) / "bin" / name).is_file():
            return str(path)
    return None


def _explained(log: str) -> str:
    """What to do where nothing was counted."""
    if "ERR_NVGPUCTRPERM" in log:
        return (
            "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): an administrator can allow it, "
            "see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
        )
    return f"Nsight Compute counted nothing: {' '.join(log.split())[-400:] or 'it said nothing'}"
