"""The docs name cells and exercises that are there, and no row of docs/notes.md is without an answer."""

from __future__ import annotations

import re

import nbformat
import pytest

from course_utils import exercises
from course_utils.exercises import manifest
from tests.lesson_format import ROOT

NOTES = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in NOTES.splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| What the notes have"))
]
PLACE = re.compile(r"\[(\d\d): ([^\]]+)\]\(\.\./lessons/([\w.]+)\)")
LESSONS = {lesson.file: lesson for lesson in manifest.lessons()}


def headings(file: str) -> set[str]:
    cells = nbformat.read(LESSONS[file].path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return set(re.findall(r"^#+ (.+)$", text, re.MULTILINE))


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_names_cells_that_are_there_and_says_what_was_found(row: tuple[str, ...]) -> None:
    _, where, found = row
    assert found
    places = PLACE.findall(where)
    assert places or where == "no lesson", f"{where!r} is no place: [NN: Heading](../lessons/NN_name.ipynb)"
    for number, heading, file in places:
        assert file.startswith(number)
        if LESSONS[file].to_come:
            assert heading == "to come"
        else:
            assert heading in headings(file)


TEACHING = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
PART = re.compile(r"\[(?:\d\d|Playground)\]\(\.\./lessons/([\w.]+)\): ([^|]+)")
PARTS = [
    (file, name.strip().removeprefix("up to ").removeprefix("all but "))
    for file, names in PART.findall(TEACHING)
    for name in names.split(";")
    if file != "playground.ipynb"
]
"""(lesson, heading) of each part that a syllabus names."""


@pytest.mark.parametrize(("file", "heading"), PARTS)
def test_a_syllabus_names_parts_that_are_there(file: str, heading: str) -> None:
    assert heading in headings(file) | {"questions"}


def test_a_syllabus_names_exercises_that_are_there() -> None:
    named = set(re.findall(r"\b\d\d_\w+/\w+", TEACHING))
    assert named
    assert named <= set(exercises.names())


@pytest.mark.parametrize(("hours", "head"), [(2, "Two"), (4, "Four"), (8, "Eight")])
def test_the_minutes_of_a_syllabus_add_up(hours: int, head: str) -> None:
    """That of four hours begins with the one of two, without its last row of 10 minutes."""
    section = TEACHING.split(f"### {head} hours")[1].split("\n### ")[0].split("\nNotes for")[0]
    minutes = sum(map(int, re.findall(r"^\| (\d+) \|", section, re.MULTILINE)))
    assert minutes + (110 if hours == 4 else 0) == 60 * hours
