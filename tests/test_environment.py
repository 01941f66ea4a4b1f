""".venv is made once, found again, repaired whatever became of it; each failure has its sentence and code."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from course_utils import __main__ as command
from course_utils import environment, machine
from course_utils.environment import Environment, Exit, SetupError, explain, probe

LOCK, GPU_LOCK = "requirements.lock", "requirements-gpu.lock"


class FakeUv:
    """In place of environment.run: makes real environments without pip, installs an empty `numpy`."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.interrupt_install = False

    def __call__(self, arguments: list[str]) -> None:
        folder = Path(arguments[-1])
        if arguments[1] == "venv":
            self.steps.append("venv")
            venv.create(folder, with_pip=False, symlinks=sys.platform != "win32")
            return
        assert "--require-hashes" in arguments
        self.steps.append(f"install {folder.name}")
        found = probe(Path(arguments[arguments.index("--python") + 1]))
        assert found is not None
        (found.packages / "numpy").mkdir(exist_ok=True)
        if self.interrupt_install:
            raise KeyboardInterrupt


@pytest.fixture
def uv(monkeypatch: pytest.MonkeyPatch) -> FakeUv:
    fake = FakeUv()
    monkeypatch.setattr(environment, "run", fake)
    monkeypatch.setattr(command, "find_uv", lambda: "uv")
    return fake


@pytest.fixture
def place(tmp_path: Path) -> Environment:
    (tmp_path / LOCK).write_text("numpy==1\n", encoding="utf-8")
    (tmp_path / GPU_LOCK).write_text("numpy==1\nnvidia-cublas-cu12==1\n", encoding="utf-8")
    (tmp_path / "course_utils").mkdir()
    (tmp_path / "course_utils" / "__init__.py").write_text("here = True\n", encoding="utf-8")
    return Environment(tmp_path)


def packages(place: Environment) -> Path:
    found = probe(place.python)
    assert found is not None
    return found.packages


def test_made_once_then_found(place: Environment, uv: FakeUv) -> None:
    assert not place.is_ready(gpu=False)
    place.make(gpu=False)
    assert uv.steps == ["venv", f"install {LOCK}"]
    assert place.is_ready(gpu=False)
    place.make(gpu=False)
    assert len(uv.steps) == 2


def test_course_can_be_imported_from_anywhere(
    place: Environment, uv: FakeUv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)  # which the lessons' tests set, for this course
    place.make(gpu=False)
    script = "import course_utils; print(course_utils.here, course_utils.__file__)"
    moved = place.root.with_name("moved é")
    place.root.rename(moved)
    python = Environment(moved).python
    answer = subprocess.run(
        [str(python), "-X", "utf8", "-c", script], cwd=moved.anchor, capture_output=True, check=False
    )
    assert answer.returncode == 0, answer.stderr.decode("utf-8", "replace")
    assert answer.stdout.decode("utf-8").split(maxsplit=1)[0] == "True"
    assert Path(answer.stdout.decode("utf-8").split(maxsplit=1)[1].strip()).is_relative_to(moved)


def test_changed_lock_is_installed_again(place: Environment, uv: FakeUv) -> None:
    place.make(gpu=False)
    (place.root / LOCK).write_text("numpy==2\n", encoding="utf-8")
    assert not place.is_ready(gpu=False)
    place.make(gpu=False)
    assert uv.steps == ["venv", f"install {LOCK}", f"install {LOCK}"]
    assert place.is_ready(gpu=False)


def test_gpu_libraries_are_added_and_stay(place: Environment, uv: FakeUv) -> None:
    place.make(gpu=False)
    assert not place.is_ready(gpu=True)
    place.make(gpu=True)
    assert uv.steps == ["venv", f"install {LOCK}", f"install {GPU_LOCK}"]
    assert place.is_ready(gpu=True)
    assert place.is_ready(gpu=False)


DAMAGE: dict[str, Callable[[Environment], object]] = {
    "python gone": lambda place: place.python.unlink(),
    "python breaks": lambda place: (place.python.unlink(), place.python.write_text("no program")),
    "pyvenv.cfg gone": lambda place: (place.folder / "pyvenv.cfg").unlink(),
    "a package gone": lambda place: (packages(place) / "numpy").rmdir(),
    "installation did not end": lambda place: place.stamp.write_text(""),
    "stamp half-written": lambda place: place.stamp.write_text('{"lock": "requi'),
    "folder emptied": lambda place: (shutil.rmtree(place.folder), place.folder.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_repaired(place: Environment, uv: FakeUv, damage: Callable[[Environment], object]) -> None:
    place.make(gpu=False)
    damage(place)
    assert not place.is_ready(gpu=False)
    place.make(gpu=False)
    assert uv.steps[2:] == ["venv", f"install {LOCK}"]
    assert place.is_ready(gpu=False)


def test_interrupted_then_repaired(place: Environment, uv: FakeUv) -> None:
    uv.interrupt_install = True
    with pytest.raises(KeyboardInterrupt):
        place.make(gpu=False)
    assert not place.is_ready(gpu=False)
    uv.interrupt_install = False
    place.make(gpu=False)
    assert place.is_ready(gpu=False)
    assert uv.steps[2:] == ["venv", f"install {LOCK}"]


def test_foreign_environment_that_works_is_used(place: Environment, uv: FakeUv) -> None:
    venv.create(place.folder, with_pip=False, symlinks=sys.platform != "win32")
    (packages(place) / "their_package").mkdir()
    place.make(gpu=False)
    assert uv.steps == [f"install {LOCK}"]
    assert (packages(place) / "their_package").is_dir()


def test_foreign_folder_is_moved_aside(place: Environment, uv: FakeUv) -> None:
    place.folder.mkdir()
    (place.folder / "work.txt").write_text("work", encoding="utf-8")
    place.make(gpu=False)
    assert (place.root / ".venv.old" / "work.txt").read_text(encoding="utf-8") == "work"
    assert place.is_ready(gpu=False)


def test_two_at_once_install_once(place: Environment, uv: FakeUv, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(arguments: list[str]) -> None:
        time.sleep(0.2)
        uv(arguments)

    monkeypatch.setattr(environment, "run", slowly)
    starts = [threading.Thread(target=place.make, args=(False,)) for _ in range(2)]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    assert uv.steps == ["venv", f"install {LOCK}"]
    assert place.is_ready(gpu=False)


def failure(place: Environment) -> SetupError:
    with pytest.raises(SetupError) as caught:
        place.make(gpu=False)
    assert not place.is_ready(gpu=False)
    return caught.value


def test_no_venv_module(place: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_uv", lambda: None)
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    error = failure(place)
    assert error.code == Exit.NO_VENV
    assert "apt install python3-venv" in str(error)
    assert "uv" in str(error)


def test_no_space(place: Environment, uv: FakeUv, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(place.root)._replace(free=400_000_000)
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda path: usage)
    error = failure(place)
    assert error.code == Exit.NO_SPACE
    assert "1.5 GB" in str(error)
    assert "0.4 GB free" in str(error)
    assert uv.steps == []


def test_platform_without_wheels(place: Environment, uv: FakeUv, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "lacks_wheels", lambda: "Not on this machine.")
    error = failure(place)
    assert (error.code, str(error)) == (Exit.NO_WHEELS, "Not on this machine.")
    assert uv.steps == []


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_no_write_permission(
    place: Environment, uv: FakeUv, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(path: Path, *arguments: object, **options: object) -> None:
        raise OSError(number, "refused", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SetupError) as caught:
        place.make(gpu=False)
    assert caught.value.code == Exit.NOT_WRITABLE
    assert ".venv.lock" in str(caught.value)


OUTPUTS = [
    (
        Exit.NO_NETWORK,
        "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None)) after connection "
        "broken by 'NewConnectionError('<HTTPSConnection(host='x', port=443)>: Failed to establish a new "
        "connection: [Errno 111] Connection refused')': /simple/anyio/\n"
        "ERROR: No matching distribution found for anyio==4.16.0",
    ),
    (
        Exit.NO_NETWORK,
        "error: Request failed after 3 retries\n  Caused by: error sending request for url (x)\n"
        "  Caused by: client error (Connect)\n  Caused by: dns error\n  Caused by: failed to lookup address",
    ),
    (Exit.NO_NETWORK, "urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool: Read timed out."),
    (Exit.NO_NETWORK, "hint: Packages were unavailable because the network was disabled."),
    (
        Exit.NO_VENV,
        "The virtual environment was not created successfully because ensurepip is not\navailable.",
    ),
    (Exit.NO_VENV, "/usr/bin/python3: No module named venv"),
    (Exit.NO_NETWORK, "invalid peer certificate: UnknownIssuer"),
    (
        Exit.NO_SPACE,
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
    ),
    (Exit.NO_SPACE, "error: Failed to write to the distribution cache\n  Caused by: x (os error 28)"),
    (Exit.NOT_WRITABLE, "ERROR: [WinError 32] The process cannot access the file 'libzmq.pyd'"),
    (Exit.NOT_WRITABLE, "error: failed to remove file `x`: Zugriff verweigert (os error 5)"),
    (Exit.FAILED, "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."),
    (Exit.FAILED, "error: Hash mismatch for `anyio==4.16.0`"),
    (Exit.FAILED, "ERROR: Could not find a version that satisfies the requirement anyio==4.16.0"),
]


@pytest.mark.parametrize(("code", "output"), OUTPUTS)
def test_output_of_installers_is_understood(code: Exit, output: str) -> None:
    assert explain(output)[0] == code


def test_unknown_failure_shows_its_last_words() -> None:
    code, sentence = explain("first line\n" * 20 + "the reason")
    assert code == Exit.FAILED
    assert sentence.endswith("the reason")
    assert len(sentence.splitlines()) == 9


def script(tmp_path: Path, failures: int) -> list[str]:
    """A command that fails so many times, with a word of the network, then succeeds."""
    count = tmp_path / "count"
    text = (
        f"import pathlib, sys; count = pathlib.Path({str(count)!r}); "
        "done = len(count.read_text()) if count.exists() else 0; count.write_text('x' * (done + 1)); "
        f"sys.exit('Connection refused' if done < {failures} else 0)"
    )
    return [sys.executable, "-c", text]


def test_passing_fault_is_got_over(tmp_path: Path) -> None:
    environment.run(script(tmp_path, failures=1))
    assert (tmp_path / "count").read_text() == "xx"


def test_lasting_fault_is_explained(tmp_path: Path) -> None:
    with pytest.raises(SetupError) as caught:
        environment.run(script(tmp_path, failures=9))
    assert caught.value.code == Exit.NO_NETWORK


def test_venv_and_pip_for_real(place: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_uv", lambda: None)
    (place.root / LOCK).write_text("# no packages, so that no network is needed\n", encoding="utf-8")
    place.make(gpu=False)
    assert place.is_ready(gpu=False)
    found = probe(place.python)
    assert found is not None
    assert found.has_pip
    assert found.version == sys.version_info[:2]
