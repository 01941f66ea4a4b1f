from __future__ import annotations

import pytest

from course_utils.devices.limit import LIMIT, memory_limit


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", None),
        ("2048", 2048),
        ("4 GiB", 4 << 30),
        ("500MB", 500_000_000),
        ("1.5g", 1_500_000_000),
        ("8ki", 8192),
    ],
)
def test_sizes(monkeypatch: pytest.MonkeyPatch, text: str, size: int | None) -> None:
    monkeypatch.setenv(LIMIT, text)
    assert memory_limit() == size


@pytest.mark.parametrize("text", ["much", "-3", "4 TiB", "1 2"])
def test_no_sizes(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(LIMIT, text)
    with pytest.raises(ValueError, match=f"{LIMIT} is '{text}', which is no size: write it as"):
        memory_limit()
