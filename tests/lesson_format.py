"""The canonical form of the lessons' notebooks, byte for byte, and the rules for what is in them.

    python tests/lesson_format.py --fix          # put the notebooks of lessons/ in canonical form
    python tests/lesson_format.py --run          # run them first, and store what they put out
    python tests/lesson_format.py --run lessons/02_tiling.ipynb

Canonical: nbformat 4.5 as Jupyter writes it; cells numbered in order; of cells' metadata the tags alone; the
source of a question folded away, since it holds the answer; no state and no views of widgets, whose ids are
random; empty cells gone.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "lessons"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
QUESTION = "labs.Predict("
MOST_LINES = 10
LOGIC = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.For,
    ast.While,
    ast.If,
    ast.Try,
    ast.With,
)
# A folder of some machine: in a path it follows a slash at the start of a word.
ABSOLUTE = re.compile(r"(?<![\w.:/])/(?:home|root|tmp|usr|var|opt|Users)/|\b[A-Z]:\\\\?\w")


def canonical(notebook: nbformat.NotebookNode) -> str:
    """The notebook's text in canonical form; the notebook itself stays as it is."""
    cells, count = [], 0
    for cell in notebook.cells:
        source = cell.source.strip("\n")
        if not source.strip():
            continue
        made: dict[str, Any] = {
            "cell_type": cell.cell_type,
            "id": cell.id,
            "metadata": _metadata(cell),
            "source": source,
        }
        if cell.cell_type == "code":
            count += 1
            was_run = cell.execution_count is not None
            made["execution_count"] = count if was_run else None
            made["outputs"] = [_output(output, made["execution_count"]) for output in _joined(cell.outputs)]
        cells.append(made)
    content = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return nbformat.writes(nbformat.from_dict(content)) + "\n"


def _metadata(cell: nbformat.NotebookNode) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if cell.metadata.get("tags"):
        made["tags"] = sorted(cell.metadata.tags)
    if cell.cell_type == "code" and cell.source.strip().startswith(QUESTION):
        made["jupyter"] = {"source_hidden": True}
    return made


def _joined(outputs: list[Any]) -> list[Any]:
    """The outputs, with what was printed in several pieces in one."""
    joined: list[Any] = []
    for output in outputs:
        if (
            joined
            and output.output_type == joined[-1].output_type == "stream"
            and output.name == joined[-1].name
        ):
            joined[-1].text += output.text
        else:
            joined.append(nbformat.from_dict(dict(output)))
    return joined


def _output(output: Any, count: int | None) -> dict[str, Any]:
    made = dict(output)
    if "data" in made:
        made["data"] = {kind: value for kind, value in made["data"].items() if kind != WIDGET_VIEW}
        made["metadata"] = {}
    if made["output_type"] == "execute_result":
        made["execution_count"] = count
    return made


def complaints(notebook: nbformat.NotebookNode) -> list[str]:
    """What breaks the rules of a lesson, as sentences that name the cell by its number, counted from 0."""
    found = []
    cells = notebook.cells
    if not cells or cells[0].cell_type != "markdown" or not cells[0].source.startswith("# "):
        found.append("the first cell is no title: begin it with '# '")
    for number, (before, cell) in enumerate(pairwise(cells), 1):
        if before.cell_type == cell.cell_type:
            found.append(
                f"cell {number}: text and code alternate, and this follows another {cell.cell_type} cell"
            )
    ids = [cell.get("id") for cell in cells]
    if len(set(ids)) < len(ids):
        found.append("two cells have the same id")
    for number, cell in enumerate(cells):
        found += [f"cell {number}: {complaint}" for complaint in _cell_complaints(cell)]
    return found


def _cell_complaints(cell: nbformat.NotebookNode) -> list[str]:
    found = []
    outputs = re.sub(
        r"(?<!\\)\\n", " ", str(cell.get("outputs", ""))
    )  # "A:" at the end of a line is no drive
    if ABSOLUTE.search(cell.source + outputs):
        found.append("names a folder of one machine")
    if "__global__ void" in cell.source:
        found.append("a kernel is pasted; show it from its file with kernels.load(...).show()")
    if cell.cell_type == "code":
        lines = len(cell.source.splitlines())
        if lines > MOST_LINES:
            found.append(f"{lines} lines of code; {MOST_LINES} is the most, the rest belongs in course_utils")
        if any(isinstance(node, LOGIC) for node in ast.walk(ast.parse(cell.source))):
            found.append("holds logic, which belongs in course_utils")
        if any(output.output_type == "error" for output in cell.outputs):
            found.append("its stored output is an error")
    return found


def run(path: Path) -> nbformat.NotebookNode:
    """The notebook after Run All, in an environment like that of the tests. Raises where a cell fails."""
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    with tempfile.TemporaryDirectory(prefix="live-kernels-") as folder:
        paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        given = {
            "PYTHONPATH": os.pathsep.join(paths),
            "LIVE_KERNELS_MY": str(Path(folder, "my")),
            "IPYTHONDIR": folder,
            "LIVE_KERNELS_RECORDINGS": folder,
        }
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources)
        client.execute(env={**os.environ, **given})
    return notebook


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Canonical form of the lessons' notebooks.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all of lessons/)")
    parser.add_argument("--fix", action="store_true", help="rewrite what is not canonical")
    parser.add_argument("--run", action="store_true", help="run first, and store the outputs; implies --fix")
    given = parser.parse_args(arguments)
    bad = False
    for path in given.paths or sorted(LESSONS.glob("*.ipynb")):
        notebook = run(path.resolve()) if given.run else nbformat.read(path, as_version=4)
        text = canonical(notebook)
        if text != path.read_text(encoding="utf-8"):
            bad |= not (given.fix or given.run)
            print(f"{path}: {'rewritten' if given.fix or given.run else 'not canonical; --fix rewrites it'}")
            if given.fix or given.run:
                path.write_text(text, encoding="utf-8", newline="\n")
        for complaint in complaints(nbformat.reads(text, as_version=4)):
            bad = True
            print(f"{path}: {complaint}")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
