"""docs/notes.md names cells that are there, and has no row without an answer."""

from __future__ import annotations

import re

import nbformat
import pytest

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
