"""The launch that compute-sanitizer watches, on a pretended driver."""

from __future__ import annotations

import ctypes
import pickle
from pathlib import Path

import pytest

from .faults import gpu_launch


class Pretended:
    """The driver's library: memory of the host, and a kernel that copies so many bytes from its first buffer
    to its second."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.copied_to: set[int] = set()
        self.symbols = {b"factor": ctypes.create_string_buffer(4)}
        self.launches: list[tuple] = []
        self.fails = ""
        self._memory: list[object] = []

    def __getattr__(self, name: str) -> object:
        if not name.startswith("cu"):
            raise AttributeError(name)
        return lambda *arguments: 700 if name == self.fails else 0

    def cuGetErrorName(self, status: int, text: object) -> int:
        text._obj.value = b"CUDA_ERROR_ILLEGAL_ADDRESS"
        return 0

    def cuDeviceGetAttribute(self, value: object, number: ctypes.c_int, device: object) -> int:
        value._obj.value = {gpu_launch.MAJOR: 9, gpu_launch.MINOR: 0}[number.value]
        return 0

    def cuDeviceGetName(self, name: ctypes.Array, size: object, device: object) -> int:
        name.value = b"NVIDIA Pretended"
        return 0

    def cuDriverGetVersion(self, version: object) -> int:
        version._obj.value = 12080
        return 0

    def cuModuleGetGlobal_v2(self, address: object, size: object, module: object, name: bytes) -> int:
        address._obj.value = ctypes.addressof(self.symbols[name])
        return 0

    def cuMemAlloc_v2(self, address: object, size: ctypes.c_size_t) -> int:
        self._memory.append(ctypes.create_string_buffer(size.value))
        self.sizes.append(size.value)
        address._obj.value = ctypes.addressof(self._memory[-1])
        return 0

    def cuMemcpyHtoD_v2(self, address: ctypes.c_uint64, data: bytes, size: ctypes.c_size_t) -> int:
        ctypes.memmove(address.value, data, size.value)
        self.copied_to.add(address.value)
        return 0

    def cuMemcpyDtoH_v2(self, data: ctypes.Array, address: ctypes.c_uint64, size: ctypes.c_size_t) -> int:
        ctypes.memmove(data, address.value, size.value)
        return 0

    def cuLaunchKernel(self, function: object, *shape: object) -> int:
        *numbers, _, parameters, _ = shape
        source, target = (ctypes.c_uint64.from_address(parameters[place]).value for place in (0, 1))
        count = ctypes.c_int.from_address(parameters[2]).value
        ctypes.memmove(target, source, count)
        self.launches.append(tuple(each.value for each in numbers))
        self.fresh = target not in self.copied_to
        return 0

    def cuLaunchCooperativeKernel(self, function: object, *shape: object) -> int:
        assert self.cuLaunchKernel(function, *shape, None) == 0
        self.launches.append(("cooperative",))
        return 0


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Pretended:
    made = Pretended()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: made)
    return made


def what(**different: object) -> dict:
    return {
        "cubin": b"\x7fELF",
        "kernel": "copy",
        "grid": (3, 2, 1),
        "block": (32, 4, 1),
        "shared_bytes": 128,
        "cooperative": False,
        "symbols": {"factor": b"\1\2\3\4"},
        "args": [("buffer", b"abcdefg"), ("fresh", 5), ("value", b"\5\0\0\0")],
    } | different


def test_launch_as_told(library: Pretended, tmp_path: Path) -> None:
    (tmp_path / "launch").write_bytes(pickle.dumps(what()))
    gpu_launch.main([str(tmp_path / "launch"), str(tmp_path / "left")])
    assert library.launches == [(3, 2, 1, 32, 4, 1, 128)]
    assert library.sizes == [7, 5], "buffers have exactly the sizes given"
    assert library.fresh, "what counts as never written is not copied to"
    assert library.symbols[b"factor"].raw == b"\1\2\3\4"
    assert pickle.loads((tmp_path / "left").read_bytes()) == [b"abcdefg", b"abcde", None]


def test_cooperative_launch(library: Pretended, tmp_path: Path) -> None:
    (tmp_path / "launch").write_bytes(pickle.dumps(what(cooperative=True)))
    gpu_launch.main([str(tmp_path / "launch")])
    assert library.launches[-1] == ("cooperative",)


def test_errors_of_the_driver_are_named(library: Pretended, tmp_path: Path) -> None:
    (tmp_path / "launch").write_bytes(pickle.dumps(what()))
    library.fails = "cuCtxSynchronize"
    with pytest.raises(SystemExit, match=r"cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS \(700\)"):
        gpu_launch.main([str(tmp_path / "launch")])


def test_gpu_is_described(library: Pretended, capsys: pytest.CaptureFixture[str]) -> None:
    gpu_launch.main([])
    assert capsys.readouterr().out == "sm_90 12.8 NVIDIA Pretended\n"
