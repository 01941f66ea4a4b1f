"""The lessons, what a learner has solved, and what this machine can do."""

from __future__ import annotations

from IPython.display import Markdown

from .. import devices
from ..exercises import manifest
from ..exercises import progress as progressing
from ..figures import Table
from .counted import Shown


def lessons() -> Markdown:
    """The lessons in order, with links to those that are written."""
    return Markdown("\n".join(map(_item, manifest.lessons()[1:])))


def _item(lesson: manifest.Lesson) -> str:
    number = lesson.file.split("_")[0]
    item = f"{int(number)}." if number.isdigit() else "-"
    name = f"{lesson.title} (to come)" if lesson.to_come else f"[{lesson.title}]({lesson.file})"
    return f"{item} {name}: {lesson.topics}"


def progress() -> Shown:
    """The exercises of each lesson, and which of them the learner has solved."""
    solved, rows = progressing.solved(), []
    for lesson in manifest.lessons():
        still = [name for name in lesson.exercises if name not in solved]
        if all_ := len(lesson.exercises):
            rows.append((lesson.title, f"{all_ - len(still)} of {all_}", ", ".join(still) or "none"))
    return Shown(Table("Your exercises", ("lesson", "solved", "still open"), tuple(rows)))


def machine() -> None:
    """Print what this machine can do."""
    print(devices.describe())
