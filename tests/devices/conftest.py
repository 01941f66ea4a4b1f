"""A GPU for the tests of what surrounds it."""

from __future__ import annotations

import pytest

from course_utils.devices import choice
from course_utils.devices.gpus import Gpu
from tests.devices.fake_cuda import FakeCuda


@pytest.fixture
def cuda() -> FakeCuda:
    return FakeCuda()


@pytest.fixture
def gpu(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    """A GPU over `cuda`, which devices.launch takes for this machine's."""
    made = Gpu(cuda)  # type: ignore[arg-type]
    monkeypatch.setattr("course_utils.devices.gpus.WARM_UP_SECONDS", 0.0)
    monkeypatch.delenv(choice.CHOICE, raising=False)
    monkeypatch.setattr(choice, "_look", lambda: made)
    return made
