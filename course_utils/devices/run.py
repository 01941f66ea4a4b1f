"""What a launch did: one class for the simulator and the GPU."""

from __future__ import annotations

from dataclasses import dataclass, fields
from statistics import median
from typing import Literal, Self

from .. import simulator

SIMULATOR = "simulator"
"""The device that counts, and what `Run.device` says of it."""

Kind = Literal["counted", "measured"]


@dataclass(frozen=True)
class Time:
    """How long a kernel took on this machine's GPU, now: seconds between two CUDA events around each launch.

    `samples` are in the order measured, after a warm-up. `cold` tells whether the L2 cache was
    overwritten before each launch; otherwise it holds what the launch before it and the restored buffers
    left there.
    """

    gpu: str
    samples: tuple[float, ...]
    cold: bool = False
    kind: Literal["measured"] = "measured"

    @property
    def repeats(self) -> int:
        """The number of launches timed."""
        return len(self.samples)

    @property
    def median(self) -> float:
        """Seconds: half of the launches took less."""
        return median(self.samples)

    @property
    def minimum(self) -> float:
        """Seconds of the fastest launch."""
        return min(self.samples)

    @property
    def spread(self) -> float:
        """Seconds from the fastest launch to the slowest. A smaller difference between two kernels means
        nothing."""
        return max(self.samples) - min(self.samples)

    def __str__(self) -> str:
        return (
            f"measured on {self.gpu}: median {_seconds(self.median)} of {self.repeats} launches, spread "
            f"{_seconds(self.spread)}{', L2 cold' if self.cold else ''}"
        )


@dataclass
class Run(simulator.Run):
    """A simulator.Run that also says where it ran.

    kind: "counted" (simulator: all of metrics, by_line, findings, trace; `time` is None) or "measured"
    (GPU: `metrics` holds only what the machine code states, and `time` is there unless no repeats were
    asked for). device: "simulator", or the GPU's name.
    """

    kind: Kind = "counted"
    device: str = SIMULATOR
    time: Time | None = None

    @classmethod
    def counted(cls, run: simulator.Run) -> Self:
        """The run of the simulator, as this class."""
        return cls(**{field.name: getattr(run, field.name) for field in fields(run)})


def _seconds(value: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.3g} us"
