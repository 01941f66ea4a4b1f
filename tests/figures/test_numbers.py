"""Numbers as text."""

from __future__ import annotations

import pytest

from course_utils.figures.numbers import milliseconds, three_digits


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.1837, "0.184"), (2.75, "2.75"), (747.4, "747"), (1311.2, "1,311"), (52345, "52,345")],
)
def test_three_digits(value: float, told: str) -> None:
    assert three_digits(value) == told
    assert milliseconds(value / 1e3) == f"{told} ms"
