"""Initialisation: reads of what nothing has written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access import Site
from ..findings import Access
from ..layout import CONSTANT_REGION, LOCAL_REGION, REGION_BITS
from . import sentences
from .shadow import lanes_of

if TYPE_CHECKING:
    from .observer import Observer


class Unwritten:
    """Tells of reads of memory, variables and constants that were never given a value."""

    def __init__(self, view: Observer) -> None:
        self.view = view

    def never_written(self, site: Site, space: str, granule: int, lane: int) -> None:
        array, index = self.view.place(site, space, granule)
        access = self.view.monitor.access(site, self.view.block, self.view.warp, lane, array, index)

        def make() -> tuple[str, Sequence[Access], str]:
            where = (
                "Shared memory holds anything when a block begins"
                if space == "shared"
                else ("Memory fresh from cudaMalloc holds anything")
            )
            sentence = (
                f"Never written: {sentences.who(access)} reads {access.place} {sentences.where(access)}, but "
                f"nothing has written it before. {where}."
            )
            fix = f"Give every element of {array or 'the memory'} a value before it is read"
            return (
                sentence,
                (access,),
                fix + (", and put __syncthreads() in between." if space == "shared" else "."),
            )

        self.view.report.add("initialisation", (array, access.line), make)

    def unset(self, number: int) -> None:
        site = self.view.monitor.sites[number]
        for lane in lanes_of(self.view.watch.mask & 0xFFFFFFFF):
            address = self.view.worker.addresses[lane] & (1 << 64) - 1
            region = {LOCAL_REGION: "local", CONSTANT_REGION: "const"}.get(address >> REGION_BITS, site.space)
            address &= (1 << REGION_BITS) - 1
            space = site.space if site.space != "generic" else region
            if space == "const" and address >= len(self.view.monitor.unset):
                continue
            name, offset = self.view.monitor.variable_at(site, space, address)
            access = self.view.monitor.access(
                site, self.view.block, self.view.warp, lane, name, offset // self.view.element(site)
            )

            def make(access: Access = access, space: str = space) -> tuple[str, Sequence[Access], str]:
                named = access.place if access.array else "a variable of its own"
                if access.array and access.array.startswith("__local_depot"):
                    named = "an array or variable of its own"
                if space == "const":
                    sentence = (
                        f"Never set: {sentences.who(access)} reads {named} {sentences.where(access)}, "
                        f"but the "
                        f"__constant__ variable {access.array} was never given a value."
                    )
                    return (
                        sentence,
                        (access,),
                        (
                            f"Set it before the launch: set_symbol({access.array!r}, values) here, "
                            "cudaMemcpyToSymbol in a CUDA program."
                        ),
                    )
                sentence = (
                    f"Never written: {sentences.who(access)} reads {named} {sentences.where(access)}, but "
                    "nothing has written it before. Local variables hold anything when a thread begins."
                )
                return sentence, (access,), "Give it a value before it is read."

            self.view.report.add("initialisation", (name, access.line), make)

    def undefined(self, line: int) -> None:
        lane = lanes_of(self.view.watch.mask & 0xFFFFFFFF)[0]
        text = self.view.monitor.text(line)
        access = Access(
            line or None,
            text,
            self.view.monitor.block_index(self.view.block),
            self.view.monitor.thread_index(self.view.warp, lane),
            None,
            None,
            "reads",
        )

        def make() -> tuple[str, Sequence[Access], str]:
            sentence = (
                f"Never written: {sentences.who(access)} uses a variable of its own "
                f"{sentences.where(access)} "
                "that nothing has given a value. Such a variable holds anything."
            )
            return sentence, (access,), "Give the variable a value where it is declared, such as `= 0`."

        self.view.report.add("initialisation", ("a variable", line), make)
