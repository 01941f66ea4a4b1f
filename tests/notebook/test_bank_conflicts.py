"""Banks and wavefronts."""

from __future__ import annotations

import math

import pytest

from course_utils import notebook

READ, PAIRED = "bank_conflicts/strided_read", "bank_conflicts/paired_read"


def test_banks_counts_words_and_banks() -> None:
    rows = {row[0]: row[1:] for row in notebook.banks(READ, "stride", (0, 2, 32)).content.rows}
    assert rows == {
        "0": ("1", "1", "1", "1", "0"),
        "2": ("32", "16", "2", "2", "1"),
        "32": ("32", "1", "32", "32", "31"),
    }


def test_banks_of_elements_that_partners_share() -> None:
    rows = notebook.banks(PAIRED, "STEP", (1, 4), WORDS=4).content.rows
    assert rows == (("1", "64", "32", "2", "2", "0"), ("4", "64", "32", "2", "4", "0"))


@pytest.mark.parametrize("words", [1, 2, 4])
def test_wavefronts_of_a_stride(words: int) -> None:
    strides = (1, 2, 3, 8, 12, 16, 31, 32, 33)
    found = notebook.wavefronts(READ, "stride", strides, WORDS=words)
    assert found == [words * math.gcd(stride, 32 // words) for stride in strides]


def test_swizzled_has_every_column_once_in_each_row_and_at_each_place() -> None:
    rows = [row[1:] for row in notebook.swizzled(8).content.rows]
    columns = {str(column) for column in range(8)}
    assert all(set(line) == columns for line in (*rows, *zip(*rows, strict=True)))
