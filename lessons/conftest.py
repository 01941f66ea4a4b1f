"""Notebooks find the course, and an empty folder of the learner's: their exercises are the starters."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_FOLDER = tempfile.TemporaryDirectory(prefix="live-kernels-", ignore_cleanup_errors=True)
_ROOT = str(Path(__file__).resolve().parent.parent)

os.environ["LIVE_KERNELS_MY"] = str(Path(_FOLDER.name, "my"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_ROOT, os.environ.get("PYTHONPATH"))))
