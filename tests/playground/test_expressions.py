"""Values of C expressions, as C++ computes them; and which are unknown."""

from __future__ import annotations

import pytest

from course_utils.playground.expressions import Dim3, Unknown, evaluate
from course_utils.playground.tokens import tokens

VALUES = {"n": 1000, "block": Dim3(16, 8), "x": 0.5}


def value(source: str) -> object:
    def name(word: str) -> object:
        if word not in VALUES:
            raise Unknown(word)
        return VALUES[word]

    return evaluate(tokens(source), name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("(n + 255) / 256", 4),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1 << 20", 1 << 20),
        ("256 >> 2 >> 1", 32),
        ("0x10 + 010 + 0b11 + 1'000", 16 + 8 + 3 + 1000),
        ("3 > 2 && 2 >= 2 || 0", 1),
        ("!0 + ~0", 0),
        ("n > 500 ? 1 : unknown", 1),
        ("0 ? unknown : 0 ? 1 : 2", 2),
        ("1 || unknown", 1),
        ("sizeof(float4) + sizeof(unsigned long long) + sizeof(std::uint8_t)", 16 + 8 + 1),
        ("n * sizeof(float)", 4000),
        ("(int)ceil((float)n / 256)", 4),
        ("static_cast<unsigned>(2.9)", 2),
        ("(int)2.9 + int(1.9) + unsigned(1)", 4),
        ("std::min<int>(3, n) + max(1, 2)", 5),
        ("ceilf(n / 256.0f)", 4.0),
        ("dim3(4, n).y", 1000),
        ("block.x * block.y * block.z", 128),
        ("dim3{2}", Dim3(2)),
        ("'a'", 97),
        ("true + false", 1),
        ("x * 2", 1.0),
    ],
)
def test_known(source: str, expected: object) -> None:
    found = value(source)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "source",
    [
        "m",
        "n +",
        "f(1)",
        "1 / 0",
        "block + 1",
        "n ? m : 1",
        "1 << 1000",
        "n[0]",
        "",
        "(",
        "a.b",
        "x & 1",
        "1 2",
    ],
)
def test_unknown(source: str) -> None:
    with pytest.raises(Unknown):
        value(source)
