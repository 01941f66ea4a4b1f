from __future__ import annotations

import pytest

from course_utils.bounded import Bounded


def test_keeps_what_was_used_last() -> None:
    kept: Bounded[str] = Bounded(2)
    made: list[str] = []

    def make(name: str) -> str:
        return kept.get(name, lambda: made.append(name) or name)

    assert [make(name) for name in "abacab"] == list("abacab")
    assert made == ["a", "b", "c", "b"]
    assert len(kept) == 2


def test_failures_are_not_kept() -> None:
    kept: Bounded[int] = Bounded(2)
    with pytest.raises(ZeroDivisionError):
        kept.get("x", lambda: 1 // 0)
    assert kept.get("x", lambda: 5) == 5


def test_what_was_made_first_is_kept() -> None:
    kept: Bounded[str] = Bounded(2)

    def overtaken() -> str:
        kept.get("x", lambda: "first")  # another thread, while this one still makes its own
        return "second"

    assert kept.get("x", overtaken) == "first"
    assert kept.get("x", lambda: "third") == "first"
