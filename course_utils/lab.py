"""`lab`: JupyterLab on the learner's own copies of the lessons."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from course_utils import learner
from course_utils.environment import ROOT, Exit

START = "00_start_here.ipynb"
SETTINGS = Path(__file__).resolve().parent / "jupyter_config"
"""Settings that have no option on the command line: no question whether to fetch Jupyter's news."""


def options(root: Path) -> list[str]:
    """JupyterLab's options for a repository at `root`. With these it asks the internet nothing."""
    start = f"/lab/tree/my/{START}" if (root / "my" / START).exists() else "/lab"
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url={start}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        # In a container the learner is root, whom Jupyter otherwise refuses.
        *(["--allow-root"] if as_root else []),
        # A layout of one's own: tabs that another project left open would name files that are not here.
        f"--LabApp.workspaces_dir={root / 'my' / '.workspaces'}",
    ]


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Make the copies, open JupyterLab, and return when it ends. `arguments` go to JupyterLab."""
    try:
        news = learner.refresh(root / "lessons", root / "my")
    except OSError as error:
        print(
            f"Your copies of the lessons cannot be written ({error}). Use a folder of yours that you may "
            "write to.",
            file=sys.stderr,
        )
        return Exit.NOT_WRITABLE
    for line in news:
        print(line)
    # A learner's own kernel named python3 would otherwise stand before this environment's.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    paths = [str(SETTINGS), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(paths)
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        print(
            f"JupyterLab cannot be loaded ({error}). Remove .venv, then run the command again.",
            file=sys.stderr,
        )
        return Exit.FAILED
    print(
        "JupyterLab opens in your browser; if it does not, open the address below. Ctrl-C here ends it.",
        flush=True,
    )
    LabApp.launch_instance([*options(root), *arguments])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
