"""Where recordings are: the course's own beside this file, a learner's in the user's data folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

SHIPPED = Path(__file__).with_name("data")
FOLDER = "LIVE_KERNELS_RECORDINGS"
"""This environment variable names another folder for a learner's own recordings."""


def own_folder() -> Path:
    """The folder of the learner's recordings; it need not exist."""
    chosen = os.environ.get(FOLDER)
    return Path(chosen) if chosen else platformdirs.user_data_path("live-kernels", False) / "recordings"


def own_file(gpu: str) -> Path:
    """The learner's recording of a GPU: its maker's name in small letters."""
    return own_folder() / f"{re.sub(r'[^a-z0-9]+', '_', gpu.lower()).strip('_')}.json"


def files() -> list[tuple[Path, bool]]:
    """Every recording and whether it is the learner's own, the course's first, each in order of names."""
    shipped = [(path, False) for path in sorted(SHIPPED.glob("*.json"))]
    return shipped + [(path, True) for path in sorted(own_folder().glob("*.json"))]
