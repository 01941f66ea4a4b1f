"""JupyterLab as `lab` starts it: on the learner's copies, asking the internet nothing, on a free port."""

from __future__ import annotations

import json
import re
import socket
import sys
from pathlib import Path

import pytest

from course_utils import lab
from tests.lab_server import running

LESSON = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "course with a space"
    (root / "lessons").mkdir(parents=True)
    (root / "lessons" / lab.START).write_text(json.dumps(LESSON), encoding="utf-8")
    return root


def command(root: Path, *arguments: str) -> list[str]:
    script = "import sys; from pathlib import Path; from course_utils import lab; "
    script += "sys.exit(lab.main(sys.argv[2:], Path(sys.argv[1])))"
    return [sys.executable, "-c", script, str(root), "--no-browser", *arguments]


def test_opens_the_learners_copy_and_asks_nothing(repository: Path) -> None:
    with running(command(repository)) as server:
        address, _ = server.get("")
        assert address.split("?")[0].endswith(f"/lab/tree/my/{lab.START}")
        _, copy = server.get(f"api/contents/my/{lab.START}")
        assert json.loads(copy)["name"] == lab.START
        _, page = server.get("lab")
        config = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
        assert "@jupyterlab/apputils-extension:announcements" in config["disabledExtensions"]
        _, update = server.get("lab/api/update")
        assert json.loads(update)["notification"] is None
        assert server.token


def test_takes_another_port_where_one_is_in_use(repository: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running(command(repository, f"--port={port}")) as server:
            assert server.port != port
            assert f":{server.port}/lab" in server.log.read_text(encoding="utf-8")


def test_says_what_is_new_and_stops_where_copies_cannot_be_written(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "my").write_text("a file where the folder should be", encoding="utf-8")
    assert lab.main([], repository) == 14
    assert "cannot be written" in capsys.readouterr().err


def test_without_a_start_page_it_opens_the_file_browser(tmp_path: Path) -> None:
    assert "--LabApp.default_url=/lab" in lab.options(tmp_path)
