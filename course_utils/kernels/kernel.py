"""A kernel file, with what it states about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from operator import index
from pathlib import Path
from typing import NamedTuple

from . import code, head
from .errors import KernelError, listed
from .formulas import Formula
from .listing import Listing

REPOSITORY = Path(__file__).resolve().parents[2]

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same from 5.0 to 12.x.
_MAX_THREADS_PER_BLOCK = 1024
_MAX_BLOCK = (1024, 1024, 64)
_WORDS = ("float", "int", "unsigned")
_MAX_GRID = (2**31 - 1, 65535, 65535)


class Geometry(NamedTuple):
    """A launch's ``grid`` in blocks and ``block`` in threads, x first, and its dynamic shared memory."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int


@dataclass(frozen=True)
class Kernel:
    """One ``.cu`` file: its ``name`` (``tiling/tiled``), its ``path``, its ``source``."""

    name: str
    path: Path
    source: str = field(repr=False)

    def __post_init__(self) -> None:
        try:
            self._check()
        except KernelError as error:
            raise KernelError(f"{self.path.name}: {error}") from None

    @property
    def topic(self) -> str:
        """The folder that the file is in: ``tiling``."""
        return self.name.split("/")[0]

    @property
    def summary(self) -> str:
        """The first sentence of the head comment."""
        return self._head.summary

    @property
    def tunables(self) -> dict[str, head.Tunable]:
        """What may be varied, by name: macros (``compiled``) and values chosen at the launch."""
        return {tunable.name: tunable for tunable in self._head.tunables}

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that ``geometry`` needs, in the order of the entry point's parameters."""
        used = self._head.block.names | self._head.grid.names | self._head.shared.names
        return tuple(name for name in self._parameter_names if name in used)

    @cached_property
    def entry_points(self) -> tuple[code.EntryPoint, ...]:
        """The ``extern "C"`` kernels of the file."""
        return code.entry_points(self.source)

    @property
    def entry(self) -> code.EntryPoint:
        """The only entry point; ``KernelError`` if the file has several."""
        if len(self.entry_points) > 1:
            names = listed(entry.name for entry in self.entry_points)
            raise KernelError(f"{self.name} has several entry points, {names}: pick from entry_points.")
        return self.entry_points[0]

    def values(self, tunables: Mapping[str, int] | None = None) -> dict[str, int]:
        """A value for every tunable: the given one, checked, or its default."""
        given = dict(tunables or {})
        for name, value in given.items():
            if name not in self.tunables:
                raise KernelError(
                    f"{self.name} has no tunable {name}; it has {listed(self.tunables) or 'none'}."
                )
            legal = self.tunables[name].values
            if isinstance(value, bool) or value not in legal:
                raise KernelError(f"{name} cannot be {value!r} in {self.name}: use {listed(legal, 'or')}.")
        return {name: int(given.get(name, tunable.default)) for name, tunable in self.tunables.items()}

    def defines(self, tunables: Mapping[str, int] | None = None) -> dict[str, int]:
        """The macros to compile with: ``values``, less those that are chosen at the launch."""
        values = self.values(tunables)
        return {name: values[name] for name, tunable in self.tunables.items() if tunable.compiled}

    def geometry(self, tunables: Mapping[str, int] | None = None, /, **sizes: int) -> Geometry:
        """The launch that the head comment states, say ``geometry({"TILE": 8}, N=256)``.

        Any parameter may be given, needed or not. Raises ``KernelError`` for an illegal tunable, for a
        size that is missing, unknown or no positive integer, and for a launch that no GPU accepts.
        """
        values = self.values(tunables) | self._checked(sizes)
        try:
            (shared_bytes,) = self._head.shared(values)
            geometry = Geometry(self._head.grid(values), self._head.block(values), shared_bytes)
            _check_limits(geometry)
        except KernelError as error:
            raise KernelError(f"{self.name}: {error}") from None
        return geometry

    def shared_shapes(self, tunables: Mapping[str, int] | None = None) -> dict[str, tuple[int, ...]]:
        """The extents of each shared array of 4-byte elements, by name; none whose extents are no formula of
        the tunables."""
        values, found = self.values(tunables), {}
        for name, array in code.shared_arrays(self.source).items():
            try:
                extents = tuple(Formula(extent)(values)[0] for extent in array.extents)
            except (KernelError, KeyError):
                continue
            if array.type in _WORDS and all(extents):
                found[name] = extents
        return found

    def show(self, first: int = 1, last: int | None = None) -> Listing:
        """Lines ``first`` to ``last`` of the file, counted from 1, both included; all of it by default."""
        count = len(self.source.splitlines())
        end = count if last is None else last
        if not 1 <= first <= end <= count:
            raise KernelError(f"{self.name} has lines 1 to {count}; {first} to {end} is no range of them.")
        return Listing(self._title, self.source, first, end)

    def show_code(self) -> Listing:
        """The entry points alone, without the head comment."""
        return self.show(self.entry_points[0].first, self.entry_points[-1].last)

    @property
    def _title(self) -> str:
        inside = self.path.is_relative_to(REPOSITORY)
        return self.path.relative_to(REPOSITORY).as_posix() if inside else self.path.name

    @cached_property
    def _head(self) -> head.Head:
        return head.parse_head(self.source)

    @property
    def _parameter_names(self) -> tuple[str, ...]:
        names = (parameter.name for entry in self.entry_points for parameter in entry.parameters)
        return tuple(dict.fromkeys(names))

    @property
    def _needs(self) -> str:
        return listed(self.sizes) or "no size"

    def _check(self) -> None:
        """Refuse a file whose head, macros and parameters do not fit together."""
        text = code.without_comments(self.source)
        for tunable in self._head.tunables:
            macro = f"#ifndef {tunable.name}\n#define {tunable.name} {tunable.default}\n#endif\n"
            if tunable.compiled and macro not in text:
                raise KernelError(f"{tunable.name} needs its default, {tunable.default}, under #ifndef.")
        known = {*self.tunables, *self._parameter_names}
        for key, most in (("block", 3), ("grid", 3), ("shared", 1)):
            formula: Formula = getattr(self._head, key)
            if not 1 <= formula.parts <= most:
                raise KernelError(f"{key} has {formula.parts} parts; {most} is the most.")
            if unknown := formula.names - known:
                raise KernelError(f"{key} uses {listed(sorted(unknown))}, neither a tunable nor a parameter.")

    def _checked(self, sizes: Mapping[str, int]) -> dict[str, int]:
        if unknown := [name for name in sizes if name not in self._parameter_names]:
            raise KernelError(
                f"{self.name} has no parameter {listed(unknown)}; its launch needs {self._needs}."
            )
        if missing := [name for name in self.sizes if name not in sizes]:
            raise KernelError(f"The launch of {self.name} needs {self._needs}: {listed(missing)} is missing.")
        return {name: _positive(name, sizes[name]) for name in self.sizes}


def _positive(name: str, size: int) -> int:
    try:
        count = index(size)
    except TypeError:
        count = 0
    if count < 1 or isinstance(size, bool):
        raise KernelError(f"{name} cannot be {size!r}: use a positive integer.")
    return count


def _check_limits(geometry: Geometry) -> None:
    for what, shape, limits in (("block", geometry.block, _MAX_BLOCK), ("grid", geometry.grid, _MAX_GRID)):
        inside = (1 <= extent <= limit for extent, limit in zip(shape, limits, strict=False))
        if not all(inside):
            raise KernelError(f"no GPU accepts a {what} of {shape}: the limits are 1 to {limits}.")
    if (threads := prod(geometry.block)) > _MAX_THREADS_PER_BLOCK:
        raise KernelError(
            f"no GPU accepts a block of {threads} threads: {_MAX_THREADS_PER_BLOCK} is the most."
        )
