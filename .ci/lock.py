"""Write requirements.lock, requirements-gpu.lock and environment.yml anew from pyproject.toml.

    uv run --no-project .ci/lock.py              # keeps the versions that still fit
    uv run --no-project .ci/lock.py --upgrade    # newest versions

The locks are universal: one file for Linux (x86_64, aarch64), Windows and every Python of requires-python,
with the hash of each file, for uv and pip.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "uv run --no-project .ci/lock.py"

HEAD = f"""\
# For conda, Binder and repo2docker: the packages of requirements.lock, at the same versions. Written by
# {COMMAND} from pyproject.toml; a test compares the three.
#
#   conda env create -f environment.yml && conda activate live-kernels && python -m course_utils lab
#
# With an NVIDIA GPU, in that environment: pip install -r requirements-gpu.lock
name: live-kernels
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.12
  - pip
  - pip:
"""


def compile_lock(name: str, arguments: list[str]) -> None:
    """Write one lock; with no index, no date and no path of this machine in it."""
    universal = ["--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--generate-hashes"]
    command = ["uv", "pip", "compile", "pyproject.toml", *universal, "--quiet", "--no-annotate"]
    command += ["--custom-compile-command", COMMAND, "--output-file", name, *arguments]
    subprocess.run(command, cwd=ROOT, check=True)


def pins(lock: str) -> list[str]:
    """The requirements of a lock without their hashes: `name==version ; marker`."""
    return re.findall(r"^([a-z0-9][^\\\n]*==[^\\\n]*?) *\\?$", lock, re.MULTILINE)


def environment(project: str, lock: str) -> str:
    """The text of environment.yml: first what the project names, then what those need."""
    wanted = tomllib.loads(project)["project"]["dependencies"]
    direct = [re.match(r"[a-z0-9-]+", requirement).group() for requirement in wanted]
    by_name = {pin.split("==")[0]: pin for pin in pins(lock)}
    first = [by_name.pop(name) for name in direct]
    lines = [
        "      # the course itself, from this folder",
        "      - -e .",
        "      # what it names in pyproject.toml",
        *(f'      - "{pin}"' for pin in first),
        "      # what those need",
        *(f'      - "{pin}"' for pin in by_name.values()),
    ]
    return HEAD + "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    compile_lock("requirements.lock", arguments)
    compile_lock(
        "requirements-gpu.lock", [*arguments, "--extra", "gpu", "--constraints", "requirements.lock"]
    )
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    (ROOT / "environment.yml").write_text(environment(project, lock), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
