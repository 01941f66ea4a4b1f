"""Notebooks find the course, and nothing of the learner's: the exercises are the starters, and the recordings
are the course's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_FOLDER = tempfile.TemporaryDirectory(prefix="live-kernels-", ignore_cleanup_errors=True)
_ROOT = str(Path(__file__).resolve().parent.parent)

os.environ["LIVE_KERNELS_MY"] = str(Path(_FOLDER.name, "my"))
os.environ["LIVE_KERNELS_RECORDINGS"] = str(Path(_FOLDER.name, "recordings"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_ROOT, os.environ.get("PYTHONPATH"))))
