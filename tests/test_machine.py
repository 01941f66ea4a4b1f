"""Platforms with and without wheels, drivers, browsers."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from pathlib import Path

import pytest

from course_utils import machine


class FakeCuda:
    """The three functions that are asked of the CUDA driver library, with given answers."""

    def __init__(self, version: int, init: int, gpus: int) -> None:
        self.version, self.init, self.gpus = version, init, gpus

    def cuDriverGetVersion(self, address: object) -> int:
        address._obj.value = self.version
        return 0

    def cuInit(self, flags: int) -> int:
        return self.init

    def cuDeviceGetCount(self, address: object) -> int:
        address._obj.value = self.gpus
        return 0


@pytest.mark.parametrize(
    ("cuda", "driver", "serves"),
    [
        (FakeCuda(12040, 0, 2), machine.Driver((12, 4), 2), True),
        (FakeCuda(13000, 0, 1), machine.Driver((13, 0), 1), True),
        (FakeCuda(11080, 0, 1), machine.Driver((11, 8), 1), False),
        (FakeCuda(12040, 100, 0), machine.Driver((12, 4), 0), False),
    ],
)
def test_driver(
    monkeypatch: pytest.MonkeyPatch, cuda: FakeCuda, driver: machine.Driver, serves: bool
) -> None:
    monkeypatch.setattr(ctypes, "WinDLL" if sys.platform == "win32" else "CDLL", lambda name: cuda)
    assert machine.nvidia_driver() == driver
    assert driver.serves_course is serves


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "WinDLL" if sys.platform == "win32" else "CDLL", missing)
    assert machine.nvidia_driver() is None


@pytest.mark.parametrize(
    ("system", "processor", "libc", "words"),
    [
        ("linux", "x86_64", (2, 36), None),
        ("linux", "aarch64", (2, 28), None),
        ("win32", "AMD64", None, None),
        ("darwin", "arm64", None, ["macOS", "Binder", "lessons/"]),
        ("win32", "ARM64", None, ["ARM64", "Binder"]),
        ("linux", "riscv64", (2, 36), ["riscv64", "Binder"]),
        ("linux", "x86_64", (2, 17), ["glibc 2.28", "Binder"]),
        ("linux", "x86_64", (0, 0), ["glibc 2.28", "Binder"]),
    ],
)
def test_platforms(
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    processor: str,
    libc: tuple[int, int],
    words: list[str] | None,
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: processor)
    monkeypatch.setattr(machine, "glibc", lambda: libc)
    complaint = machine.lacks_wheels()
    if words is None:
        assert complaint is None
    else:
        assert complaint is not None
        assert [word for word in words if word not in complaint] == []


@pytest.mark.parametrize(
    ("answer", "version"), [("glibc 2.36", (2, 36)), ("", (0, 0)), (None, (0, 0)), (ValueError(), (0, 0))]
)
def test_glibc(
    monkeypatch: pytest.MonkeyPatch, answer: str | Exception | None, version: tuple[int, int]
) -> None:
    def confstr(name: str) -> str | None:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(os, "confstr", confstr, raising=False)
    assert machine.glibc() == version


def test_browser_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = tmp_path / "my-browser"
    monkeypatch.setenv("LIVE_KERNELS_BROWSER", str(chosen))
    assert machine.browser() is None
    chosen.touch()
    assert machine.browser() == chosen


def test_browser_on_path_and_where_windows_keeps_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LIVE_KERNELS_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert machine.browser() is None
    chrome = tmp_path / "LOCALAPPDATA" / "Google" / "Chrome" / "Application" / "chrome.exe"
    chrome.parent.mkdir(parents=True)
    chrome.touch()
    assert machine.browser() == chrome
    chromium = tmp_path / "bin" / ("chromium.exe" if sys.platform == "win32" else "chromium")
    chromium.parent.mkdir()
    chromium.touch()
    chromium.chmod(0o755)
    assert machine.browser() == chromium
