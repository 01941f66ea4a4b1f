"""What only a GPU can raise. All of it derives from `simulator.Error`, as everything else that a launch
raises."""

from __future__ import annotations

from ..simulator import Error
from .limit import LIMIT


class NoGpu(Error):
    """A GPU was asked for, and there is none that can be used."""


class GpuLost(Error):
    """The GPU can no longer be used by this process: a kernel broke its context, or still runs on it."""


class OutOfGpuMemory(Error):
    """The buffers of a launch do not fit in the GPU's free memory; both are in bytes."""

    def __init__(self, gpu: str, wanted: int, free: int, limit: int | None = None) -> None:
        if limit is None:
            told = (
                f"which has {_size(free)} free: use smaller arrays, or end other programs and notebooks that "
                "use the GPU"
            )
        else:
            told = (
                f"of which it may still take {_size(free)}: {LIMIT} sets the limit to {_size(limit)}; use "
                "smaller arrays"
            )
        super().__init__(f"this launch needs {_size(wanted)} on {gpu}, {told}")
        self.wanted = wanted
        self.free = free


def _size(count: int) -> str:
    """Bytes for people: 1.5 GiB."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << power:
            return f"{count / (1 << power):.3g} {unit}"
    return f"{count} bytes"


BROKEN = {
    700: "a load or store outside its buffer (illegal address)",
    702: "the display driver ended it, because it ran for too long",
    710: "an assert() in it failed",
    714: "a stack overflow or a broken stack",
    715: "an illegal instruction, such as trap",
    716: "a load or store whose address is no multiple of its size (misaligned address)",
    717: "a load or store in the wrong address space",
    718: "a jump to where there is no code",
    719: "an unspecified failure, such as an index far outside shared memory or a trap",
}
"""cudaError_t and CUresult (they share these numbers) that make a context useless -> what the kernel did.

CUDA Runtime API, "Data types", enum cudaError: "the process must be terminated and relaunched"."""
