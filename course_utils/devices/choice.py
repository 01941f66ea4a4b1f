"""Which devices there are, and which one a launch gets."""

from __future__ import annotations

import functools
import os

from .. import machine
from .cuda import Cuda
from .errors import NoGpu
from .gpus import Gpu
from .limit import memory_limit
from .run import SIMULATOR

CHOICE = "LIVE_KERNELS_DEVICE"
"""This environment variable, set to "simulator", hides the GPU."""

_COUNTS = "the simulator runs the kernels and counts what Nsight Compute counts"


def gpu() -> Gpu:
    """The first GPU. Raises NoGpu, with what to do, where none can be used."""
    found = _find()
    if isinstance(found, str):
        raise NoGpu(f"{found} Without a GPU {_COUNTS}: device={SIMULATOR!r}.")
    return found


def available() -> tuple[str, ...]:
    """What `device` may be: "simulator" always, "gpu" where there is one."""
    return (SIMULATOR,) if isinstance(_find(), str) else (SIMULATOR, "gpu")


def current() -> str:
    """The device that a launch gets if none is named: the GPU where there is one, and otherwise the
    simulator."""
    return available()[-1]


def describe() -> str:
    """A sentence on what this machine can do."""
    found = _find()
    if isinstance(found, Gpu):
        return f"{found.name} through {found.through} runs and times the kernels; the simulator counts."
    return f"{found} {_COUNTS[0].upper()}{_COUNTS[1:]}."


def _find() -> Gpu | str:
    if os.environ.get(CHOICE) == SIMULATOR:
        return f"No GPU is used, because {CHOICE} is set to {SIMULATOR}."
    return _look()


@functools.cache
def _look() -> Gpu | str:
    """The GPU, or why there is none. CuPy is imported only where the driver offers a GPU."""
    driver = machine.nvidia_driver()
    if driver is None:
        return "No GPU: this machine has no NVIDIA driver."
    if driver.gpus == 0:
        return "No GPU: the NVIDIA driver offers none to this process."
    if not driver.serves_course:
        cuda = ".".join(map(str, driver.cuda))
        return f"No GPU is used: the NVIDIA driver serves CUDA {cuda} and 12.0 is needed; update the driver."
    try:
        limit = memory_limit()
    except ValueError as error:
        return f"No GPU is used: {error}."
    try:
        return Gpu(Cuda(limit=limit), limit)
    except ImportError:
        return "No GPU is used: CuPy is missing (run: python -m pip install cupy-cuda12x)."
    except Exception as error:  # CuPy's own kinds, known only once it is imported
        return f"No GPU is used: CuPy cannot use the one that is here ({error})."
