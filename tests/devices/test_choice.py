"""Which device a launch gets, and what is said of the machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from course_utils import devices, machine
from course_utils.devices import choice
from course_utils.devices.gpus import Gpu


@pytest.fixture(autouse=True)
def _look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test looks for the GPU itself."""
    monkeypatch.delenv(choice.CHOICE, raising=False)
    monkeypatch.setattr(choice, "_look", choice._look.__wrapped__)


@pytest.mark.parametrize(
    ("driver", "reason"),
    [
        (None, "this machine has no NVIDIA driver"),
        (machine.Driver((12, 4), 0), "the NVIDIA driver offers none"),
        (machine.Driver((11, 8), 1), "serves CUDA 11.8 and 12.0 is needed"),
    ],
)
def test_without_a_usable_gpu(
    monkeypatch: pytest.MonkeyPatch, driver: machine.Driver | None, reason: str
) -> None:
    monkeypatch.setattr(machine, "nvidia_driver", lambda: driver)
    assert devices.available() == ("simulator",)
    assert devices.current() == "simulator"
    assert reason in devices.describe()
    assert devices.describe().endswith(
        "The simulator runs the kernels and counts what Nsight Compute counts."
    )
    with pytest.raises(devices.NoGpu, match=f"{reason}.* device='simulator'"):
        devices.gpu()


def test_a_gpu_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "nvidia_driver", lambda: machine.Driver((12, 4), 1))
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert devices.current() == "simulator"
    assert "pip install cupy-cuda12x" in devices.describe()


def test_a_gpu_that_cupy_cannot_use(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_options: object) -> None:
        raise RuntimeError("cudaErrorInitializationError")

    monkeypatch.setattr(machine, "nvidia_driver", lambda: machine.Driver((12, 4), 1))
    monkeypatch.setattr(choice, "Cuda", fail)
    assert "CuPy cannot use the one that is here (cudaErrorInitializationError)" in devices.describe()


def test_a_limit_that_is_no_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "nvidia_driver", lambda: machine.Driver((12, 4), 1))
    monkeypatch.setenv("LIVE_KERNELS_GPU_MEMORY", "plenty")
    assert "No GPU is used: LIVE_KERNELS_GPU_MEMORY is 'plenty', which is no size" in devices.describe()


def test_with_a_gpu(gpu: Gpu) -> None:
    assert devices.available() == ("simulator", "gpu")
    assert devices.current() == "gpu"
    assert devices.gpu() is gpu
    assert devices.describe() == "Fake 9000 through CuPy 0 runs and times the kernels; the simulator counts."


def test_the_environment_hides_a_gpu(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.CHOICE, "simulator")
    assert devices.current() == "simulator"
    assert "LIVE_KERNELS_DEVICE is set to simulator" in devices.describe()


def test_importing_does_not_import_cupy() -> None:
    text = "import sys, course_utils.devices; sys.exit('cupy' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", text], cwd=choice.machine.__file__.rsplit("course_utils")[0]
        ).returncode
        == 0
    )
