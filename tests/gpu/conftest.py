"""Tests that need a GPU are skipped, with the reason, where there is none."""

from __future__ import annotations

import pytest

from course_utils import devices


@pytest.fixture(scope="session")
def gpu() -> devices.Gpu:
    """The GPU of this machine. A test that asks for it is marked `gpu`."""
    if devices.available() == (devices.SIMULATOR,):
        pytest.skip(devices.describe())
    return devices.gpu()
