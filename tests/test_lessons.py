"""The lessons are in canonical form and keep the rules of a lesson; the manifest names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_utils import kernels
from course_utils.exercises import manifest
from tests import lesson_format

NOTEBOOKS = sorted(lesson_format.LESSONS.glob("*.ipynb"))
IDS = [path.stem for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_canonical(path: Path) -> None:
    stored = path.read_text(encoding="utf-8")
    canonical = lesson_format.canonical(nbformat.reads(stored, as_version=4))
    assert stored == canonical, "run: python tests/lesson_format.py --fix"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_rules(path: Path) -> None:
    assert lesson_format.complaints(nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_outputs_are_stored(path: Path) -> None:
    """Most cells put something out; one that only imports, or sets a name, need not."""
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    silent = [cell.id for cell in code if not cell.outputs]
    assert len(silent) <= len(code) / 4, silent


def test_manifest_names_every_notebook() -> None:
    written = [lesson.file for lesson in manifest.lessons() if not lesson.to_come]
    assert sorted(written) == [path.name for path in NOTEBOOKS]
    files = [lesson.file for lesson in manifest.lessons()]
    assert files == sorted(files)


def test_manifest_names_the_kernels_and_exercises_that_a_lesson_uses() -> None:
    for lesson in manifest.lessons():
        assert set(lesson.kernels) <= set(kernels.find())
        text = "" if lesson.to_come else lesson.path.read_text(encoding="utf-8")
        assert all(name in text for name in (*lesson.kernels, *lesson.exercises) if text)
        assert not lesson.to_come or not lesson.exercises


def lesson(*cells: nbformat.NotebookNode) -> nbformat.NotebookNode:
    return new_notebook(cells=[new_markdown_cell("# Title"), *cells])


def test_canonical_form_drops_what_differs_between_machines() -> None:
    view = {"text/plain": "Lab", lesson_format.WIDGET_VIEW: {"model_id": "1"}}
    shown = new_output("execute_result", data=view, metadata={"a": 1}, execution_count=7)
    printed = [new_output("stream", name="stdout", text=text) for text in ("one ", "two ", "three")]
    cell = new_code_cell("\nrun()\n", outputs=[shown, *printed], execution_count=7)
    cell.metadata |= {"tags": ["b", "a"], "trusted": True}
    given = lesson(cell, new_markdown_cell(" "))
    given.metadata |= {"widgets": {}, "kernelspec": {"name": "mine", "display_name": "Mine"}}
    made = nbformat.reads(lesson_format.canonical(given), as_version=4)
    assert made.metadata == lesson_format.METADATA
    _, code = made.cells
    assert (code.source, code.execution_count, code.metadata) == ("run()", 1, {"tags": ["a", "b"]})
    result, stream = code.outputs
    assert (result.data, result.metadata, result.execution_count) == ({"text/plain": "Lab"}, {}, 1)
    assert stream.text == "one two three"
    assert lesson_format.canonical(made) == lesson_format.canonical(given)


def test_the_source_of_a_question_is_folded_away() -> None:
    given = lesson(new_code_cell('labs.Predict("Why?", ["a", "b"], answer="a")'), new_code_cell("run()"))
    _, question, other = nbformat.reads(lesson_format.canonical(given), as_version=4).cells
    assert question.metadata == {"jupyter": {"source_hidden": True}}
    assert other.metadata == {}


def test_a_cell_that_was_not_run_stays_so() -> None:
    made = nbformat.reads(lesson_format.canonical(lesson(new_code_cell("run()"))), as_version=4)
    assert made.cells[1].execution_count is None


ERROR = new_output("error", ename="ValueError", evalue="no", traceback=[])
PATH = new_output("stream", name="stdout", text="made /opt/course/file")
COMPLAINTS = [
    (new_code_cell("run()"), []),
    (new_code_cell("print(f'{a:,}')\nb = a[1:]\nb"), []),
    (new_markdown_cell("More."), ["text and code alternate"]),
    (new_code_cell("\n".join(["run()"] * 11)), ["11 lines"]),
    (new_code_cell("for a in b:\n    run(a)"), ["logic"]),
    (new_code_cell("run(lambda: 1)"), ["logic"]),
    (new_code_cell("run()", outputs=[ERROR]), ["an error"]),
    (new_code_cell("run()", outputs=[PATH]), ["folder of one machine"]),
    (new_code_cell("open('C:\\\\Users')"), ["folder of one machine"]),
    (new_code_cell("run()", outputs=[new_output("stream", name="stdout", text="B:\nnumbers")]), []),
    (
        new_code_cell("run()", outputs=[new_output("stream", name="stdout", text="B:\\new")]),
        ["folder of one"],
    ),
    (new_code_cell("source = '__global__ void f() {}'"), ["pasted"]),
]


@pytest.mark.parametrize(("cell", "words"), COMPLAINTS)
def test_complaints(cell: nbformat.NotebookNode, words: list[str]) -> None:
    found = lesson_format.complaints(lesson(cell))
    assert len(found) == len(words)
    assert all(word in complaint for word, complaint in zip(words, found, strict=True))


def test_complaint_about_a_missing_title() -> None:
    (found,) = lesson_format.complaints(new_notebook(cells=[new_code_cell("run()")]))
    assert "title" in found


def test_fix_rewrites_and_a_second_time_has_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lesson.ipynb"
    nbformat.write(lesson(new_code_cell("run()", metadata={"trusted": True})), path)
    assert lesson_format.main([str(path)]) == 1
    assert "not canonical" in capsys.readouterr().out
    assert lesson_format.main(["--fix", str(path)]) == 0
    assert "rewritten" in capsys.readouterr().out
    assert lesson_format.main([str(path)]) == 0
    assert capsys.readouterr().out == ""


README = lesson_format.ROOT / "README.md"


def test_readme_lists_the_lessons_of_the_manifest() -> None:
    table = re.search(r"^\| --- .*\n((?:\|.*\n)+)", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert table
    expected = []
    for lesson in manifest.lessons()[1:]:
        number = lesson.file.split("_")[0]
        link = f"[{lesson.title}](lessons/{lesson.file})"
        name = f"{lesson.title} (to come)" if lesson.to_come else link
        expected.append(f"| {int(number) if number.isdigit() else ''} | {name} | {lesson.topics} |")
    assert table[1].splitlines() == expected


@pytest.mark.parametrize("target", re.findall(r"\]\(((?!https:)[^)]+)\)", README.read_text(encoding="utf-8")))
def test_readme_links_to_files_that_are_there(target: str) -> None:
    assert (lesson_format.ROOT / target).is_file()
