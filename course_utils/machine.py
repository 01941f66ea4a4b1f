"""What this machine has: a platform with wheels, an NVIDIA driver, a browser. Standard library only."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

WHEELS = {("linux", "x86_64"), ("linux", "aarch64"), ("win32", "AMD64")}
"""(sys.platform, platform.machine()) for which every locked package, NVRTC among them, has a wheel."""

OLDEST_GLIBC = (2, 28)
"""The manylinux tag of the locked wheels."""


@dataclass(frozen=True)
class Driver:
    """An NVIDIA driver: the newest CUDA version that it serves, and the number of GPUs that it offers."""

    cuda: tuple[int, int]
    gpus: int

    @property
    def serves_course(self) -> bool:
        """Whether the locked CUDA 12 libraries can run on it."""
        return self.gpus > 0 and self.cuda >= (12, 0)


def nvidia_driver() -> Driver | None:
    """The NVIDIA driver of this machine, or None where none is installed.

    Asks the driver library itself (cuDriverGetVersion, cuInit, cuDeviceGetCount of the CUDA driver API). A
    driver with no GPU that it can use, as in a container without access to one, counts none.
    """
    try:
        cuda = ctypes.WinDLL("nvcuda.dll") if sys.platform == "win32" else ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    version, count = ctypes.c_int(0), ctypes.c_int(0)
    if cuda.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return None
    if cuda.cuInit(0) != 0 or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
        count.value = 0
    return Driver((version.value // 1000, version.value % 1000 // 10), count.value)


def nvml() -> tuple[str, list[str]]:
    """The driver's version and the names of the GPUs; ("version unknown", []) where NVML is missing."""
    try:
        library = ctypes.WinDLL("nvml.dll") if sys.platform == "win32" else ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return "version unknown", []
    text, count, device = ctypes.create_string_buffer(96), ctypes.c_uint(), ctypes.c_void_p()
    if library.nvmlInit_v2() != 0:
        return "version unknown", []
    try:
        known = library.nvmlSystemGetDriverVersion(text, len(text)) == 0
        version = text.value.decode() if known else "version unknown"
        names = []
        library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        for index in range(count.value):
            if library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device)) == 0:
                library.nvmlDeviceGetName(device, text, len(text))
                names.append(text.value.decode())
        return version, names
    finally:
        library.nvmlShutdown()


def browser() -> Path | None:
    """The Chromium or Chrome for the browser tests, or None. LIVE_KERNELS_BROWSER names another one."""
    chosen = os.environ.get("LIVE_KERNELS_BROWSER")
    if chosen:
        return Path(chosen) if Path(chosen).is_file() else None
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"):
        found = shutil.which(name)
        if found:
            return Path(found)
    homes = [os.environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
    for home in filter(None, homes):
        for place in ("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe"):
            if (Path(home) / place).is_file():
                return Path(home) / place
    return None


def glibc() -> tuple[int, int]:
    """The version of this Linux's glibc; (0, 0) where the C library is another one, such as musl."""
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (OSError, ValueError):
        return (0, 0)
    major, _, minor = version.partition(".")
    return (int(major), int(minor)) if name == "glibc" else (0, 0)


def lacks_wheels() -> str | None:
    """Why the locked packages cannot be installed here, and what to do; None where they can."""
    elsewhere = "To run them, use Binder (the link is in README.md), or a Linux or Windows machine."
    if sys.platform == "darwin":
        return (
            "NVIDIA's compiler NVRTC does not exist for macOS, so no kernel can be compiled on this "
            "machine. What works here is reading: the notebooks in lessons/ hold their results, and open in "
            f"any JupyterLab. {elsewhere} A Linux container on this Mac works as well."
        )
    if (sys.platform, platform.machine()) not in WHEELS:
        return (
            "The packages of this course exist for Linux (x86_64, aarch64) and 64-bit Windows, and this is "
            f"{platform.system()} on {platform.machine()}. The notebooks in lessons/ can be read here. "
            f"{elsewhere}"
        )
    if sys.platform == "linux" and glibc() < OLDEST_GLIBC:
        return (
            "The packages of this course need a Linux with glibc 2.28 or later, such as Debian 10 or Ubuntu "
            f"20.04; this one has an older or another C library. {elsewhere}"
        )
    return None
