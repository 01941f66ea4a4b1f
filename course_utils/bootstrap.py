"""lab | test | doctor | record: see to the environment, then run the command in it. Standard library only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from course_utils import machine
from course_utils.environment import ROOT, Environment, Exit, SetupError, installed_on_purpose

MODULES = {
    "lab": "course_utils.lab",
    "test": "course_utils.suite",
    "doctor": "course_utils.doctor",
    "record": "course_utils.recordings.record",
}

USAGE = """\
usage: python3 -m course_utils COMMAND [-- ARGUMENTS]      (on Windows: py -m course_utils ...)

  lab      open JupyterLab on your own copies of the lessons, in my/   (ARGUMENTS go to JupyterLab)
  test     run every test: unit tests, the notebooks, the browser      (ARGUMENTS go to pytest)
  doctor   say what this machine has, and for each lack what to do
  record   time and count the kernels on this machine's GPU    (ARGUMENTS: see record -- --help)

lab, test and record make .venv at the first start. LIVE_KERNELS_BROWSER names the browser that the tests
drive; with LIVE_KERNELS_REQUIRE_BROWSER=1 a browser test that cannot run counts as failed."""


def main(arguments: list[str]) -> int:
    """Run one command; returns its exit code, or one of Exit where the set-up failed."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(
            errors="backslashreplace"
        )  # a console that lacks a letter of a path is no reason to stop
    name, *rest = arguments or [""]
    if name not in MODULES or rest[:1] in (["-h"], ["--help"]):
        asked = name in ("-h", "--help") or name in MODULES
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    if rest[:1] == ["--"]:
        rest = rest[1:]
    try:
        python = interpreter(name)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("\nStopped. The next start goes on from here.", file=sys.stderr)
        return Exit.INTERRUPTED
    return become([str(python), "-m", MODULES[name], *rest])


def interpreter(name: str) -> Path:
    """The Python to run a command with; makes .venv first where the command needs it. Raises SetupError."""
    if installed_on_purpose():
        return Path(sys.executable)
    environment = Environment(ROOT)
    if name == "doctor":
        return environment.python if environment.is_ready(gpu=False) else Path(sys.executable)
    driver = machine.nvidia_driver()
    gpu = driver is not None and driver.serves_course
    if not environment.is_ready(gpu):
        environment.make(gpu)
    return environment.python


def become(arguments: list[str]) -> int:
    """Run a program in place of this one, where the system can; else wait for it and return its exit code."""
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(arguments[0], arguments)
    process = subprocess.Popen(arguments)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass  # the console sent it to the program too, which decides what it means
