"""Accesses whose 32 addresses follow a pattern known at compile time.

Only the first and the last byte need checking, and sectors and wavefronts are constants, or depend on nothing
but where the pattern begins within a sector. Accesses that share a base register (the unrolled loops of a
tile) are checked once for all; should that fail, the block of code is finished by the general code, which
finds the one at fault.
"""

from __future__ import annotations

from abc import abstractmethod

from . import sectors as rules
from .access import MemoryCode, Run, Site
from .ir import Value
from .kinds import LANES, ZERO
from .layout import REGION_BITS, REGIONS, Status, Worker, at


class PatternCode(MemoryCode):
    """The fast code's accesses."""

    active: int
    shapes: dict[int, tuple[int, ...]]  # site -> each lane's distance from the address reported
    pattern_failures: list[tuple[str, int, str]]  # label, site, first address

    def pattern(self, site: Site, address: Value) -> list[Run] | None:
        if address.lanes is None or site.space in ("local", "generic"):
            return None
        lanes = address.lanes[: self.active]
        if any((lane - lanes[0]) % site.size for lane in lanes):
            return None
        if address.scaled != ZERO:
            return self._strided(site, address) if site.space == "global" else None
        low = min(lanes)
        shape = tuple(lane - low for lane in lanes)
        if site.space == "shared" and site.size < 4 and any(shape):
            return None  # where it begins within a word matters
        host = self._checked_host(site, address, low, max(shape) + site.size, shape)
        if site.space == "global":
            self.costs[site.number] = self._count_sectors(site, self.moved(address.text, low), shape)
        elif site.space == "shared":
            padded = [*shape, *[None] * (LANES - self.active)]
            size = self.counted_size(site)
            self.costs[site.number] = rules.wavefronts(padded, size, load=site.load) if size else (0, 0)
        return [(host, shape)]

    def _strided(self, site: Site, address: Value) -> list[Run] | None:
        """Rows of a block of threads: a few runs of lanes, a stride known at run time apart."""
        code = self.code
        lanes, scaled = address.lanes[: self.active], address.scaled[: self.active]  # type: ignore[index]
        count = len(set(scaled))
        length = self.active // count
        if count > 8 or self.active % count or LANES % length or length & (length - 1):
            return None
        parts = [slice(first, first + length) for first in range(0, self.active, length)]
        if any(len(set(scaled[part])) > 1 for part in parts):
            return None
        runs: list[Run] = []
        firsts: list[str] = []
        checks: list[str] = []
        for part in parts:
            low = min(lanes[part])
            shape = tuple(lane - low for lane in lanes[part])
            step = code.op(f"mul i64 {address.stride}, {scaled[part.start]}")
            first = self.moved(code.op(f"add i64 {address.text}, {step}"), low)
            inside, delta = self.check(site, first, max(shape) + site.size)
            checks.append(inside)
            firsts.append(first)
            runs.append((code.op(f"add i64 {first}, {delta}"), shape))
        inside = checks[0]
        for other in checks[1:]:
            inside = code.op(f"and i1 {inside}, {other}")
        if self.leave_unless(inside):
            self._count_runs(site, address, firsts, runs)
            return runs
        good, bad = code.name("legal"), code.name("illegal")
        code.branch(inside, good, bad, likely=True)
        code.label(bad)
        code.store("<32 x i64>", code.vector(address), "%worker", at(Worker, "addresses"))
        code.store("i32", self.mask, "%worker", at(Worker, "mask"))
        failed = code.name("failed")
        code.jump(failed)
        self.failures.append((failed, site.number))
        code.label(good)
        self._count_runs(site, address, firsts, runs)
        return runs

    def _count_runs(self, site: Site, address: Value, firsts: list[str], runs: list[Run]) -> None:
        """Rows far enough apart share no sector, so that their sectors add up; else the addresses are looked
        at."""
        code = self.code
        far = max(max(shape) for _, shape in runs) + site.size + rules.SECTOR
        size = code.op(f"call i64 @llvm.abs.i64(i64 {address.stride}, i1 false)")
        apart, near, counted = code.name("rows"), code.name("near_rows"), code.name("counted")
        code.branch(code.op(f"icmp uge i64 {size}, {far}"), apart, near, likely=True)
        code.label(apart)
        total = "0"
        for first, (_, shape) in zip(firsts, runs, strict=True):
            total = code.op(f"add i64 {total}, {self._sectors(site, first, shape)}")
        code.jump(counted)
        code.label(near)
        found = code.op(f"call i32 @simulator_sectors(<32 x i64> {code.vector(address)}, i32 {self.mask})")
        found = code.op(f"zext i32 {found} to i64")
        code.jump(counted)
        code.label(counted)
        touched = code.op(f"phi i64 [ {total}, %{apart} ], [ {found}, %{near} ]")
        together = rules.ideal(self.active, site.size, LANES)
        self.add_to_site(site, 0, touched)
        self.add_to_site(site, 1, code.op(f"call i64 @llvm.umin.i64(i64 {touched}, i64 {together})"))
        self.costs[site.number] = (0, 0)

    def _checked_host(self, site: Site, address: Value, low: int, span: int, shape: tuple[int, ...]) -> str:
        code = self.code
        host = self.host_of_group(site)
        if host is not None:
            return host
        first = self.moved(address.text, low)
        inside, delta = self.check(site, first, span)
        if self.leave_unless(inside):
            return code.op(f"add i64 {first}, {delta}")
        good, bad = code.name("legal"), code.name("illegal")
        code.branch(inside, good, bad, likely=True)
        self.pattern_failures.append((bad, site.number, first))
        self.shapes[site.number] = shape
        code.label(good)
        return code.op(f"add i64 {first}, {delta}")

    def check(self, site: Site, first: str, span: int) -> tuple[str, str]:
        """(i1: bytes first .. first + span are in one buffer and aligned, i64 host address - address)."""
        code = self.code
        if site.space == "global":
            limit, delta, offset = self._region(first)
        else:
            base, limit = self.window(site)
            delta, offset = code.op(f"ptrtoint ptr {base} to i64"), first
        end = code.op(f"add i64 {offset}, {span}")
        inside = code.op(f"icmp ule i64 {end}, {limit}")
        if site.space != "global":  # there the offset is below 2**36; here it may be anything
            inside = code.op(f"and i1 {inside}, {code.op(f'icmp ult i64 {offset}, {limit}')}")
        extent = self.checker.variable(site) if self.checker else None
        if extent is not None:
            start, stop = extent
            inside = code.op(f"and i1 {inside}, {code.op(f'icmp uge i64 {offset}, {start}')}")
            inside = code.op(f"and i1 {inside}, {code.op(f'icmp ule i64 {end}, {stop}')}")
        if site.size > 1:
            rest = code.op(f"and i64 {offset}, {site.size - 1}")
            inside = code.op(f"and i1 {inside}, {code.op(f'icmp eq i64 {rest}, 0')}")
        return inside, delta

    def _region(self, address: str) -> tuple[str, str, str]:
        """(bytes in the buffer, host address - virtual address, offset in the buffer) for one global
        address."""
        code = self.code
        region = code.op(f"lshr i64 {address}, {REGION_BITS}")
        region = code.op(f"call i64 @llvm.umin.i64(i64 {region}, i64 {REGIONS - 1})")
        entry = code.op(f"getelementptr {{ i64, i64 }}, ptr %regions, i64 {region}")
        limit = code.load("i64", entry, fixed=True)
        delta = code.load("i64", entry, 8, fixed=True)
        offset = code.op(f"and i64 {address}, {(1 << REGION_BITS) - 1}")
        return limit, delta, offset

    @abstractmethod
    def leave_unless(self, condition: str) -> bool:
        """In a kernel whose accesses are checked: leave the instruction to the general code, which knows what
        to do, unless the i1 holds. Returns whether that was written."""

    @abstractmethod
    def host_of_group(self, site: Site) -> str | None:
        """The host address of the lowest lane, where the site was checked together with others."""

    def moved(self, text: str, amount: int) -> str:
        return self.code.op(f"add i64 {text}, {amount}") if amount else text

    def _count_sectors(self, site: Site, first: str, shape: tuple[int, ...]) -> tuple[int, int]:
        """Count the sectors of lanes at these distances from an address, and their ideal; returns what of it
        is always the same, and the caller counts."""
        touched = self._sectors_by_start(site, shape)
        ideals = [rules.ideal(len(shape), site.size, number) for number in touched]
        fixed = []
        for number, table in enumerate((touched, ideals)):
            if len(set(table)) > 1:
                self.add_to_site(site, number, self._looked_up(site, first, table))
            fixed.append(table[0] if len(set(table)) == 1 else 0)
        return fixed[0], fixed[1]

    def _sectors(self, site: Site, first: str, shape: tuple[int, ...]) -> str:
        """The sectors of lanes at these distances from an address, as i64."""
        table = self._sectors_by_start(site, shape)
        return str(table[0]) if len(set(table)) == 1 else self._looked_up(site, first, table)

    def _sectors_by_start(self, site: Site, shape: tuple[int, ...]) -> list[int]:
        """The sectors for each place in a sector at which the first lane can be."""
        starts = range(0, rules.SECTOR, site.size)
        return [rules.sectors([start + offset for offset in shape], site.size) for start in starts]

    def _looked_up(self, site: Site, first: str, table: list[int]) -> str:
        """The entry for where in a sector an address is, as i64."""
        code = self.code
        within = code.op(f"and i64 {first}, {rules.SECTOR - 1}")
        index = code.op(f"lshr i64 {within}, {site.size.bit_length() - 1}")
        entry = code.op(f"getelementptr i8, ptr {self.table(tuple(table))}, i64 {index}")
        return code.op(f"zext i8 {code.load('i8', entry, fixed=True)} to i64")

    def emit_failures(self) -> None:
        super().emit_failures()
        code, failures = self.code, self.pattern_failures
        for label, _, _ in failures:
            code.label(label)
            code.jump("illegal_pattern")
        if failures:
            code.label("illegal_pattern")
            site = code.op("phi i32 " + ", ".join(f"[ {number}, %{label} ]" for label, number, _ in failures))
            first = code.op("phi i64 " + ", ".join(f"[ {text}, %{label} ]" for label, _, text in failures))
            code.store("i32", site, "%worker", at(Worker, "site"))
            code.store("i64", first, "%worker", at(Worker, "addresses"))
            code.store(
                "i32", "0", "%worker", at(Worker, "mask")
            )  # no mask: the addresses follow the site's shape
            code.do(f"ret i32 {Status.ERROR}")
