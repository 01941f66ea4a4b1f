"""What the simulator counts for the launches that Nsight Compute counted on a real GPU: where they agree.

python -m course_utils.recordings.agreement            # prints the table of docs/agreement.md
python -m course_utils.recordings.agreement --write    # writes it there
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .. import compiler, kernels, metrics
from ..kernels.errors import listed
from ..kernels.kernel import REPOSITORY
from . import load
from .launches import Launch
from .recording import Counted, Recording

PAGE = REPOSITORY / "docs" / "agreement.md"
BEGIN, END = "<!-- made by course_utils.recordings.agreement: begin -->", "<!-- end -->"

LINE_KEYS = ("shared_wavefronts", "shared_wavefronts_ideal", "global_sectors", "global_sectors_ideal")
"""What is compared of each source line. Instructions are not: the simulator counts those of PTX."""

_LOCAL = (metrics.names.LOCAL_LOAD_SECTORS, metrics.names.LOCAL_STORE_SECTORS)
_UNROLLED = "ptxas unrolls a loop in which lanes make different numbers of rounds"
_MERGED = "ptxas loads once what two lines want"
_MOVED = "the same number for the launch: ptxas puts an instruction on another line, or on none"
_READ_AGAIN = "ptxas reads again, from global memory, what it has no register for"
_NOISE = "the hardware's own noise (docs/simulator.md)"
_SPILLING = ((32, 8), (64, 4), (128, 4), (128, 8), (256, 4), (256, 8))
"""VALUES and MIN_BLOCKS of memory_hierarchy/variance, where its machine code has more LDG than its PTX ld."""

KNOWN: Mapping[str, str] = {
    **{
        f"memory_hierarchy/variance VALUES={values} MIN_BLOCKS={blocks} n=512": _READ_AGAIN
        for values, blocks in _SPILLING
    },
    "memory_hierarchy/batch_product BATCH=4 rows=512 cols=256": _NOISE,
    **{
        f"spmv/{name} rows=512 per_row=8 skewed=1": _UNROLLED
        for name in ("csr_add", "csr_scalar", "csr_vector LANES=32")
    },
    **{f"spmv/{name} rows=300 per_row=5 varied=1": _UNROLLED for name in ("csr_add", "csr_scalar")},
    **{
        f"spmv/csr_merge {sizes}": _MOVED
        for sizes in (
            "rows=1000 per_row=9 skewed=0",
            "rows=300 per_row=5 varied=1",
            "rows=512 per_row=8 skewed=1",
            "rows=777 per_row=24 skewed=0 banded=1",
        )
    },
    **{f"generated/{seed}": _UNROLLED for seed in (6, 10, 12, 19, 22, 35, 38, 39, 40, 41, 43, 45, 48)},
    "generated/26": _MOVED,
    "generated/47": _MERGED,
}
"""Launch -> why its counts may differ. Everything else agrees exactly."""


@dataclass(frozen=True)
class Compared:
    """One number of one launch. `line` is None for the whole launch; the GPU's repetitions gave `least` to
    `most`; `counted` is None where the simulator shows no number."""

    launch: str
    line: int | None
    metric: str
    least: int
    most: int
    counted: int | None

    @property
    def agrees(self) -> bool:
        return self.counted is not None and self.least <= self.counted <= self.most

    @property
    def off(self) -> float:
        """How far the simulator is from the nearest of the GPU's counts, as a share of that; infinite where
        one of them is nothing."""
        if self.agrees:
            return 0.0
        if self.counted is None:
            return float("inf")
        nearest = self.least if self.counted < self.least else self.most
        return abs(self.counted - nearest) / nearest if nearest else float("inf")

    def __str__(self) -> str:
        place = f"{self.launch} line {self.line}" if self.line else self.launch
        recorded = f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"
        counted = "nothing" if self.counted is None else f"{self.counted:,}"
        return f"{place}, {self.metric}: the GPU counted {recorded}, the simulator {counted}"


def approximate(ptx: str) -> bool:
    """Whether a program has instructions whose last bits are the chip's own: approximate ones, such as the
    ex2.approx in expf, and products of tensor cores (PTX ISA, section 9.7). See docs/simulator.md."""
    return re.search(r"\.approx\b|^\s*(@\S+\s+)?w?mma\.", ptx, re.MULTILINE) is not None


class Agreement:
    """A recording against the simulator. Making one launches everything that was recorded."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.numbers: list[Compared] = []
        self.other_results: list[str] = []
        """Launches whose arrays are not, bit for bit, what they were on the GPU, and should be."""
        self.last_bits: list[str] = []
        """Launches whose arrays are not what they were on the GPU, and whose code is `approximate`."""
        self.spilling: set[str] = set()
        """Launches whose local sectors have no number here, since ptxas spills registers."""
        for counted in recording.counted:
            self._compare(counted)

    def _compare(self, recorded: Counted) -> None:
        launch = Launch(recorded.kernel, recorded.tunables, recorded.sizes)
        run, result = launch.run("simulator")
        if result != recorded.result:
            ptx = compiler.compile(launch.source, defines=dict(launch.tunables)).ptx
            of = self.last_bits if approximate(ptx) else self.other_results
            of.append(str(launch))
        for metric, (least, most) in recorded.metrics.items():
            found = run.metrics.get(metric)
            if found is None and metric in _LOCAL:
                self.spilling.add(str(launch))
                continue
            self.numbers.append(Compared(str(launch), None, metric, least, most, found))
        for line, counts in recorded.lines.items():
            found_here = run.by_line.get(line, {})
            for key in LINE_KEYS:
                number = counts[key]
                self.numbers.append(Compared(str(launch), line, key, number, number, found_here.get(key, 0)))

    @property
    def not_counted(self) -> tuple[str, ...]:
        """Kernels of the course that are newer than the recording."""
        counted = {each.kernel for each in self.recording.counted}
        return tuple(name for name in kernels.find() if name not in counted)

    @cached_property
    def differences(self) -> tuple[Compared, ...]:
        return tuple(number for number in self.numbers if not number.agrees)

    def reason(self, number: Compared) -> str:
        """Why a number differs."""
        if number.line is not None:
            kind = "mem_shared" if number.metric.startswith("shared") else "sectors_pipe_lsu_mem_global"
            whole = (other for other in self.differences if other.line is None and kind in other.metric)
            if all(other.launch != number.launch for other in whole):
                return _MOVED
        return KNOWN.get(number.launch, "not known")

    @property
    def unexplained(self) -> tuple[Compared, ...]:
        """Differences of launches that KNOWN does not name."""
        return tuple(number for number in self.differences if number.launch not in KNOWN)

    def markdown(self) -> str:
        """The tables for the docs."""
        whole = [number for number in self.numbers if number.line is None]
        lines = [number for number in self.numbers if number.line is not None]
        launches = {number.launch for number in whole}
        generated = sum(launch.startswith("generated/") for launch in launches)
        noisy = sum(number.least != number.most for number in whole)
        about = self.recording.document["about"]
        alike = len(launches) - len(self.other_results) - len(self.last_bits)
        told = (
            f"{len(launches)} launches {self.recording.label} (driver {about['driver']}, {about['profiler']}"
            f"): {len(launches) - generated} of the course's kernels over their tunables, {generated} of "
            f"kernels made at random. Each was counted three times; {noisy or 'none'} of the "
            f"{len(whole):,} counts changed from time to time. The arrays of {alike} launches are bit for "
            "bit what they were on the GPU."
        )
        if self.last_bits:
            told += (
                f" Those of {len(self.last_bits)} are not: their kernels have instructions whose last bits "
                "are the chip's own (`ex2.approx` in `expf`, tensor cores)."
            )
        if self.spilling:
            told += (
                f" In {len(self.spilling)} of them ptxas spills registers: the simulator shows no local "
                "sectors there, and none are compared."
            )
        if missing := self.not_counted:
            told += f" Not counted on a GPU yet: {listed(missing)}."
        head = ("metric", "launches", "exact", "largest difference", "why")
        line_head = ("of a source line", "lines", "exact", "largest difference", "why")
        tables = (_table(head, self._rows(whole)), _table(line_head, self._rows(lines)))
        return "\n\n".join([told, *tables])

    def _rows(self, numbers: Iterable[Compared]) -> list[tuple[str, ...]]:
        by_metric: dict[str, list[Compared]] = {}
        for number in numbers:
            by_metric.setdefault(number.metric, []).append(number)
        return [self._row(metric, each) for metric, each in by_metric.items()]

    def _row(self, metric: str, numbers: Sequence[Compared]) -> tuple[str, ...]:
        wrong = [number for number in numbers if not number.agrees]
        worst = max((number.off for number in wrong if number.off != float("inf")), default=0.0)
        reasons = sorted({self.reason(number) for number in wrong})
        counts = (str(len(numbers)), str(len(numbers) - len(wrong)))
        largest = f"{worst:.1%}" if wrong else ""
        return (f"`{metric}`", *counts, largest, "; ".join(reasons))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(text: str, tables: str) -> str:
    """A page with new tables between its marks. Raises ValueError where it has none."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no place for the tables, from {BEGIN!r} to {END!r}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def main(arguments: Sequence[str], place: Path = PAGE) -> int:
    """Print the tables, or write them; returns 1 where a difference is not explained."""
    agreement = Agreement(load()[0])
    tables = agreement.markdown()
    if "--write" in arguments:
        place.write_text(page(place.read_text(encoding="utf-8"), tables), encoding="utf-8")
    else:
        print(tables)
    for number in agreement.unexplained:
        print(number, file=sys.stderr)
    return 1 if agreement.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
