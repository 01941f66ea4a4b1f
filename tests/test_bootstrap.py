"""lab | test | doctor: the right Python, arguments that go through, failures with a sentence and a code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils import bootstrap, environment, machine
from course_utils.environment import Environment, Exit, SetupError

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines that bootstrap would have become."""
    lines: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "become", lambda arguments: lines.append(arguments) or 0)
    return lines


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "installed_on_purpose", lambda: False)
    monkeypatch.setattr(machine, "nvidia_driver", lambda: None)


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 2), (["recrod"], 2), (["--help"], 0), (["lab", "-h"], 0)]
)
def test_usage(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(arguments) == code
    output = capsys.readouterr()
    assert "lab" in (output.err if code else output.out)


@pytest.mark.parametrize("separator", [[], ["--"]])
@pytest.mark.parametrize(("name", "module"), bootstrap.MODULES.items())
def test_command_runs_in_the_environment(
    name: str, module: str, separator: list[str], ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "interpreter", lambda name: Path("the-python"))
    assert bootstrap.main([name, *separator, "--port", "1"]) == 0
    assert ran == [["the-python", "-m", module, "--port", "1"]]


@pytest.mark.parametrize(
    ("found", "gpu"),
    [
        (None, False),
        (machine.Driver((12, 4), 1), True),
        (machine.Driver((12, 4), 0), False),
        (machine.Driver((11, 8), 1), False),
    ],
)
@pytest.mark.usefixtures("driver")
def test_gpu_libraries_only_with_a_gpu(
    found: machine.Driver | None, gpu: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bool] = []
    monkeypatch.setattr(machine, "nvidia_driver", lambda: found)
    monkeypatch.setattr(Environment, "is_ready", lambda self, gpu: False)
    monkeypatch.setattr(Environment, "make", lambda self, gpu: made.append(gpu))
    assert bootstrap.interpreter("lab") == Environment(ROOT).python
    assert made == [gpu]


@pytest.mark.usefixtures("driver")
def test_doctor_makes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "make", lambda self, gpu: pytest.fail("doctor made .venv"))
    monkeypatch.setattr(Environment, "is_ready", lambda self, gpu: False)
    assert bootstrap.interpreter("doctor") == Path(sys.executable)


def test_environment_with_the_project_installed_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "installed_on_purpose", lambda: True)
    assert bootstrap.interpreter("lab") == Path(sys.executable)


def test_project_counts_as_installed_in_site_packages_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    info = tmp_path / "live_kernels-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: live-kernels\nVersion: 0.1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(environment.sysconfig, "get_path", lambda name: str(tmp_path / "elsewhere"))
    assert not environment.installed_on_purpose()
    monkeypatch.setattr(environment.sysconfig, "get_path", lambda name: str(tmp_path))
    assert environment.installed_on_purpose()


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (SetupError(Exit.NO_NETWORK, "The package index cannot be reached."), 13, "cannot be reached"),
        (SetupError(Exit.NOT_WRITABLE, "/J\u00f6rg is not writable."), 14, "is not writable"),
        (KeyboardInterrupt(), 130, "Stopped"),
    ],
)
def test_failure_is_a_sentence_and_a_code(
    raised: BaseException,
    code: int,
    words: str,
    ran: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(name: str) -> Path:
        raise raised

    monkeypatch.setattr(bootstrap, "interpreter", fail)
    assert bootstrap.main(["lab"]) == code
    assert words in capsys.readouterr().err
    assert ran == []


def test_console_without_the_letters_of_a_path() -> None:
    script = (
        "from course_utils import bootstrap\n"
        "from course_utils.environment import Exit, SetupError\n"
        "def fail(name): raise SetupError(Exit.NOT_WRITABLE, 'J\\u00f6rg \\u4e2d')\n"
        "bootstrap.interpreter = fail\n"
        "raise SystemExit(bootstrap.main(['lab']))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == Exit.NOT_WRITABLE
    assert answer.stderr.strip() == r"J\xf6rg \u4e2d"


def test_exit_code_of_the_command_is_handed_on() -> None:
    script = "import sys; from course_utils import bootstrap; "
    script += "sys.exit(bootstrap.become([sys.executable, '-c', 'raise SystemExit(5)']))"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 5


def test_codes_are_apart_from_those_of_pytest() -> None:
    assert {int(code) for code in Exit}.isdisjoint(int(code) for code in pytest.ExitCode)
