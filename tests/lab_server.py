"""Start the course's JupyterLab without a browser, for tests; as a program, try the whole `lab` command.

    python3 tests/lab_server.py      # from nothing: makes .venv, waits until JupyterLab answers, stops it

Standard library only, so that it runs before .venv exists.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: its address, its token, its port, and the file of what it printed."""

    url: str
    token: str
    port: int
    log: Path

    def get(self, path: str) -> tuple[str, str]:
        """The final address and the text of a page on this server, logged in."""
        request = urllib.request.Request(
            f"{self.url}{path}", headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.geturl(), answer.read().decode("utf-8")


@contextmanager
def running(command: list[str], cwd: Path = ROOT, seconds: float = 60) -> Iterator[Server]:
    """Run a command that ends up as JupyterLab; yields once it answers, and stops it at the end.

    The user's own Jupyter settings have no say. Raises RuntimeError, with what was printed, where it ends or
    does not answer within `seconds`.
    """
    with tempfile.TemporaryDirectory(prefix="live-kernels-", ignore_cleanup_errors=True) as folder:
        runtime, log = Path(folder, "runtime"), Path(folder, "log.txt")
        places = {"JUPYTER_RUNTIME_DIR": str(runtime), "JUPYTER_CONFIG_DIR": folder, "IPYTHONDIR": folder}
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=cwd, env={**os.environ, **places}, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            yield wait_for(process, runtime, log, seconds)
        finally:
            stop(process, runtime)


def wait_for(process: subprocess.Popen[bytes], runtime: Path, log: Path, seconds: float) -> Server:
    """The server that `process` has become; it leaves a file with its address and token in `runtime`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                found = json.loads(file.read_text(encoding="utf-8"))
                server = Server(found["url"], found["token"], found["port"], log)
                server.get("api/status")
            except (OSError, ValueError):
                break  # not written to its end, or not listening yet
            return server
        time.sleep(0.1)
    state = "does not answer" if process.poll() is None else f"ended with exit code {process.returncode}"
    raise RuntimeError(f"JupyterLab {state}:\n{log.read_text(encoding='utf-8', errors='replace')}")


def stop(process: subprocess.Popen[bytes], runtime: Path) -> None:
    """Ask the server to end: on Windows it is a grandchild, which no signal to `process` reaches."""
    for file in runtime.glob("jpserver-*.json"):
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            request = urllib.request.Request(
                f"{found['url']}api/shutdown",
                method="POST",
                headers={"Authorization": f"token {found['token']}"},
            )
            urllib.request.urlopen(request, timeout=10).close()
        except (OSError, ValueError):
            break
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> int:
    """The `lab` command from nothing to a JupyterLab that answers. Returns 0; a failure raises."""
    started = time.monotonic()
    with running([sys.executable, "-m", "course_utils", "lab", "--", "--no-browser"], seconds=1200) as server:
        address, page = server.get("lab")
        if "JupyterLab" not in page:
            raise RuntimeError(f"{address} is not JupyterLab")
        print(f"JupyterLab answers at {address} after {time.monotonic() - started:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
