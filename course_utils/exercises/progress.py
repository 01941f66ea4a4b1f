"""What a learner has solved, in my/progress.json: updates of the course do not touch it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from . import copies

Entry = dict[str, object]
"""`tries`: how often the exercise was checked. `solved`: the first day it was solved, absent until then."""


def path() -> Path:
    return copies.folder() / "progress.json"


def read() -> dict[str, Entry]:
    """Exercise -> entry; empty where there is no file, or one that cannot be read."""
    return _content() or {}


def solved() -> set[str]:
    """The names of the exercises that were solved once."""
    return {name for name, entry in read().items() if "solved" in entry}


def note(name: str, right: bool) -> None:
    """Add a try, and the day where it is the first right one. Raises OSError where that cannot be saved.

    A file that cannot be read is kept beside the new one.
    """
    file, content = path(), _content()
    file.parent.mkdir(parents=True, exist_ok=True)
    if content is None and file.exists():
        file.replace(file.with_suffix(".unreadable.json"))
    content = content or {}
    entry = content.setdefault(name, {})
    tries = entry.get("tries", 0)
    entry["tries"] = tries + 1 if isinstance(tries, int) else 1
    if right:
        entry.setdefault("solved", date.today().isoformat())
    partial = file.with_name(f"{file.name}.part")
    partial.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(file)


def _content() -> dict[str, Entry] | None:
    try:
        content = json.loads(path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    fits = isinstance(content, dict) and all(isinstance(entry, dict) for entry in content.values())
    return content if fits else None
