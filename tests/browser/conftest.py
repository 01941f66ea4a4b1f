"""A learner's JupyterLab on fresh copies of the lessons, and pages of a real browser on it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.lab_server import ROOT, Server, running

_START = (
    "import sys; from pathlib import Path; from course_utils import lab; "
    "sys.exit(lab.main(['--no-browser', '--port=0'], Path(sys.argv[1])))"
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lessons, and no my/ yet."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "lessons", root / "lessons")
    return root


@pytest.fixture(scope="module")
def server(browser_path: Path, course: Path) -> Iterator[Server]:
    """What `course_utils lab` starts there."""
    root = course
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join(paths))
        environment.setenv("LIVE_KERNELS_MY", str(root / "my"))
        with running([sys.executable, "-c", _START, str(root)]) as started:
            yield started


@pytest.fixture(scope="module")
def browser(browser_path: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Chromium's sandbox does not run for root, as whom containers run.
        started = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def open_lesson(server: Server, browser: Browser) -> Iterator[Callable[..., Page]]:
    """open_lesson("02_tiling", width=900, theme="Dark"): the learner's copy, every cell run from the menu."""
    opened: list[Page] = []
    numbers = count()

    def opening(name: str, width: int = 1400, theme: str = "Light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 1000})
        opened.append(page)
        page.set_default_timeout(60_000)
        _set_theme(page, server, theme)
        workspace = f"test{next(numbers)}"  # a layout of its own: no tabs of the page before
        page.goto(f"{server.url}lab/workspaces/{workspace}/tree/my/{name}.ipynb?token={server.token}")
        page.get_by_text("| Idle").wait_for()  # JupyterLab forgets cells that are run while the kernel starts
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_function(_RUNS)
        page.wait_for_function(_RAN)
        return page

    yield opening
    for page in opened:
        page.close()


@pytest.fixture(scope="module")
def open_cells(course: Path, server: Server, open_lesson: Callable[..., Page]) -> Callable[..., Page]:
    """open_cells("views", "lab = ...", width=700): a new notebook of these code cells, every cell run."""
    numbers = count()

    def opening(name: str, *cells: str, **options: object) -> Page:
        name = f"{name}{next(numbers)}"  # and so a kernel of its own, which is seen to run
        notebook = {
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"cell{number}",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": cell,
                }
                for number, cell in enumerate(cells)
            ],
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (course / "my").mkdir(exist_ok=True)
        (course / "my" / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        return open_lesson(name, **options)

    return opening


_STATE = "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
_PROMPTS = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(each => each.textContent)"
_RUNS = f"() => {_PROMPTS}.some(each => each.includes('*'))"
_RAN = f"() => {_STATE} === 'idle' && !{_PROMPTS}.some(each => each.includes('*'))"


def _set_theme(page: Page, server: Server, theme: str) -> None:
    answer = page.request.put(
        f"{server.url}lab/api/settings/@jupyterlab/apputils-extension:themes",
        headers={"Authorization": f"token {server.token}"},
        data={"raw": json.dumps({"theme": f"JupyterLab {theme}"})},
    )
    assert answer.ok, answer.status_text
