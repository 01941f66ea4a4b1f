"""Labs over the tiling kernels, small enough to be quick."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from course_utils import kernels
from course_utils.labs import Choice, Counters, Lab, SourceView, TilePicture

NAMES = ["tiling/tiled", "tiling/naive", "tiling/swapped"]


def tiling_lab(**options: object) -> Lab:
    given = {
        "kernels": NAMES,
        "controls": [Choice("kernel"), Choice("TILE", (4, 8), 8), Choice("N", (24, 32, 40))],
        "views": [TilePicture(), Counters(), SourceView()],
        "baseline": "tiling/naive",
    }
    return Lab(**{**given, **options})


def changed(name: str, old: str, new: str) -> kernels.Kernel:
    """A kernel of the course with one piece of its source replaced."""
    kernel = kernels.load(name)
    assert kernel.source.count(old) == 1
    return kernels.Kernel(f"{kernel.topic}/mine", Path("mine.cu"), kernel.source.replace(old, new))


@pytest.fixture
def make_lab() -> Callable[..., Lab]:
    """A lab over the three tiling kernels; options replace those of Lab."""
    return tiling_lab


@pytest.fixture
def edited() -> Callable[[str, str, str], kernels.Kernel]:
    """edited("tiling/naive", old, new): that kernel with one piece of its source replaced, as tiling/mine."""
    return changed
