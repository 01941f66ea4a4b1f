"""Launch formulas: exact arithmetic, and nothing that is not arithmetic."""

import pytest

from course_utils.kernels.errors import KernelError
from course_utils.kernels.formulas import Formula


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("256", (256,)),
        ("(N)", (1000,)),
        ("(N,)", (1000,)),
        ("(ceil(N / TILE), ceil(N / TILE))", (63, 63)),
        ("(N // TILE, N % TILE, N - 1)", (62, 8, 999)),
        ("max(1, min(N / 4, 7)) + 2 * 3", (13,)),
    ],
)
def test_value(text: str, counts: tuple[int, ...]) -> None:
    assert Formula(text)({"N": 1000, "TILE": 16}) == counts


def test_division_is_exact_where_floats_are_not() -> None:
    n = 3 * (2**60 + 1)
    assert Formula("ceil(n / 3)")({"n": n}) == (2**60 + 1,)
    assert Formula("ceil(n / 3)")({"n": n + 1}) == (2**60 + 2,)


def test_names_are_those_of_values_not_of_functions() -> None:
    assert Formula("(ceil(N / TILE), BLOCKS)").names == {"N", "TILE", "BLOCKS"}


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "N.real",
        "2 ** 9",
        "[N]",
        "True",
        "'a'",
        "1.5",
        "ceil()",
        "ceil(N, n=1)",
        "N if N else 1",
    ],
)
def test_anything_else_is_refused_before_it_is_evaluated(text: str) -> None:
    with pytest.raises(KernelError, match="a formula may not hold"):
        Formula(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [("N / 3", "1000/3, which is no count"), ("1 - N", "-999, which"), ("1 / (N - N)", "divides by zero")],
)
def test_what_is_no_count_is_refused(text: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        Formula(text)({"N": 1000})


def test_bad_syntax_is_named() -> None:
    with pytest.raises(KernelError, match=r"'\(N' is no formula"):
        Formula("(N")
