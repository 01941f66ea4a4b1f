"""Launches that a GPU counted, run again on the simulator and compared number by number.

    python -m tests.simulator.ruler FOLDER [--allow LAUNCH[:PART]=PERCENT% ...]

The folder holds

    cases.py          a function cases(), which returns a list of dicts with the keys name, src, kernel, grid,
                      block, args (NumPy arrays and scalars), defines (texts such as "TILE=16") and smem
                      (dynamic bytes)
    kernels/<src>.cu  the sources
    one subfolder     what the GPU counted: counters.json; per_line.json and banks.json where there are any

    counters.json     launch -> metric of Nsight Compute -> value
    per_line.json     launch -> source line -> key -> value
    banks.json        a list of one warp's shared-memory accesses: access ("load" or "store"), bytes (a lane),
                      index (a lane's element, -1: inactive), wavefronts

Compared is every metric that both sides know. One that the simulator leaves out for a launch, as it has no
exact rule, is a difference too ("no number"). Of a line those keys are compared that do not depend on how the
machine code is written (LINE_KEYS).

--allow names a launch whose numbers may differ, by so many percent of the recorded number; with PART only in
metrics whose name contains it. A difference of bank conflicts is measured against the wavefronts, of which
they are a part, and one of a line against the launch's recorded total.

Ends with 0 if all numbers are equal or allowed to differ as much as they do, else with 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from course_utils import simulator
from course_utils.simulator import sectors as rules

LINE_KEYS = ("shared_wavefronts", "shared_wavefronts_ideal", "global_sectors", "global_sectors_ideal")
"""Keys of per_line.json that do not depend on how the machine code is written."""

_WIDTH = 78


@dataclass(frozen=True)
class Allowance:
    """A launch that may differ, in the metrics whose name contains `part`, by so many percent."""

    launch: str
    part: str
    percent: float

    @classmethod
    def read(cls, text: str) -> Allowance:
        """LAUNCH=4%, LAUNCH:PART=4%. Raises ArgumentTypeError."""
        target, equals, amount = text.rpartition("=")
        launch, _, part = target.partition(":")
        try:
            percent = float(amount.removesuffix("%"))
        except ValueError:
            percent = -1.0
        if not equals or not launch or not 0 <= percent < float("inf"):
            raise argparse.ArgumentTypeError(f"{text!r} is not of the form LAUNCH=4% or LAUNCH:PART=4%")
        return cls(launch, part, percent)


@dataclass(frozen=True)
class Comparison:
    """One number on both sides.

    base: what its difference is a part of. counted: None where the simulator gives no number.
    """

    launch: str
    recorded: float
    counted: float | None
    base: float
    place: str = ""

    @property
    def exact(self) -> bool:
        return self.counted == self.recorded

    @property
    def difference(self) -> float:
        return float("inf") if self.counted is None else self.counted - self.recorded

    @property
    def percent(self) -> float:
        """The difference, without its sign, in percent of the base."""
        if self.exact:
            return 0.0
        return 100 * abs(self.difference) / self.base if self.base else float("inf")


@dataclass
class Report:
    """All comparisons, by metric (or key of a line), and what could not be compared."""

    allowances: Sequence[Allowance] = ()
    metrics: dict[str, list[Comparison]] = field(default_factory=lambda: defaultdict(list))
    lines: dict[str, list[Comparison]] = field(default_factory=lambda: defaultdict(list))
    banks: list[str] = field(default_factory=list)  # patterns that differ
    patterns: int = 0
    failures: list[str] = field(default_factory=list)

    def allowed(self, metric: str, comparison: Comparison) -> bool:
        limits = [
            each.percent
            for each in self.allowances
            if each.launch == comparison.launch and each.part in metric
        ]
        return comparison.exact or comparison.percent <= max(limits, default=-1.0)

    @property
    def good(self) -> bool:
        tables = [*self.metrics.items(), *self.lines.items()]
        compared = any(found for _, found in tables) or self.patterns > 0
        every = all(self.allowed(metric, each) for metric, found in tables for each in found)
        return compared and every and not self.banks and not self.failures

    def text(self) -> str:
        """The tables."""
        parts = [self._table("Metrics of a launch", "launches", self.metrics)]
        if self.lines:
            parts.append(self._table("Source lines", "lines", self.lines))
        if self.patterns:
            equal = self.patterns - len(self.banks)
            parts.append(f"Bank patterns: {equal} equal of {self.patterns}")
            parts += [f"    {each}" for each in self.banks]
        parts += [f"Failed: {each}" for each in self.failures]
        parts.append("All equal, or as far apart as allowed." if self.good else "Not equal.")
        return "\n".join(parts)

    def _table(self, title: str, what: str, table: Mapping[str, list[Comparison]]) -> str:
        rows = [f"{title:<{_WIDTH}} {what:>8} {'exact':>8} {'largest':>12} {'%':>9}"]
        for metric in sorted(table):
            found = table[metric]
            most = max((abs(each.difference) for each in found if not each.exact), default=0.0)
            percent = max(each.percent for each in found)
            exact = sum(each.exact for each in found)
            rows.append(f"{metric:<{_WIDTH}} {len(found):>8} {exact:>8} {most:>12,.0f} {percent:>9.3f}")
            rows += [f"    {self._line(metric, each)}" for each in found if not each.exact]
        return "\n".join(rows) + "\n"

    def _line(self, metric: str, one: Comparison) -> str:
        where = f"{one.launch}{one.place}"
        if one.counted is None:
            return f"{where}: recorded {one.recorded:,.0f}, counted no number"
        note = ", allowed" if self.allowed(metric, one) else ""
        return (
            f"{where}: recorded {one.recorded:,.0f}, counted {one.counted:,.0f} "
            f"({one.difference:+,.0f}, {one.percent:.3f} %{note})"
        )


def compare(folder: Path, allowances: Sequence[Allowance] = ()) -> Report:
    """Run every launch of a folder. Raises FileNotFoundError where a part of the folder is missing."""
    recordings = _recordings(folder)
    counters = _json(recordings / "counters.json")
    per_line = _json(recordings / "per_line.json") if (recordings / "per_line.json").exists() else {}
    report = Report(allowances)
    programs: dict[tuple[str, tuple[str, ...]], simulator.Program] = {}
    seen: set[str] = set()
    for case in _cases(folder):
        name = case["name"]
        seen.add(name)
        if name not in counters:
            report.failures.append(f"{name}: nothing is recorded for it")
            continue
        try:
            run = _run(folder, case, programs)
        except simulator.Error as problem:
            report.failures.append(f"{name}: {problem}")
            continue
        _compare_metrics(report, name, counters[name], run.metrics)
        if name in per_line:
            _compare_lines(report, name, per_line[name], run.by_line)
    for name in sorted({*counters, *per_line} - seen):
        report.failures.append(f"{name}: recorded, but no case")
    if (recordings / "banks.json").exists():
        _compare_banks(report, _json(recordings / "banks.json"))
    return report


def _recordings(folder: Path) -> Path:
    found = sorted(folder.glob("*/counters.json"))
    if len(found) != 1:
        raise FileNotFoundError(
            f"{folder} must have one subfolder with a counters.json, it has {len(found) or 'none'}"
        )
    return found[0].parent


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _cases(folder: Path) -> list[dict[str, Any]]:
    """What cases.py returns."""
    path = folder / "cases.py"
    if not path.is_file():
        raise FileNotFoundError(f"there is no {path}")
    specification = importlib.util.spec_from_file_location("ruler_cases", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.cases()


def _run(
    folder: Path, case: Mapping[str, Any], programs: dict[tuple[str, tuple[str, ...]], simulator.Program]
) -> simulator.Run:
    """Run one case; its arrays are copied, as cases may share them."""
    key = (case["src"], tuple(case["defines"]))
    if key not in programs:
        source = folder / "kernels" / f"{case['src'].removesuffix('.cu')}.cu"
        defines = dict(text.split("=", 1) if "=" in text else (text, "1") for text in case["defines"])
        programs[key] = simulator.compile(
            source.read_text(encoding="utf-8"), defines=defines, name=source.name
        )
    args = [each.copy() if isinstance(each, np.ndarray) else each for each in case["args"]]
    return programs[key].launch(case["kernel"], case["grid"], case["block"], args, case["smem"])


def _compare_metrics(
    report: Report, launch: str, recorded: Mapping[str, Any], counted: Mapping[str, int]
) -> None:
    for metric, value in recorded.items():
        if not isinstance(value, (int, float)) or metric not in _known_metrics():
            continue
        whole = metric.replace("data_bank_conflicts_pipe_lsu", "data_pipe_lsu_wavefronts")
        base = recorded.get(whole, value) if "bank_conflicts" in metric else value
        report.metrics[metric].append(Comparison(launch, value, counted.get(metric), base))


def _compare_lines(
    report: Report,
    launch: str,
    recorded: Mapping[str, Mapping[str, int]],
    counted: Mapping[int, Mapping[str, int]],
) -> None:
    """A line that one side does not have is a line of zeros: idle lines are not recorded."""
    here = {str(line): values for line, values in counted.items()}
    for key in LINE_KEYS:
        total = sum(values.get(key, 0) for values in recorded.values())
        for line in sorted({*recorded, *here}, key=lambda text: (len(text), text)):
            there, own = recorded.get(line, {}).get(key, 0), here.get(line, {}).get(key, 0)
            if there or own:
                report.lines[key].append(Comparison(launch, there, own, total, f" line {line}"))


# Bank patterns --------------------------------------------------------------------------------------------


def _compare_banks(report: Report, patterns: Sequence[Mapping[str, Any]]) -> None:
    """Each pattern by the rule in Python, and by compiled code that makes the access."""
    programs: dict[tuple[str, int], simulator.Program] = {}
    for pattern in patterns:
        report.patterns += 1
        access, size, wanted = pattern["access"], pattern["bytes"], pattern["wavefronts"]
        addresses = [None if index < 0 else index * size for index in pattern["index"]]
        ruled, _ = rules.wavefronts(addresses, size, load=access == "load")
        if (access, size) not in programs:
            programs[access, size] = simulator.load_ptx(access_ptx(access, size))
        ran = _ran(programs[access, size], access, size, pattern["index"])
        if not wanted == ruled == ran:
            report.banks.append(
                f"{access} of {size} bytes, {pattern.get('pattern', 'unnamed')}: "
                f"recorded {wanted}, rule {ruled}, compiled {ran}"
            )


def _ran(program: simulator.Program, access: str, size: int, index: Sequence[int]) -> int:
    offsets = np.array([-1 if each < 0 else each * size for each in index], np.int32)
    shared = max(int(offsets.max()) + size, size)
    run = program.launch("access", 1, 32, [offsets], shared, allow_large_shared=True)
    op = "ld" if access == "load" else "st"
    return run.metrics[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"]


def access_ptx(access: str, size: int) -> str:
    """A kernel: lane l accesses `size` bytes of shared memory at offsets[l], unless that is negative."""
    width = {1: ".b8", 2: ".b16", 4: ".b32", 8: ".v2.b32", 16: ".v4.b32"}[size]
    count = max(size // 4, 1)
    registers = ", ".join(f"%v{number}" for number in range(count))
    values = f"{{{registers}}}" if count > 1 else registers
    does = (
        f"ld.volatile.shared{width} {values}, [%o];"
        if access == "load"
        else f"st.volatile.shared{width} [%o], {values};"
    )
    return f"""
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry access(.param .u64 offsets)
{{
.reg .pred %p;
.reg .b32 %l, %i, %v<{count}>;
.reg .b64 %a, %o;
ld.param.u64 %a, [offsets];
mov.u32 %l, %tid.x;
mad.wide.u32 %a, %l, 4, %a;
ld.global.s32 %i, [%a];
{"".join(f"mov.b32 %v{number}, %l;" for number in range(count))}
setp.lt.s32 %p, %i, 0;
@%p bra done;
cvt.u64.u32 %o, %i;
{does}
done:
ret;
}}
"""


@cache
def _known_metrics() -> frozenset[str]:
    """The metrics of a small launch: all that there are."""
    source = 'extern "C" __global__ void nothing(void) {}'
    return frozenset(simulator.compile(source, name="nothing.cu").launch("nothing", 1, 32, []).metrics)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulator.ruler", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="cases.py, kernels/ and a subfolder of recordings")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        type=Allowance.read,
        metavar="LAUNCH[:PART]=PERCENT%",
        help="a launch that may differ by so many percent, in metrics whose name contains PART",
    )
    options = parser.parse_args(arguments)
    try:
        report = compare(options.folder, options.allow)
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(report.text())
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
