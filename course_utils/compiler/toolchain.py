"""Where NVRTC and the headers are: the library, its version, and the folders that an include may reach."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

# Wheel name -> its folder under site-packages/nvidia. The last two are optional: libcu++ (which cooperative
# groups need) and crt/mma.h (which mma.h needs).
_HEADER_WHEELS = {
    "nvidia-cuda-runtime-cu12": "cuda_runtime",
    "nvidia-cuda-cccl-cu12": "cuda_cccl",
    "nvidia-cuda-nvcc-cu12": "cuda_nvcc",
}
_NVRTC_WHEEL = "nvidia-cuda-nvrtc-cu12"
KERNELS = Path(__file__).resolve().parents[2] / "kernels"
STANDARD = Path(__file__).resolve().parent / "standard"
"""The course's stand-ins for the C and C++ standard headers, of which NVRTC brings none."""
# Where the worker runs, and so where a relative file name starts. It is the same on every machine, because
# NVRTC writes it into the PTX, and not a user's folder, because NVRTC looks for libraries in it.
WORKING_FOLDER = Path(sys.executable).anchor or "/"


class ToolchainMissing(Exception):
    """NVRTC is not installed, or not for this platform."""


@dataclass(frozen=True)
class Toolchain:
    """NVRTC's file and its wheel's version, the CUDA include folders, and all that decides what a source
    becomes (the versions, and a digest of the stand-in headers) in one text."""

    library: Path
    version: str
    headers: tuple[Path, ...]
    fingerprint: str


@functools.cache
def find() -> Toolchain:
    """Locate NVRTC without importing CuPy. Raises ToolchainMissing, with what to do, where there is none."""
    library = _library()
    if library is None:
        raise ToolchainMissing(
            f"NVRTC, NVIDIA's compiler, is not installed: install the package {_NVRTC_WHEEL} "
            "(there are builds for Linux and Windows; macOS has none)."
        )
    version = importlib.metadata.version(_NVRTC_WHEEL)
    headers, versions = [], [f"{_NVRTC_WHEEL} {version}"]
    for wheel, folder in _HEADER_WHEELS.items():
        for root in _roots():
            if (root / folder / "include").is_dir():
                headers.append(root / folder / "include")
                versions.append(f"{wheel} {importlib.metadata.version(wheel)}")
                break
    versions.append(f"standard headers {_digest(STANDARD)}")
    return Toolchain(library, version, tuple(headers), "\n".join(versions))


def version() -> str:
    """NVRTC's version, such as "12.9.86". Raises ToolchainMissing."""
    return find().version


def include_folders() -> tuple[Path, ...]:
    """The folders that `#include` reaches, as searched: the standard headers' stand-ins, the CUDA headers,
    the repository's kernels/."""
    return (STANDARD, *find().headers, KERNELS)


def _digest(folder: Path) -> str:
    """Of the names and contents of all files in a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()


def _roots() -> list[Path]:
    spec = importlib.util.find_spec("nvidia")
    return [Path(root) for root in spec.submodule_search_locations or ()] if spec else []


def _library() -> Path | None:
    # Never the library named .alt: it is the same compiler built against another C++ runtime.
    name = "bin/nvrtc64_120_0.dll" if sys.platform == "win32" else "lib/libnvrtc.so.12"
    for root in _roots():
        if (root / "cuda_nvrtc" / name).is_file():
            return root / "cuda_nvrtc" / name
    return None
