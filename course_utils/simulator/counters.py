"""What a run counted -> metrics by name and by source line.

Compiled code counts only what it must: how often each block of code ran, and the cost of accesses that vary.
All else follows from the instructions in each block.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .access import Site
from .atomics import Rule
from .controlflow import Block
from .kinds import LANES
from .layout import SITE_NUMBERS
from .plan import Plan
from .ptx import Instruction
from .sectors import SECTOR

GLOBAL = "l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
SHARED_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
SHARED_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
LOCAL_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum"

LINE_KEYS = (
    "inst",
    "thread_inst",
    "thread_inst_on",
    "divergent_branches",
    "shared_wavefronts",
    "shared_wavefronts_ideal",
    "global_sectors",
    "global_sectors_ideal",
)


@dataclass(frozen=True)
class SiteCount:
    """One memory instruction over a whole launch: how often a warp ran it, and what that cost."""

    site: Site
    space: str
    requests: int
    first: int  # sectors, or wavefronts
    second: int  # ideal sectors, or ideal wavefronts


class Counts:
    """The summed counters of a launch, against the code that made them.

    costs: for each kind of fast code, site number -> the two numbers that each execution costs, where they
    are fixed.
    """

    def __init__(self, plan: Plan, totals: np.ndarray, costs: dict[str, dict[int, tuple[int, int]]]) -> None:
        self.plan = plan
        self.totals = totals
        self.costs = costs

    def _block(self, block: int) -> tuple[int, int, int, int, int]:
        """(full, partial, masked, lanes of the masked, divergent) executions of a block of code."""
        layout, totals = self.plan.counters, self.totals
        starts = (layout.full, layout.partial, layout.masked, layout.lanes, layout.divergent)
        full, partial, masked, lanes, divergent = (int(totals[start + block]) for start in starts)
        return full, partial, masked, lanes, divergent

    def warps(self, block: int) -> int:
        return sum(self._block(block)[:3])

    def threads(self, block: int) -> int:
        full, partial, _, lanes, _ = self._block(block)
        return 32 * full + (self.plan.threads % 32) * partial + lanes

    def sites(self) -> Iterator[SiteCount]:
        """Every memory instruction; one with generic addresses once for each memory that it reached."""
        layout = self.plan.counters
        for site in self.plan.sites.values():
            full, partial, masked, _, _ = self._block(site.block)
            first = layout.site + SITE_NUMBERS * site.number
            counted = [int(number) for number in self.totals[first : first + SITE_NUMBERS]]
            for name, runs in (("full", full), ("partial", partial)):
                fixed = self.costs.get(name, {}).get(site.number)
                if fixed is not None:
                    counted[0] += runs * fixed[0]
                    counted[1] += runs * fixed[1]
            if site.space == "generic":
                sectors, ideal, requests, wavefronts, ideal_wavefronts, local = counted
                yield SiteCount(site, "global", requests, sectors, ideal)
                yield SiteCount(site, "shared", 0, wavefronts, ideal_wavefronts)
                yield SiteCount(site, "local", 0, local, 0)
            else:
                yield SiteCount(site, site.space, full + partial + masked, counted[0], counted[1])

    def metrics(self) -> dict[str, int]:
        """Metric name -> count, the names Nsight Compute's own where it has them."""
        found: dict[str, int] = {}
        for op in ("ld", "st"):
            for what in ("requests", "sectors"):
                found[GLOBAL.format(what=what, op=op)] = 0
        for name in (SHARED_WAVEFRONTS, SHARED_CONFLICTS, LOCAL_SECTORS):
            for op in ("ld", "st"):
                found[name.format(op=op)] = 0
        for count in self.sites():
            site = count.site
            if not site.counted or site.number in self.plan.atomic_rules:
                continue
            if site.instruction.name == "cp" and site.store:
                continue  # no store, for the hardware
            op = "ld" if site.load else "st"
            if count.space == "global":
                found[GLOBAL.format(what="requests", op=op)] += count.requests
                found[GLOBAL.format(what="sectors", op=op)] += count.first
            elif count.space == "shared":
                found[SHARED_WAVEFRONTS.format(op=op)] += count.first
                found[SHARED_CONFLICTS.format(op=op)] += count.first - count.second
            elif count.space == "local":
                found[LOCAL_SECTORS.format(op=op)] += count.first
        self._add_atomics(found)
        self._leave_out_uncounted(found)
        blocks = self.plan.flow.blocks
        found["ptx__warp_inst_executed.sum"] = sum(self.warps(b.index) * len(b.issued) for b in blocks)
        found["ptx__thread_inst_executed.sum"] = sum(self.threads(b.index) * len(b.issued) for b in blocks)
        found["ptx__branches_divergent.sum"] = sum(self._block(b.index)[4] for b in blocks)
        return found

    def _add_atomics(self, found: dict[str, int]) -> None:
        """Count atomics under their own names; where one has no known rule, its metrics are left out."""
        for what in ("requests", "sectors"):
            for op in ("atom", "red"):
                found[GLOBAL.format(what=what, op=op)] = 0
        for name in (SHARED_WAVEFRONTS, SHARED_CONFLICTS):
            found[name.format(op="atom")] = 0
        unknown: set[str] = set()
        for site, rule in self._atomics():
            first = self.plan.counters.site + SITE_NUMBERS * site.number
            counted = [int(number) for number in self.totals[first : first + 4]]
            if rule is Rule.UNKNOWN:
                unknown.add(site.space)
            elif site.space == "global":
                op = "red" if site.number in self.plan.reductions else "atom"
                found[GLOBAL.format(what="requests", op=op)] += self.warps(site.block)
                found[GLOBAL.format(what="sectors", op=op)] += counted[0]
            else:
                found[SHARED_WAVEFRONTS.format(op="atom")] += counted[0]
                found[SHARED_CONFLICTS.format(op="atom")] += counted[1]
                found[SHARED_WAVEFRONTS.format(op="ld")] += counted[2]
                found[SHARED_CONFLICTS.format(op="ld")] += counted[3]
        if unknown & {"global", "generic"}:
            for op in ("atom", "red"):
                del found[GLOBAL.format(what="requests", op=op)], found[GLOBAL.format(what="sectors", op=op)]
        if unknown & {"shared", "generic"}:
            for op in ("atom", "ld"):  # some become loops, which load as well
                del found[SHARED_WAVEFRONTS.format(op=op)], found[SHARED_CONFLICTS.format(op=op)]

    def _leave_out_uncounted(self, found: dict[str, int]) -> None:
        """A metric to which an instruction without a known rule would have added is no number at all."""
        for count in self.sites():
            site = count.site
            if site.counted or not self.warps(site.block):
                continue
            op = "ld" if site.load else "st"
            spaces = ("global", "shared") if site.space == "generic" else (site.space,)
            if "global" in spaces:
                found.pop(GLOBAL.format(what="sectors", op=op), None)
                found.pop(GLOBAL.format(what="requests", op=op), None)
            if "shared" in spaces:
                found.pop(SHARED_WAVEFRONTS.format(op=op), None)
                found.pop(SHARED_CONFLICTS.format(op=op), None)

    def _atomics(self) -> Iterator[tuple[Site, Rule]]:
        """The atomics that ran."""
        for site in self.plan.sites.values():
            rule = self.plan.atomic_rules.get(site.number)
            if rule is not None and self.warps(site.block):
                yield site, rule

    def notes(self) -> list[str]:
        """Which memory traffic is in no metric, as it is not known how the hardware counts it, and which
        number is only a lower bound."""
        names = {
            "cp.async" if count.site.instruction.name == "cp" else count.site.instruction.name
            for count in self.sites()
            if not count.site.counted and self.warps(count.site.block)
        }
        names |= {site.instruction.opcode for site, rule in self._atomics() if rule is Rule.UNKNOWN}
        found = [f"uncounted: the memory traffic of {', '.join(sorted(names))}"] if names else []
        if any(self._is_scattered(site) for site, rule in self._atomics() if rule is Rule.SECTORS):
            found.append("a lower bound: the sectors of scattered global atomics; a GPU may count 2 % more")
        return found

    def _is_scattered(self, site: Site) -> bool:
        """Did an atomic cost more sectors than lanes side by side would?"""
        sectors = int(self.totals[self.plan.counters.site + SITE_NUMBERS * site.number])
        return sectors > self.warps(site.block) * LANES * site.size // SECTOR

    def by_line(self) -> dict[int, dict[str, int]]:
        """Source line -> counts under LINE_KEYS; instructions made by headers are left out."""
        lines: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(LINE_KEYS, 0))
        for block in self.plan.flow.blocks:
            self._instructions(block, lines)
        for count in self.sites():
            line = line_of(count.site.instruction)
            rule = self.plan.atomic_rules.get(count.site.number)
            if line is None or not count.site.counted or rule is Rule.UNKNOWN:
                continue
            if count.space == "shared":
                ideal = count.second if rule is None else count.first - count.second
                lines[line]["shared_wavefronts"] += count.first
                lines[line]["shared_wavefronts_ideal"] += ideal
            elif count.space == "global":
                lines[line]["global_sectors"] += count.first
                lines[line]["global_sectors_ideal"] += count.second if rule is None else count.first
        return {line: lines[line] for line in sorted(lines)}

    def by_opcode(self) -> dict[str, int]:
        """PTX opcode -> executions by threads: lanes for which a guard holds, not those that it turns off."""
        found: dict[str, int] = defaultdict(int)
        for block in self.plan.flow.blocks:
            threads = self.threads(block.index)
            for instruction in block.effective if threads else ():
                found[instruction.opcode] += threads
        return dict(sorted(found.items()))

    def _instructions(self, block: Block, lines: dict[int, dict[str, int]]) -> None:
        warps, threads = self.warps(block.index), self.threads(block.index)
        if not warps:
            return
        for instruction in block.issued:
            line = line_of(instruction)
            if line is not None:
                lines[line]["inst"] += warps
                lines[line]["thread_inst"] += threads
        for instruction in block.effective:
            line = line_of(instruction)
            if line is not None:
                lines[line]["thread_inst_on"] += threads
        if block.end == "branch" and block.issued:
            line = line_of(block.issued[-1])
            if line is not None:
                lines[line]["divergent_branches"] += self._block(block.index)[4]


def line_of(instruction: Instruction) -> int | None:
    """The line in the kernel's own file, which is file 1; None for code from headers or without a line."""
    location = instruction.location
    return location.line if location.file == 1 and location.line else None
