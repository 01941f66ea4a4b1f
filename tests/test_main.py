"""The entry of the commands parses on any Python, and says which one the course needs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils import __main__ as command

ROOT = Path(__file__).resolve().parent.parent
TOO_NEW_SYNTAX = (
    ast.JoinedStr,
    ast.AnnAssign,
    ast.NamedExpr,
    ast.Starred,
    ast.Match,
    ast.AsyncFunctionDef,
    ast.Nonlocal,
    ast.YieldFrom,
    ast.TryStar,
)


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py"])
def test_parses_on_any_python(name: str) -> None:
    text = (ROOT / "course_utils" / name).read_text(encoding="ascii")
    tree = ast.parse(text, feature_version=(3, 4))
    for node in ast.walk(tree):
        assert not isinstance(node, TOO_NEW_SYNTAX), ast.unparse(node)
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            assert not arguments.kwonlyargs
            assert not arguments.posonlyargs
            assert node.returns is None
            assert all(argument.annotation is None for argument in arguments.args)
        if isinstance(node, ast.Raise):
            assert node.cause is None
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"os", "platform", "subprocess", "sys", "sysconfig"}


@pytest.mark.parametrize("version", [(2, 7), (3, 10), (3, 15)])
def test_python_that_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: tuple[int, int]
) -> None:
    monkeypatch.setattr(sys, "version_info", (*version, 0))
    monkeypatch.setattr(command, "find_uv", lambda: None)
    assert command.main(["lab"]) == command.WRONG_PYTHON == 10
    message = capsys.readouterr().err
    assert "3.11 to 3.14" in message
    assert "uv" in message


def test_uv_brings_a_python_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 8, 0))
    monkeypatch.setattr(command, "find_uv", lambda: "uv")
    monkeypatch.setattr(command, "python_from_uv", lambda uv: sys.executable)
    ran: list[list[str]] = []
    monkeypatch.setattr(subprocess, "call", lambda arguments: ran.append(arguments) or 7)
    assert command.main(["test", "--", "-k", "x"]) == 7
    assert ran == [[sys.executable, "-m", "course_utils", "test", "--", "-k", "x"]]


def test_uv_is_found_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    uv = tmp_path / ("uv.exe" if sys.platform == "win32" else "uv")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command.find_uv() is None
    uv.write_text("")
    uv.chmod(0o755)
    assert command.find_uv() == str(uv)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for uv is a script with a #! line")
@pytest.mark.parametrize("has_one", [True, False])
def test_uv_finds_or_else_installs_a_python(tmp_path: Path, has_one: bool) -> None:
    uv, installed = tmp_path / "uv", tmp_path / "installed"
    if has_one:
        installed.touch()
    uv.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys\n"
        f"installed = pathlib.Path({str(installed)!r})\n"
        "if sys.argv[2] == 'install':\n"
        "    installed.write_text(sys.argv[3])\n"
        "elif installed.exists():\n"
        "    print('/a/python', flush=True)\n"
        "else:\n"
        "    sys.exit(2)\n"
    )
    uv.chmod(0o755)
    assert command.python_from_uv(str(uv)) == "/a/python"
    assert installed.read_text() == ("" if has_one else "3.14")
