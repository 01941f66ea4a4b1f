"""`doctor`: what this machine has for the course, and for each lack what to do.

Runs before anything is installed as well, so at its top it imports the standard library alone.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from course_utils import machine
from course_utils.environment import ROOT, Environment, installed_on_purpose

MAKE = "run `python3 -m course_utils lab` (Windows: `py -m course_utils lab`)"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `advice`: what to do about a lack; `broken`: the course cannot run."""

    name: str
    found: str
    advice: str = ""
    broken: bool = False


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the report; returns 1 where something that the course cannot do without is broken, else 0."""
    environment = Environment(root)
    made = installed_on_purpose() or (
        Path(sys.prefix) == environment.folder and environment.is_ready(gpu=False)
    )
    findings = report(root, made)
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        print(f"{finding.name:<{width}}  {finding.found}")
        if finding.advice:
            print(f"{'':<{width}}  -> {finding.advice}")
    return 1 if any(finding.broken for finding in findings) else 0


def report(root: Path, made: bool) -> list[Finding]:
    """All findings, in the order of printing. `made`: this Python is that of the finished environment."""
    driver = machine.nvidia_driver()
    findings = [python(), environment(root, made), kernels(driver), nvidia(driver)]
    if made:
        findings += [checked("NVRTC", nvrtc), checked("CuPy", lambda: cupy(driver)), checked("LLVM", llvm)]
        findings += [checked("JupyterLab", jupyterlab), checked("Recordings", recorded)]
    return [*findings, browser(), disk(root)]


def checked(name: str, check: Callable[[], Finding]) -> Finding:
    """The finding of `check`; where it raises, as a broken installation may, one that says so."""
    try:
        return check()
    except Exception as error:
        problem = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return Finding(name, f"does not work: {problem}", f"remove .venv, then {MAKE}", broken=True)


def python() -> Finding:
    return Finding("Python", f"{platform.python_version()}, {sys.executable}")


def environment(root: Path, made: bool) -> Finding:
    if made:
        return Finding("Environment", f"ready, {sys.prefix}")
    complaint = machine.lacks_wheels()
    if complaint:
        return Finding("Environment", "cannot be made on this machine", complaint, broken=True)
    state = "not finished" if (root / ".venv").exists() else "not made yet"
    return Finding("Environment", state, f"{MAKE}; it makes or repairs .venv")


def kernels(driver: machine.Driver | None) -> Finding:
    where = "the GPU, and the simulator for counters" if driver and driver.serves_course else "the simulator"
    return Finding("Kernels run on", where)


def nvidia(driver: machine.Driver | None) -> Finding:
    """The NVIDIA driver: its own version and GPU names come from NVML, which is part of it."""
    name = "NVIDIA driver"
    if driver is None:
        return Finding(
            name, "none", "nothing to do without an NVIDIA GPU; with one, install its driver from nvidia.com"
        )
    version, gpus = machine.nvml()
    names = ", ".join(gpus) or f"{driver.gpus} GPUs"
    found = f"{version}, serves CUDA {driver.cuda[0]}.{driver.cuda[1]}; {names}"
    if driver.gpus == 0:
        return Finding(
            name,
            found,
            "it offers no GPU: in a container, start it with access to one (docker run --gpus all)",
        )
    if not driver.serves_course:
        return Finding(name, found, "too old for CUDA 12: install a driver of version 525 or later")
    return Finding(name, found)


def nvrtc() -> Finding:
    """Loads NVRTC itself and asks its version, since a wheel may be there and not load."""
    wheel = "nvidia-cuda-nvrtc-cu12"
    names = ("libnvrtc.so.12", "nvrtc64_120_0.dll")
    files = importlib.metadata.files(wheel) or []
    library = next((str(file.locate()) for file in files if file.name in names), None)
    if library is None:
        raise FileNotFoundError(f"the package {wheel} holds no NVRTC library")
    major, minor = ctypes.c_int(), ctypes.c_int()
    if ctypes.CDLL(library).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) != 0:
        raise OSError(f"{library} does not tell its version")
    return Finding(
        "NVRTC", f"{major.value}.{minor.value} ({wheel} {importlib.metadata.version(wheel)}); needs no GPU"
    )


def cupy(driver: machine.Driver | None) -> Finding:
    import cupy

    if driver is None or not driver.serves_course:
        return Finding("CuPy", f"{cupy.__version__}; not used, since there is no GPU")
    try:
        importlib.metadata.version("nvidia-cublas-cu12")
    except importlib.metadata.PackageNotFoundError:
        advice = f"{MAKE}, or in an environment of your own: pip install -r requirements-gpu.lock"
        return Finding("CuPy", f"{cupy.__version__}; the GPU libraries are not installed", advice)
    total = float(cupy.arange(1000, dtype=cupy.float32).sum())
    if total != 499500.0:
        raise ArithmeticError(f"the sum of 0 to 999 on the GPU is {total}, not 499500")
    return Finding("CuPy", f"{cupy.__version__}; summed an array on the GPU")


def llvm() -> Finding:
    """Compiles and runs a function with LLVM, the way that the simulator does."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly("define i32 @answer() { ret i32 42 }")
    target = binding.Target.from_default_triple().create_target_machine()
    with binding.create_mcjit_compiler(module, target) as engine:
        engine.finalize_object()
        answer = ctypes.CFUNCTYPE(ctypes.c_int)(engine.get_function_address("answer"))()
    if answer != 42:
        raise ArithmeticError(f"a compiled function returns {answer}, not 42")
    version = ".".join(map(str, binding.llvm_version_info))
    return Finding(
        "LLVM",
        f"{version} (llvmlite {importlib.metadata.version('llvmlite')}), for {binding.get_host_cpu_name()}",
    )


def jupyterlab() -> Finding:
    import jupyterlab

    return Finding("JupyterLab", jupyterlab.__version__)


def recorded() -> Finding:
    """Every recording there is, the learner's own included, also where one cannot be read."""
    from course_utils.recordings import RecordingError, places, read

    told, broken = [], []
    for path, own in places.files():
        try:
            recording = read(path, own)
            told.append(f"{recording.gpu}, {recording.date}{' (your own)' if own else ''}")
        except RecordingError as error:
            broken.append(f"{path}: {error}")
    advice = (
        "; ".join(broken) or f"with a GPU, `python3 -m course_utils record` adds it: {places.own_folder()}"
    )
    return Finding("Recordings", "; ".join(told) or "none", advice)


def browser() -> Finding:
    found = machine.browser()
    if found:
        return Finding("Browser for tests", str(found))
    advice = (
        "the browser tests are skipped; to run them install Chromium or Chrome (Debian: apt install "
        "chromium), or name one in LIVE_KERNELS_BROWSER"
    )
    return Finding("Browser for tests", "none", advice)


def disk(root: Path) -> Finding:
    return Finding("Disk", f"{shutil.disk_usage(root).free / 1e9:.0f} GB free at {root}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
