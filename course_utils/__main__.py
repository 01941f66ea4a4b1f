"""The commands of the course: python3 -m course_utils lab | test | doctor | record.

It parses on any Python since 2.7, so that whoever runs one that does not fit is told so in a sentence, or
gets one that uv finds or downloads. Everything else is in bootstrap.py, for a Python that fits.
"""

from __future__ import print_function

import os
import platform
import subprocess
import sys
import sysconfig

OLDEST = (3, 11)  # these two are requires-python of pyproject.toml
TOO_NEW = (3, 15)
WRONG_PYTHON = 10  # the first of the exit codes in environment.Exit


def fits():
    """Whether the locked packages have wheels for this Python."""
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    return OLDEST <= sys.version_info[:2] < TOO_NEW and sys.maxsize > 2**32


def find_uv():
    """The path of uv where it is on PATH, else None."""
    name = "uv.exe" if os.name == "nt" else "uv"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, name)
        if folder and os.access(path, os.X_OK):
            return path
    return None


def python_from_uv(uv):
    """The path of a Python that fits, which uv finds or else downloads; None where it can do neither."""
    wanted = "cpython>=%d.%d,<%d.%d" % (OLDEST + TOO_NEW)
    newest = "%d.%d" % (TOO_NEW[0], TOO_NEW[1] - 1)
    find = [uv, "python", "find", "--no-project", "--system", wanted]
    for prepare in (None, [uv, "python", "install", newest]):
        if prepare and subprocess.call(prepare) != 0:
            return None
        with open(os.devnull, "w") as nowhere:
            search = subprocess.Popen(find, stdout=subprocess.PIPE, stderr=nowhere, universal_newlines=True)
            path = search.communicate()[0].strip()
        if search.returncode == 0 and path:
            return path
    return None


def hand_over(arguments):
    """Run the same command under a Python that fits, or say which ones do. Returns the exit code."""
    running = "%s %s (%d-bit)" % (
        platform.python_implementation(),
        platform.python_version(),
        64 if sys.maxsize > 2**32 else 32,
    )
    uv = find_uv()
    python = python_from_uv(uv) if uv else None
    if python:
        print("%s does not fit this course; going on with %s." % (running, python))
        sys.stdout.flush()
        return subprocess.call([python, "-m", "course_utils"] + arguments)
    print(
        "This course needs a standard 64-bit CPython %d.%d to %d.%d, and this is %s. Install one from "
        "python.org and run the command with it (python3.12 -m course_utils ..., on Windows py -3.12 -m "
        "course_utils ...), or install uv, which brings one by itself."
        % (OLDEST + (TOO_NEW[0], TOO_NEW[1] - 1) + (running,)),
        file=sys.stderr,
    )
    return WRONG_PYTHON


def main(arguments):
    """Run one command; returns the exit code."""
    if not fits():
        return hand_over(arguments)
    from course_utils import bootstrap

    return bootstrap.main(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        sys.exit(130)
