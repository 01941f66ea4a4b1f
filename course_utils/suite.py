"""`test`: every test in one run of pytest: units, notebooks (nbval), browser. Its options: pyproject.toml."""

from __future__ import annotations

import os
import sys
import tempfile

from course_utils.environment import ROOT, Exit

# One notebook is one sequence in one kernel, so a file is never split over processes.
PARALLEL = ("-n", "auto", "--maxprocesses", "8", "--dist", "loadfile")


def main(arguments: list[str]) -> int:
    """Run pytest on the repository; `arguments` go to pytest. Returns pytest's exit code."""
    try:
        import pytest
    except ImportError as error:
        print(
            f"pytest cannot be loaded ({error}). Remove .venv, then run the command again.", file=sys.stderr
        )
        return Exit.FAILED
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="live-kernels-", ignore_cleanup_errors=True) as settings:
        # What the notebooks print must not depend on this person's IPython start-up files and Jupyter
        # settings.
        os.environ |= {"IPYTHONDIR": settings, "JUPYTER_CONFIG_DIR": settings, "JUPYTER_PREFER_ENV_PATH": "1"}
        # Nor on recordings of this person's own GPU.
        os.environ["LIVE_KERNELS_RECORDINGS"] = settings
        return int(pytest.main([*PARALLEL, *arguments]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
