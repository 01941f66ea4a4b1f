"""A family of kernels: one file of CUDA C++ and the cases that run them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from course_utils import simulator

HERE = Path(__file__).parent
Check = Callable[[simulator.Program], None]


@dataclass(frozen=True)
class Case:
    """One kernel, or an algorithm of several: `check` launches it and compares all that it wrote."""

    family: Family
    name: str
    exercises: str
    check: Check

    def __str__(self) -> str:
        return f"{self.family.name}-{self.name}"

    def run(self) -> None:
        self.check(self.family.program)


@dataclass
class Family:
    """The kernels of `<name>.cu`, compiled once with `options`."""

    name: str
    options: Sequence[str] = ()
    file: str = ""
    cases: list[Case] = field(default_factory=list)

    def __hash__(self) -> int:
        return id(self)

    @property
    def source(self) -> str:
        return (HERE / f"{self.file or self.name}.cu").read_text()

    @functools.cached_property
    def program(self) -> simulator.Program:
        return simulator.compile(self.source, name=f"{self.file or self.name}.cu", options=self.options)

    def case(self, exercises: str) -> Callable[[Check], Check]:
        """Add a function as a case; `exercises` says in a line what is special about its kernel."""

        def add(check: Check) -> Check:
            self.cases.append(Case(self, check.__name__, exercises, check))
            return check

        return add


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def blocks(items: int, threads: int) -> int:
    """How many blocks of `threads` cover `items`."""
    return -(-items // threads)


def padded(values: np.ndarray, width: int) -> np.ndarray:
    """Rows of `width`, the last filled up with zeros."""
    rows = np.zeros((blocks(values.size, width), width), values.dtype)
    rows.flat[: values.size] = values
    return rows
