"""The lint and format rules of pyproject.toml hold in the whole repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]])
def test_ruff(arguments: list[str]) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "--no-cache", str(ROOT)], capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
