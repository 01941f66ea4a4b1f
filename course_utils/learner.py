"""Learners' own copies of the lessons: never overwritten, a new version offered beside."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

MANIFEST = ".made.json"
"""In the folder of copies: file name -> SHA-256 of the original that the learner was last given."""


def refresh(lessons: Path, mine: Path) -> list[str]:
    """Bring the copies in `mine` up to date with the notebooks in `lessons`; returns news for the learner.

    A copy that does not exist is made. One that the learner has not changed is replaced when its original
    changes. One that the learner has changed stays as it is, and the new original is laid beside it, once.
    """
    mine.mkdir(exist_ok=True)
    given = read_manifest(mine / MANIFEST)
    news = []
    for original in sorted(lessons.glob("*.ipynb")):
        copy, name, now = mine / original.name, original.name, digest(original)
        before = given.get(name, now)  # without a record, nothing says that the original has changed
        if not copy.exists():
            place(original, copy)
        elif digest(copy) == before != now:
            place(original, copy)
            news.append(f"{name}: updated to the new version of the lesson; your copy had no changes.")
        elif before != now and digest(copy) != now:
            beside = free_name(copy, now)
            place(original, beside)
            news.append(
                f"{name}: the lesson has a new version. Your copy stays as it is; the new one is "
                f"{beside.name}."
            )
        given[name] = now
    write_manifest(mine / MANIFEST, given)
    return news


def free_name(copy: Path, wanted: str) -> Path:
    """NN_topic.new.ipynb beside `copy`, or .new2 and so on: free, or holding the digest `wanted` already."""
    number = 1
    while True:
        beside = copy.with_name(f"{copy.stem}.new{number if number > 1 else ''}{copy.suffix}")
        if not beside.exists() or digest(beside) == wanted:
            return beside
        number += 1


def place(original: Path, copy: Path) -> None:
    """Copy a file so that `copy` is never seen half-written."""
    partial = copy.with_name(f"{copy.name}.part")
    shutil.copyfile(original, partial)
    partial.replace(copy)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_manifest(path: Path) -> dict[str, str]:
    """The manifest; empty where there is none or it cannot be read as one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_manifest(path: Path, given: dict[str, str]) -> None:
    partial = path.with_name(f"{path.name}.part")
    partial.write_text(json.dumps(given, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(path)
