"""Every test of the compiler has a cache of its own, so that none is served by an earlier one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from course_utils import compiler
from course_utils.compiler import program, toolchain


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("LIVE_KERNELS_CACHE", str(folder))
    program._MEMORY.clear()
    return folder


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty stand-in for the repository's kernels/, which the worker is started anew for."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(toolchain, "KERNELS", folder)
    compiler.close()
    yield folder
    compiler.close()
