"""The lessons in order, with their kernels and exercises: manifest.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..kernels.kernel import REPOSITORY

LESSONS = REPOSITORY / "lessons"


@dataclass(frozen=True)
class Lesson:
    """A lesson: its `file` in lessons/, what it is about, and the kernels and exercises that it uses."""

    file: str
    title: str
    topics: str
    kernels: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return LESSONS / self.file

    @property
    def to_come(self) -> bool:
        """Whether it is not written yet."""
        return not self.path.is_file()


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, those to come included, in order."""
    stated = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(
        Lesson(
            lesson["file"],
            lesson["title"],
            lesson["topics"],
            tuple(lesson.get("kernels", ())),
            tuple(lesson.get("exercises", ())),
        )
        for lesson in stated["lessons"]
    )
