"""A run together with what is needed to judge it."""

from __future__ import annotations

from dataclasses import dataclass

from ..simulator import Run

COUNTED = "counted (simulator)"
"""The label of every number that comes from a simulated run."""


@dataclass(frozen=True)
class Sample:
    """A run under the `name` that a table shows for it.

    `operations` are the multiply-adds of its problem (None: the problem has none), `shared_bytes` the dynamic
    shared memory that it was launched with.
    """

    name: str
    run: Run
    operations: int | None = None
    shared_bytes: int = 0
