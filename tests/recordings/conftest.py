"""A GPU for the tests of what records it: the simulator in a GPU's clothes."""

from __future__ import annotations

import pytest

from course_utils.devices import choice
from course_utils.devices.gpus import Gpu
from tests.devices.fake_cuda import FakeCuda


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    """What devices.launch takes for this machine's GPU."""
    cuda = FakeCuda(total=1 << 34)
    made = Gpu(cuda)  # type: ignore[arg-type]
    monkeypatch.setattr("course_utils.devices.gpus.WARM_UP_SECONDS", 0.0)
    monkeypatch.delenv(choice.CHOICE, raising=False)
    monkeypatch.setattr(choice, "_look", lambda: made)
    return cuda
