"""What nbval cannot see: notebooks in which a comparison would check nothing, or could never hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "lessons").glob("*.ipynb"))
EXEMPT = {"nbval-ignore-output", "nbval-skip", "raises-exception", "nbval-raises-exception"}
MOST_EXEMPT = 0.15

FORBIDDEN = {
    r"#\s*(NBVAL|PYTEST_VALIDATE)_": "only tags exempt a cell, so that the exempt ones can be counted",
    r"\binteract(ive)?(_output)?\(|\bOutput\(|\bclear_output\b": "its output always differs under nbval",
    r";\s*$": "a semicolon silences no cell under nbval; plt.show() or returning None does",
}


def problems(notebook: dict[str, Any]) -> list[str]:
    """What is wrong with a notebook, as sentences that name the cell by its number among all cells."""
    found = []
    code = [(number, cell) for number, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    for number, cell in code:
        source = "".join(cell["source"])
        for pattern, reason in FORBIDDEN.items():
            for match in re.finditer(pattern, source, re.MULTILINE):
                found.append(f"cell {number} has {match[0]!r}: {reason}")
        if cell["execution_count"] is None:
            found.append(f"cell {number} is stored as never run: nbval would compare nothing")
    exempt = [number for number, cell in code if EXEMPT & set(cell["metadata"].get("tags", []))]
    if len(exempt) > MOST_EXEMPT * len(code):
        found.append(f"{len(exempt)} of {len(code)} code cells are exempt from comparison: {exempt}")
    if "widgets" in notebook["metadata"]:
        found.append("metadata.widgets holds the state of widgets, which is no source")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_lesson(path: Path) -> None:
    assert problems(json.loads(path.read_text(encoding="utf-8"))) == []


def code_cell(source: str, count: int | None = 1, tags: tuple[str, ...] = ()) -> dict[str, Any]:
    metadata = {"tags": list(tags)}
    return {
        "cell_type": "code",
        "source": source,
        "execution_count": count,
        "metadata": metadata,
        "outputs": [],
    }


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([code_cell("run()")], []),
        ([code_cell("print('a;b')\nprint('# a NBVAL_ comment')")], []),
        ([code_cell("run()", count=None)], ["never run"]),
        ([code_cell("# NBVAL_IGNORE_OUTPUT\nrun()")], ["only tags"]),
        ([code_cell("plt.plot(x);")], ["semicolon"]),
        ([code_cell("interact(f, x=1)")], ["always differs"]),
        ([code_cell("out = widgets.Output()")], ["always differs"]),
        ([code_cell("run()", tags=("nbval-ignore-output",)), *[code_cell("run()")] * 6], []),
        ([code_cell("run()", tags=("nbval-ignore-output",)), *[code_cell("run()")] * 5], ["1 of 6"]),
    ],
)
def test_problems_are_found(cells: list[dict[str, Any]], words: list[str]) -> None:
    found = problems({"cells": cells, "metadata": {}})
    assert len(found) == len(words)
    assert all(word in sentence for word, sentence in zip(words, found, strict=True))


def test_widget_state_is_found() -> None:
    assert len(problems({"cells": [], "metadata": {"widgets": {}}})) == 1
