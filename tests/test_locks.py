"""pyproject.toml, the locks, environment.yml and the Python versions in __main__.py say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from course_utils import __main__ as command

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(lock: str) -> dict[str, str]:
    """Package name -> `version ; marker` of a lock."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    found = re.findall(r"^([a-z0-9-]+)==([^\\\n]*?) *\\$", text, re.MULTILINE)
    return dict(found)


def as_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def test_python_versions() -> None:
    (oldest, too_new) = re.fullmatch(r">=(\d+\.\d+),<(\d+\.\d+)", PROJECT["requires-python"]).groups()
    assert tuple(as_numbers(oldest)) == command.OLDEST
    assert tuple(as_numbers(too_new)) == command.TOO_NEW


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_lock_satisfies_the_project(requirement: str) -> None:
    name, least, marker = re.fullmatch(r"([a-z0-9-]+)>=([0-9.]+)(?:; (.*))?", requirement).groups()
    version, _, locked_marker = pins("requirements.lock")[name].partition(" ; ")
    assert as_numbers(version) >= as_numbers(least)
    assert locked_marker == (marker or "")


def test_gpu_lock_adds_to_the_lock_and_changes_nothing() -> None:
    plain, gpu = pins("requirements.lock"), pins("requirements-gpu.lock")
    assert gpu | plain == gpu
    assert {"nvidia-cublas-cu12", "nvidia-cusparse-cu12"} <= gpu.keys() - plain.keys()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-gpu.lock"])
def test_every_pin_has_hashes_and_no_index_is_named(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    blocks = re.split(
        r"\n(?=[a-z0-9])", "\n" + "\n".join(line for line in text.splitlines() if line[:1] != "#")
    )
    assert len(blocks) - 1 == len(pins(lock)) > 100
    assert all("--hash=sha256:" in block for block in blocks[1:])
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text)


def test_environment_has_the_packages_of_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, pip = environment["dependencies"]
    itself, *packages = pip["pip"]
    assert itself == "-e ."
    assert dict(package.split("==", 1) for package in packages) == pins("requirements.lock")
    (python,) = (as_numbers(item) for item in conda if item.startswith("python="))
    assert command.OLDEST <= tuple(python) < command.TOO_NEW
    named = [re.match(r"[a-z0-9-]+", requirement).group() for requirement in PROJECT["dependencies"]]
    assert [package.split("==")[0] for package in packages[: len(named)]] == named
