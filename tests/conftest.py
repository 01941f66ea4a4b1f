"""Browser tests: where the browser is, and what it means that there is none."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from course_utils import machine

REQUIRE_BROWSER = "LIVE_KERNELS_REQUIRE_BROWSER"


@pytest.fixture(scope="session")
def browser_path() -> Path:
    """The browser that a test can drive. A test that asks for it is marked `browser`."""
    found = machine.browser()
    if found is None:
        pytest.skip("no Chromium or Chrome found: install one, or name it in LIVE_KERNELS_BROWSER")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where a browser is required (.ci/run), a browser test that is skipped has failed."""
    report = yield
    required = os.environ.get(REQUIRE_BROWSER) == "1"
    if required and report.skipped and item.get_closest_marker("browser"):
        report.outcome = "failed"
        report.longrepr = f"{REQUIRE_BROWSER} is set, and this browser test was skipped: {report.longrepr}"
    return report
