"""The course's own Python environment, .venv: made, checked and repaired. Standard library only.

A file in .venv, its stamp, says from which lock it was installed and that the installation ended. What lacks
a valid stamp is made again, so that the next start repairs an interrupt, a crash or a full disk.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import IO

from course_utils import __main__ as command
from course_utils import machine

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""

NEED_GB = {"requirements.lock": 1.5, "requirements-gpu.lock": 6.0}
"""Free disk space in GB to start a set-up with: what is installed, and room to unpack it."""

PROBE = """
import importlib.util, json, sys, sysconfig
has_pip = importlib.util.find_spec("pip") is not None
print(json.dumps([sys.prefix, sys.version_info[:2], sysconfig.get_path("purelib"), has_pip]))
"""


class Exit(IntEnum):
    """Exit codes of a set-up that failed, apart from those of pytest (0 to 5), which `test` hands on."""

    WRONG_PYTHON = command.WRONG_PYTHON
    NO_WHEELS = 11
    NO_VENV = 12
    NO_NETWORK = 13
    NOT_WRITABLE = 14
    NO_SPACE = 15
    FAILED = 16
    INTERRUPTED = 130


class SetupError(Exception):
    """A set-up that cannot go on: what is wrong and what to do, in sentences, and the exit code."""

    def __init__(self, code: Exit, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Interpreter:
    """A Python that was run and answered."""

    version: tuple[int, int]
    packages: Path
    has_pip: bool

    @property
    def fits(self) -> bool:
        return command.OLDEST <= self.version < command.TOO_NEW

    def modules(self) -> list[str]:
        """The names in its site-packages, without versions: a learner may change those."""
        names = (entry.name for entry in self.packages.iterdir())
        return sorted(name for name in names if not name.endswith((".dist-info", ".pth", "__pycache__")))


@dataclass(frozen=True)
class Stamp:
    """What .venv was installed from (the lock's name and SHA-256; the Python) and what that brought."""

    lock: str
    digest: str | None
    python: tuple[int, int]
    modules: tuple[str, ...]

    def describes(self, found: Interpreter) -> bool:
        """Whether all that was installed is still there, for this interpreter."""
        return found.version == self.python and set(self.modules) <= set(found.modules())


def say(text: str) -> None:
    """Print one line at once, so that it stands before what a child process prints next."""
    print(text, flush=True)


def installed_on_purpose() -> bool:
    """Whether this Python's environment holds the project, by environment.yml or pip install -e ."""
    # By place: an .egg-info folder in the repository would be found by any Python that is started there.
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    return any(True for _ in importlib.metadata.distributions(name="live-kernels", path=places))


class Environment:
    """The .venv of the repository at `root`."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.stamp = self.folder / "live-kernels.json"

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def is_ready(self, gpu: bool) -> bool:
        """Whether the last installation ended, from the lock as it is now, and its Python still runs.

        With `gpu` the GPU libraries must be there; without, they may be.
        """
        stamp = self._read_stamp()
        if stamp is None or (gpu and "gpu" not in stamp.lock) or stamp.digest != self._digest(stamp.lock):
            return False
        found = probe(self.python)
        return found is not None and stamp.describes(found)

    def make(self, gpu: bool) -> None:
        """Bring .venv to the state of the lock; with `gpu`, the GPU libraries too. Raises SetupError.

        Two processes may call this at once: the second waits and finds the work done.
        """
        try:
            with exclusive(self.root / ".venv.lock"):
                if not self.is_ready(gpu):
                    self._make("requirements-gpu.lock" if gpu else "requirements.lock")
        except OSError as error:
            code, advice = explain(str(error))
            raise SetupError(code, f"{advice} ({error})") from error

    def _make(self, lock: str) -> None:
        started = time.monotonic()
        complaint = machine.lacks_wheels()
        if complaint:
            raise SetupError(Exit.NO_WHEELS, complaint)
        uv = command.find_uv()
        found, stamp = probe(self.python), self._read_stamp()
        begun = self.stamp.exists()
        sound = stamp.describes(found) if stamp and found else not begun
        if found is None or not found.fits or not sound or not (found.has_pip or uv):
            self._create(uv, lock)
            found = probe(self.python)
            if found is None:
                raise SetupError(
                    Exit.FAILED,
                    f"{self.python} was made but does not run. Remove {self.folder}, then try again.",
                )
        self.stamp.write_text("", encoding="ascii")
        say(f"Installing the packages of {lock} with {'uv' if uv else 'pip'} ...")
        if uv:
            install = [uv, "pip", "install", "--python", str(self.python)]
        else:
            # Modules are compiled at their first import; all at once would take 200 MB and half of the time.
            install = [str(self.python), "-m", "pip", "install", "--no-input", "--no-compile"]
        exactly = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
        run([*install, *exactly, "-r", str(self.root / lock)])
        # Makes `import course_utils` work in every notebook. Relative, so that the repository may move.
        relative = Path(os.path.relpath(self.root, found.packages))
        (found.packages / "live_kernels.pth").write_text(f"{relative.as_posix()}\n", encoding="ascii")
        stamp = Stamp(lock, self._digest(lock), found.version, tuple(found.modules()))
        self.stamp.write_text(json.dumps(asdict(stamp), indent=1), encoding="utf-8")
        say(f"The environment is ready ({time.monotonic() - started:.0f} s).")

    def _create(self, uv: str | None, lock: str) -> None:
        """Make an empty .venv with a Python that fits, in place of whatever is there."""
        if not uv and not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
            raise SetupError(*explain("ensurepip is not available"))
        if self.folder.exists():
            self._put_away()
        free, need = shutil.disk_usage(self.root).free / 1e9, NEED_GB[lock]
        if free < need:
            raise SetupError(
                Exit.NO_SPACE,
                f"The set-up needs {need} GB of disk, and {self.root} has {free:.1f} GB free. Free some "
                "space, or move the repository to a larger disk, then run the command again.",
            )
        say(f"Setting up {self.folder}, once. It takes up to {need} GB of disk.")
        self.folder.mkdir(exist_ok=True)
        self.stamp.write_text("", encoding="ascii")
        inside = Path(sys.prefix) == self.folder  # then the Python that .venv was made from makes it again
        python = getattr(sys, "_base_executable", sys.executable) if inside else sys.executable
        if uv:
            # --seed: with pip, so that %pip works in a notebook.
            run([uv, "venv", "--quiet", "--seed", "--allow-existing", "--python", python, str(self.folder)])
        else:
            run([python, "-m", "venv", str(self.folder)])

    def _put_away(self) -> None:
        """Empty a .venv that this course began; move aside another, which may hold somebody's work."""
        if self.stamp.exists() or not any(self.folder.iterdir()):
            say("Repairing .venv: the last set-up did not end, or something of it is gone.")
            for entry in self.folder.iterdir():  # the folder itself stays: it may be a link to a larger disk
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry != self.stamp:
                    entry.unlink()
            return
        names = (self.root / f".venv.old{number or ''}" for number in range(1000))
        aside = next(name for name in names if not name.exists())
        self.folder.rename(aside)
        say(f"The .venv that was here has no Python that fits this course; it is now named {aside.name}.")

    def _digest(self, lock: str) -> str | None:
        """The SHA-256 of a lock in the repository; None where it has none of that name."""
        try:
            return hashlib.sha256((self.root / lock).read_bytes()).hexdigest()
        except FileNotFoundError:
            return None

    def _read_stamp(self) -> Stamp | None:
        """The stamp of an installation that ended, or None."""
        try:
            content = json.loads(self.stamp.read_text(encoding="utf-8"))
            return Stamp(
                content["lock"], content["digest"], tuple(content["python"]), tuple(content["modules"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None


def probe(python: Path) -> Interpreter | None:
    """Run the interpreter of a virtual environment and ask what it is; None where it is not one that runs."""
    try:
        answer = subprocess.run(
            [str(python), "-I", "-c", PROBE], capture_output=True, text=True, check=True, timeout=60
        )
        prefix, version, packages, has_pip = json.loads(answer.stdout)
        # One without its pyvenv.cfg runs, but as the Python that it was made from, with that one's packages.
        if not python.parent.parent.samefile(prefix):
            return None
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Interpreter(tuple(version), Path(packages), has_pip)


def run(arguments: list[str]) -> None:
    """Run one step of a set-up with its progress on the terminal; raise SetupError where it fails twice.

    A program draws its progress only on a terminal, so its first run is not listened to. The second is: it
    gets over a passing fault, or tells why not.
    """
    environment = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if subprocess.run(arguments, env=environment).returncode == 0:
        return
    say("That failed. Trying once more ...")
    environment |= {"PIP_RETRIES": "1", "UV_HTTP_RETRIES": "0", "LC_ALL": "C"}  # pip gives reasons to retry
    again = subprocess.run(arguments, env=environment, capture_output=True, text=True, errors="replace")
    if again.returncode != 0:
        raise SetupError(*explain(again.stdout + again.stderr))


REASONS: tuple[tuple[Exit, str, str], ...] = (
    (
        Exit.NO_SPACE,
        r"no space left|not enough space|disk quota|(errno|os error) 28\b|(WinError|os error) 112\b",
        "The disk is full. Free some space, also for the cache of pip or uv in your home folder, which "
        "takes as much again; then run the command again.",
    ),
    (
        Exit.NOT_WRITABLE,
        r"permission denied|access is denied|read-only file system"
        r"|(errno|os error) (13|30)\b|(WinError|os error) (5|32)\b",
        "A file of the set-up cannot be written. Close what uses this course's .venv, such as a running "
        "JupyterLab, and see to it that the repository is in a folder that you may write to; then run the "
        "command again.",
    ),
    (
        Exit.FAILED,
        r"do not match the hashes|hash mismatch",
        "A downloaded package is not the one that the lock names, so it was not installed: a proxy or a "
        "mirror changed it, or the download was cut short. Run the command again, on another network if "
        "need be.",
    ),
    (
        Exit.NO_VENV,
        r"ensurepip is not|no module named '?(venv|ensurepip)",
        f"This Python ({sys.executable}) comes without the venv and ensurepip modules. On Debian and Ubuntu: "
        "sudo apt install python3-venv. Elsewhere, or without sudo: install uv, which needs neither. Then "
        "run the command again.",
    ),
    (
        Exit.NO_NETWORK,
        r"connection|timed? ?out|name.?resolution|resolve host|getaddrinfo|dns error|unreachable"
        r"|network (connectivity|was disabled)|proxy|certificate|ssl|error sending request|failed to fetch",
        "The package index cannot be reached. Check the network; behind a proxy set HTTPS_PROXY, with a "
        "mirror PIP_INDEX_URL (pip) or UV_DEFAULT_INDEX (uv), with a company certificate PIP_CERT or "
        "SSL_CERT_FILE. Then run the command again.",
    ),
)
"""Exit code, what the output of pip, uv and venv says then, and what to do. The first that matches counts."""


def explain(output: str) -> tuple[Exit, str]:
    """The exit code and the sentences for a step that printed `output`, or for the text of an OSError."""
    for code, pattern, advice in REASONS:
        if re.search(pattern, output, re.IGNORECASE):
            return code, advice
    last = "\n".join(output.strip().splitlines()[-8:])
    return Exit.FAILED, f"The set-up failed; running the command again makes it anew. Its last words:\n{last}"


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; waits for a process that has it. When a process ends, its lock goes."""
    with path.open("a") as file:
        waiting = False
        while not try_lock(file):
            if not waiting:
                say("Another set-up of this course is under way; waiting for it ...")
                waiting = True
            time.sleep(0.5)
        yield


def try_lock(file: IO[str]) -> bool:
    """Lock an open file for this process; False where another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True
