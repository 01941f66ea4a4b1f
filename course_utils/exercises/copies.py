"""A learner's own copies of the starters, my/exercises/<lesson>/<name>.cu or .py, which no update
overwrites."""

from __future__ import annotations

import os
from pathlib import Path

from .. import learner
from ..kernels import Listing
from ..kernels.kernel import REPOSITORY
from .exercise import Exercise


def folder() -> Path:
    """The learner's folder, my/ of the repository. The tests name another one in LIVE_KERNELS_MY."""
    return Path(os.environ.get("LIVE_KERNELS_MY") or REPOSITORY / "my")


def path(exercise: Exercise) -> Path:
    return folder() / "exercises" / f"{exercise.name}{exercise.suffix}"


def shown(copy: Path) -> str:
    """The path of a copy as a learner knows it: from my/ on, with forward slashes."""
    return f"my/{copy.relative_to(folder()).as_posix()}"


def provide(exercise: Exercise) -> list[str]:
    """Make the copy where there is none; returns news of the starter for the learner.

    The rules of learner.refresh: a copy without changes follows the starter, any other stays as it is, and a
    new starter is laid beside it once. Raises OSError where the folder cannot be written.
    """
    copy, starter = path(exercise), exercise.starter.path
    copy.parent.mkdir(parents=True, exist_ok=True)
    manifest = copy.parent / learner.MANIFEST
    given, now = learner.read_manifest(manifest), learner.digest(starter)
    before = given.get(copy.name, now)
    news = []
    if not copy.exists():
        learner.place(starter, copy)
    elif learner.digest(copy) == before != now:
        learner.place(starter, copy)
        news.append(f"{shown(copy)} follows the new starter; your copy had no changes.")
    elif before != now and learner.digest(copy) != now:
        beside = learner.free_name(copy, now)
        learner.place(starter, beside)
        news.append(f"The starter has a new version, {shown(beside)}. Your copy stays as it is.")
    learner.write_manifest(manifest, given | {copy.name: now})
    return news


def read(exercise: Exercise) -> str:
    """The learner's answer; the starter where there is no copy yet.

    Raises OSError where the copy cannot be read, and UnicodeDecodeError where it is no UTF-8 text."""
    copy = path(exercise)
    return copy.read_text(encoding="utf-8") if copy.exists() else exercise.starter.source


def listing(exercise: Exercise) -> Listing:
    """The learner's answer, as it is now, for display."""
    source = read(exercise)
    return Listing(shown(path(exercise)), source, 1, max(len(source.splitlines()), 1))
