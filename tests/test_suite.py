"""`test` hands arguments and exit code through, and its notebooks are compared cell by cell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from course_utils import suite

ROOT = Path(__file__).resolve().parent.parent


def test_arguments_and_exit_code_go_through(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[str], str, str]] = []

    def fake_main(arguments: list[str]) -> pytest.ExitCode:
        seen.append((arguments, os.environ["IPYTHONDIR"], os.environ["JUPYTER_CONFIG_DIR"]))
        return pytest.ExitCode.INTERRUPTED

    monkeypatch.setattr(pytest, "main", fake_main)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.chdir(ROOT / "tests")
    assert suite.main(["-k", "tiling"]) == 2
    ((arguments, ipython, jupyter),) = seen
    assert arguments[-2:] == ["-k", "tiling"]
    assert arguments[arguments.index("--dist") + 1] == "loadfile"
    assert Path.cwd() == ROOT
    assert ipython == jupyter
    assert not Path(ipython).exists(), "settings of the test run are left behind"


def cell(source: str, output: str | None, tag: str = "") -> nbformat.NotebookNode:
    """A code cell that was run and printed `output`."""
    streams = [] if output is None else [nbformat.v4.new_output("stream", name="stdout", text=output)]
    metadata = {"tags": [tag]} if tag else {}
    return nbformat.v4.new_code_cell(source, execution_count=1, outputs=streams, metadata=metadata)


def test_notebooks_are_compared_strictly(tmp_path: Path) -> None:
    cells = {
        "right": cell("print(6 * 7)", "42\n"),
        "wrong": cell("print(6 * 7)", "43\n"),
        "silent": cell("print(6 * 7)", None),
        "differs, and may": cell("import time; print(time.time())", "1\n", "nbval-ignore-output"),
        "raises": cell("1 / 0", None),
        "imports the course": cell("import course_utils; print(course_utils.__name__)", "course_utils\n"),
    }
    lessons = tmp_path / "lessons"
    lessons.mkdir()
    notebook = nbformat.v4.new_notebook(cells=list(cells.values()))
    notebook.metadata.kernelspec = {"name": "no-such-kernel", "display_name": "x", "language": "python"}
    nbformat.write(notebook, lessons / "lesson.ipynb")
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider"]
    answer = subprocess.run(
        [*command, "-rfp", str(lessons)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path / "ipython")},
    )
    lines = re.findall(r"^(PASSED|FAILED) .*::Cell (\d+)", answer.stdout, re.MULTILINE)
    outcomes = {int(number): outcome for outcome, number in lines}
    found = [outcomes.get(number) for number in range(len(cells))]
    expected = ["PASSED", "FAILED", "FAILED", "PASSED", "FAILED", "PASSED"]
    assert dict(zip(cells, found, strict=True)) == dict(zip(cells, expected, strict=True)), answer.stdout
