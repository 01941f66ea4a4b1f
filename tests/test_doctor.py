"""doctor says what is there, and for each lack what to do; only something broken is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from course_utils import doctor, machine
from course_utils.doctor import Finding

ROOT = Path(__file__).resolve().parent.parent


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "nvidia_driver", lambda: None)


@pytest.mark.usefixtures("no_gpu")
def test_before_the_set_up(tmp_path: Path) -> None:
    findings = by_name(doctor.report(tmp_path, made=False))
    assert findings["Environment"].found == "not made yet"
    assert "python3 -m course_utils lab" in findings["Environment"].advice
    assert findings["Kernels run on"].found == "the simulator"
    assert {"NVRTC", "CuPy", "LLVM"}.isdisjoint(findings)
    assert not any(finding.broken for finding in findings.values())


@pytest.mark.usefixtures("no_gpu")
def test_unfinished_environment(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    assert by_name(doctor.report(tmp_path, made=False))["Environment"].found == "not finished"


@pytest.mark.usefixtures("no_gpu")
def test_in_the_environment(tmp_path: Path) -> None:
    findings = by_name(doctor.report(tmp_path, made=True))
    assert findings["NVRTC"].found.startswith("12.")
    assert findings["LLVM"].found[0].isdigit()
    assert findings["JupyterLab"].found.startswith("4.")
    assert "no GPU" in findings["CuPy"].found
    assert not any(finding.broken for finding in findings.values())


@pytest.mark.parametrize(
    ("driver", "where", "advice"),
    [
        (machine.Driver((12, 4), 1), "the GPU", ""),
        (machine.Driver((11, 8), 1), "the simulator", "too old"),
        (machine.Driver((12, 4), 0), "the simulator", "no GPU"),
        (None, "the simulator", "without an NVIDIA GPU"),
    ],
)
def test_gpu(monkeypatch: pytest.MonkeyPatch, driver: machine.Driver | None, where: str, advice: str) -> None:
    monkeypatch.setattr(doctor.machine, "nvml", lambda: ("580.65", ["NVIDIA H200"]))
    assert doctor.kernels(driver).found.startswith(where)
    finding = doctor.nvidia(driver)
    assert advice in finding.advice
    assert bool(advice) == bool(finding.advice)
    if driver:
        assert "580.65, serves CUDA" in finding.found
        assert "NVIDIA H200" in finding.found


def test_gpu_libraries_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise doctor.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.importlib.metadata, "version", missing)
    finding = doctor.cupy(machine.Driver((12, 4), 1))
    assert "not installed" in finding.found
    assert "requirements-gpu.lock" in finding.advice


def test_broken_package_is_a_finding_and_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken() -> Finding:
        raise OSError("libLLVM.so: cannot\nopen")

    finding = doctor.checked("LLVM", broken)
    assert finding.broken
    assert "OSError: libLLVM.so: cannot open" in finding.found
    assert "remove .venv" in finding.advice
    monkeypatch.setattr(doctor, "report", lambda root, made: [finding])
    assert doctor.main([], tmp_path) == 1
    assert "->" in capsys.readouterr().out


def test_runs_without_any_package() -> None:
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + SCRIPT],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert answer.returncode == 0, answer.stderr
    assert "Kernels run on" in answer.stdout


SCRIPT = """
from pathlib import Path
from course_utils import doctor
sys.exit(doctor.main([], Path.cwd()))
"""


def test_recordings_are_named_and_a_broken_one_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LIVE_KERNELS_RECORDINGS", str(tmp_path))
    finding = doctor.recorded()
    assert finding.found.startswith("NVIDIA H200, 2026-")
    assert "`python3 -m course_utils record` adds it" in finding.advice
    (tmp_path / "own.json").write_text("{")
    assert "own.json is no JSON" in doctor.recorded().advice
