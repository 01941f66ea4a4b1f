"""The course's CUDA kernels: the files ``kernels/<topic>/<name>.cu``, and what their head comments state.

    >>> kernel = load("tiling/tiled")
    >>> kernel.geometry({"TILE": 8}, N=256)
    Geometry(grid=(32, 32), block=(8, 8), shared_bytes=0)

``kernels/<topic>/faulty/`` holds kernels that are wrong on purpose, for lessons to show what comes of it;
they load like the others, ``load("execution_model/faulty/reverse_guarded")``, and count as none of them.

The head comment is the one source of a kernel's tunables and launch; ``course_utils.kernels.head`` says how
it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from .code import EntryPoint, Parameter
from .errors import KernelError, listed
from .head import Tunable
from .kernel import REPOSITORY, Geometry, Kernel
from .listing import Listing

__all__ = [
    "EntryPoint",
    "Geometry",
    "Kernel",
    "KernelError",
    "Listing",
    "Parameter",
    "Tunable",
    "faulty",
    "find",
    "load",
    "topics",
]

_KERNELS = REPOSITORY / "kernels"
_OWN_KERNELS = REPOSITORY / "my" / "kernels"


def topics() -> tuple[str, ...]:
    """The topics that have kernels, in alphabetical order."""
    return tuple(sorted({path.parent.name for path in _KERNELS.glob("*/*.cu")}))


def find(topic: str | None = None) -> tuple[str, ...]:
    """The names of all kernels, or of one topic's, in alphabetical order: ``tiling/tiled`` and so on."""
    if topic is not None and topic not in topics():
        raise KernelError(f"There is no topic {topic!r}; {_nearest(topic, topics())}.")
    return _names(f"{topic or '*'}/*.cu")


def faulty() -> tuple[str, ...]:
    """The names of the kernels that are wrong on purpose, in alphabetical order: ``tiling/faulty/...``."""
    return _names("*/faulty/*.cu")


def load(name: str, *, own: bool = False) -> Kernel:
    """The kernel of that name: ``load("tiling/tiled")``.

    With ``own``, a learner's copy ``my/kernels/<topic>/<name>.cu`` takes precedence where there is one.
    Raises ``KernelError`` for an unknown name, with the nearest ones, and for a file whose head comment is
    incomplete.
    """
    name = name.removesuffix(".cu")
    if name not in (*find(), *faulty()):
        raise KernelError(f"There is no kernel {name!r}; {_nearest(name, find())}.")
    copy = _OWN_KERNELS / f"{name}.cu"
    path = copy if own and copy.is_file() else _KERNELS / f"{name}.cu"
    return Kernel(name, path, path.read_text(encoding="utf-8"))


def _names(pattern: str) -> tuple[str, ...]:
    paths = _KERNELS.glob(pattern)
    return tuple(sorted(path.relative_to(_KERNELS).with_suffix("").as_posix() for path in paths))


def _nearest(name: str, known: Sequence[str]) -> str:
    last_parts = {other.split("/")[-1]: other for other in known}
    near = get_close_matches(name, known, n=3) or [
        last_parts[part] for part in get_close_matches(name.split("/")[-1], last_parts, n=3)
    ]
    return f"the nearest: {listed(near, 'or')}" if near else f"there are {listed(known)}"
