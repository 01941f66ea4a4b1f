"""What is to be checked in one kernel, as far as its code tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from .. import members
from ..access import Site
from ..controlflow import read, written
from ..layout import CONSTANT_REGION, LOCAL_REGION, REGION_BITS, SHARED_REGION
from ..ptx import Address, Instruction, Register, plain_name
from . import bases
from .shadow_code import ATOMIC, READS, VOLATILE

if TYPE_CHECKING:
    from ..plan import Plan

_WINDOWS = {"shared": SHARED_REGION, "local": LOCAL_REGION, "const": CONSTANT_REGION}
_INDEX_ARITHMETIC = ("mov", "cvt", "cvta", "add", "sub", "mul", "mad", "shl", "selp", "or", "min", "max")
_CARRIES = ("mov", "cvt", "and", "shr", "bfe", "prmt")
"""Instructions behind which a flag is still one."""
_STRONG = ("relaxed", "acquire", "release", "acq_rel")


class Scheme:
    """The checks of a kernel, and what its code tells about its accesses.

    Made by Plan, whose sites of generic addresses it resolves where all variables that an address derives
    from lie in one space, for builds without optimisation, which use such addresses throughout.
    """

    def __init__(self, plan: Plan, checks: Iterable[str], optimised: bool) -> None:
        self.plan, self.optimised = plan, optimised
        chosen = frozenset(checks)
        self.memory, self.races = "memory" in chosen, "races" in chosen
        self.initialisation, self.barriers = "initialisation" in chosen, "barriers" in chosen
        self.shadowed = self.races or self.initialisation
        self.bases = bases.of_sites(plan.flow, plan.sites, plan.addresses.locals)
        if not optimised:
            plan.sites = {place: self._resolved(site) for place, site in plan.sites.items()}
        self.sites = {site.number: site for site in plan.sites.values()}
        self.tracked = self._tracked() if self.initialisation and not optimised else {}

    def space_of(self, base: str) -> str:
        """The space that a base lies in; what a parameter points to is global."""
        name = base.split("+")[0].split("#")[0]
        space, _ = self.plan.addresses.places.get(name, ("", 0))
        return "global" if space == "param" else space

    def _resolved(self, site: Site) -> Site:
        found = self.bases[site.number]
        if site.space != "generic" or not found or site.instruction.name not in ("ld", "st", "atom", "red"):
            return site
        spaces = {self.space_of(base) for base in found}
        if len(spaces) != 1:
            return site
        space = spaces.pop()
        if space not in ("global", *_WINDOWS):
            return site
        return replace(site, space=space, window=_WINDOWS.get(space, 0) << REGION_BITS)

    # Memory

    def extent(self, site: Site) -> tuple[int, str | int] | None:
        """(first byte, byte behind) of the variables that a site may reach, where these are known and others
        lie beside them in shared or local memory."""
        found = self.bases.get(site.number)
        if not self.memory or not found or site.space not in ("shared", "local"):
            return None
        pieces = [self.variable(base) for base in found]
        if any(piece is None or piece[1] != site.space for piece in pieces):
            return None
        start = min(piece[2] for piece in pieces if piece)
        if any(not piece[3] for piece in pieces if piece):
            return start, "%shared_bytes"
        return start, max(piece[2] + piece[3] for piece in pieces if piece)

    def variable(self, base: str) -> tuple[str, str, int, int] | None:
        """(name in the source, space, where it begins, bytes or 0 for an open end) of a variable of shared or
        local memory."""
        addresses = self.plan.addresses
        symbol, _, offset = base.partition("#")
        if symbol not in addresses.sizes:
            return None
        space, start = addresses.places[symbol]
        size = addresses.sizes[symbol]
        if not offset:
            return plain_name(symbol), space, start, size
        variables = addresses.locals[symbol.split("$")[0]]
        end = min([each for each in variables if each > int(offset)], default=size)
        return variables[int(offset)], space, start + int(offset), end - int(offset)

    # Barriers

    @cached_property
    def staying(self) -> list[int]:
        """Blocks of code from which a barrier or an instruction of the warp may still be reached."""
        return members.before_joints(self.plan.flow.blocks)

    # Shadow memory

    def granule_log(self, space: str) -> int:
        """Log2 of the bytes of a granule: the smallest access, at most 4."""
        return self._granules[space]

    @cached_property
    def _granules(self) -> dict[str, int]:
        found = {}
        for space in ("shared", "global"):
            sizes = [each.size for each in self.plan.sites.values() if each.space in (space, "generic")]
            sizes += [2 for each in self.plan.sites.values() if each.instruction.name == "wmma"]
            found[space] = min([4, *sizes]).bit_length() - 1
        return found

    def flags(self, site: Site) -> int:
        instruction = site.instruction
        if instruction.name in ("atom", "red") or instruction.has(*_STRONG):
            reads = instruction.name in ("atom", "red") and not instruction.has("exch")
            return ATOMIC | READS * reads
        if instruction.has("volatile"):
            is_flag = site.space == "global" and (site.store or self._asks(instruction))
            return VOLATILE | (ATOMIC if is_flag else 0)
        return 0

    def _asks(self, load: Instruction) -> bool:
        """Is what is loaded compared with something, as a flag is? What is only worked with is data, and
        volatile gives it no order. Without optimisation values go by way of local variables."""
        found, variables = set(written(load)), set[frozenset[str]]()
        places = [
            (each, self.plan.sites.get((block.index, place)))
            for block in self.plan.flow.blocks
            for place, each in enumerate(block.instructions)
        ]
        grown = True
        while grown:
            grown = False
            for each, site in places:
                local = site is not None and site.space == "local" and self.bases.get(site.number)
                if each.name == "ld" and local and local in variables:
                    carried = set(written(each))
                elif not found & set(read(each)):
                    continue
                elif each.name in ("setp", "set", "slct", "selp"):
                    return True
                elif each.name == "st" and local and local not in variables:
                    variables.add(local)
                    grown = True
                    continue
                else:
                    carried = set(written(each)) if each.name in _CARRIES else set()
                if not carried <= found:
                    found |= carried
                    grown = True
        return False

    @cached_property
    def hears(self) -> bool:
        """Can threads tell each other anything by flags? For that a kernel needs a fence, or a store that
        is one too."""
        return self.races and any(_fences(each) for each in self.plan.function.instructions)

    def tells(self, site: Site) -> bool:
        return self.hears and self.flags(site) != 0

    def releases(self, site: Site) -> bool:
        return site.instruction.has("release", "acq_rel")

    @cached_property
    def chased(self) -> set[str]:
        """What is walked through by its own values, as trees and lists of parents are: names whose elements
        become indices of the same array. Threads that shorten such paths at the same time see an older
        or a newer link, and either leads on."""
        flows: dict[str, set[str]] = {}
        loads = [
            site for site in self.plan.sites.values() if site.load and site.space in ("global", "generic")
        ]
        for site in loads:
            for name in written(site.instruction):
                flows.setdefault(name, set()).update(self.bases.get(site.number) or ())
        changed = True
        while changed:
            changed = False
            for block in self.plan.flow.blocks:
                for instruction in block.instructions:
                    if instruction.name not in _INDEX_ARITHMETIC:
                        continue
                    given = set().union(*(flows.get(name, set()) for name in read(instruction)))
                    for name in written(instruction):
                        if not given <= flows.setdefault(name, set()):
                            flows[name] |= given
                            changed = True
        found: set[str] = set()
        for site in loads:
            address = next(each for each in site.instruction.operands if isinstance(each, Address))
            if isinstance(address.base, Register):
                found |= flows.get(address.base.name, set()) & (self.bases.get(site.number) or frozenset())
        return found

    def forgiving(self, one: Site, other: Site) -> bool:
        """Are two accesses without order such that either order will do? A read of what others only lower,
        raise or claim with an atomic sees an older value at worst; likewise links that are followed."""
        names = (self.bases.get(one.number) or frozenset()) & (self.bases.get(other.number) or frozenset())
        if names & self.chased:
            return True
        for plain, atomic in ((one, other), (other, one)):
            if not plain.store and atomic.instruction.name in ("atom", "red"):
                return atomic.instruction.has("min", "max", "cas", "and", "or")
        return False

    # Initialisation

    @cached_property
    def unset_constants(self) -> bool:
        """Are there __constant__ variables that a launch may find unset?"""
        return self.plan.addresses.constant_bytes > 0

    def may_be_unset(self, site: Site) -> bool:
        return self.unset_constants

    def _tracked(self) -> dict[str, int]:
        """Registers that may be read before they are written, and those that such are copied to -> a
        number."""
        blocks = self.plan.flow.blocks
        found = {name for name in self.plan.flow.live_in[0] if not name.startswith("$")} if blocks else set()
        changed = True
        while changed:
            changed = False
            for block in blocks:
                for instruction in block.instructions:
                    if self.copied(instruction) in found and not found.issuperset(written(instruction)):
                        found.update(written(instruction))
                        changed = True
        return {name: number for number, name in enumerate(sorted(found))}

    @cached_property
    def only_copied(self) -> set[int]:
        """Sites that load from local memory what goes to local memory again and nowhere else: copies of
        structures, which may have members that nothing wrote."""
        uses: dict[str, set[bool]] = {}
        for place, site in self.plan.sites.items():
            if site.store and not site.load and site.space == "local" and place[1] >= 0:
                for name in read(site.instruction):
                    uses.setdefault(name, set()).add(True)
        for block in self.plan.flow.blocks:
            for position, instruction in enumerate(block.instructions):
                here = self.plan.sites.get((block.index, position))
                if here is None or here.space != "local" or not here.store:
                    for name in read(instruction):
                        uses.setdefault(name, set()).add(False)
        return {
            site.number
            for site in self.plan.sites.values()
            if site.load and all(uses.get(name, {True}) == {True} for name in written(site.instruction))
        }

    def shows_unset(self, site: Site) -> bool:
        """Is a load of local memory by this site a use of what is there? Without optimisation, functions of
        headers and copies of structures load members that are never used."""
        own = site.instruction.location.file == 1
        return self.optimised or (own and site.number not in self.only_copied)

    def copied(self, instruction: Instruction) -> str | None:
        """The register that an instruction copies to another one, if that is all it does."""
        if instruction.name == "mov" and len(instruction.operands) == 2:
            source = instruction.operands[1]
            if isinstance(source, Register) and isinstance(instruction.operands[0], Register):
                return source.name
        return None


def _fences(instruction: Instruction) -> bool:
    return instruction.name in ("membar", "fence") or instruction.has("release", "acq_rel")
