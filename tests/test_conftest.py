"""A skipped browser test is a failure where LIVE_KERNELS_REQUIRE_BROWSER is set, and only there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TESTS = """
import pytest

@pytest.mark.browser
def test_page(browser_path):
    assert browser_path

def test_other():
    pytest.skip("not of the browser")
"""


@pytest.mark.parametrize(("required", "outcome"), [("1", "1 skipped, 1 error"), ("0", "2 skipped")])
def test_skipped_browser_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, required: str, outcome: str
) -> None:
    (tmp_path / "test_page.py").write_text(TESTS, encoding="utf-8")
    monkeypatch.setenv("LIVE_KERNELS_REQUIRE_BROWSER", required)
    monkeypatch.setenv("LIVE_KERNELS_BROWSER", str(tmp_path / "no-such-browser"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest"]
    answer = subprocess.run(
        [*command, "-p", "no:cacheprovider", str(tmp_path)], capture_output=True, text=True
    )
    assert re.search(outcome, answer.stdout), answer.stdout + answer.stderr
    assert "no Chromium or Chrome found" in answer.stdout
    assert answer.returncode == (1 if required == "1" else 0)
