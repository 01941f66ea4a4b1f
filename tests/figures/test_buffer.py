"""A buffer and the matrix that a call makes of it: what the picture says follows from the places."""

from __future__ import annotations

import re

import numpy as np

from course_utils.figures import buffer_picture
from course_utils.figures.numbers import TIMES

BUFFER = np.array([1, 4, 99, 2, 5, 99, 3, 6, 99.0])
PLACES = np.array([[0, 3, 6], [1, 4, 7]])


def elements(html: str) -> list[tuple[str, str, str]]:
    """(class, number, value) of all elements, those of the buffer first."""
    return re.findall(r'lk-element ([a-z ]+?)"[^>]*><small>(\d+)</small><b>([^<]*)</b>', html)


def test_the_buffer_and_what_is_read_of_it() -> None:
    figure = buffer_picture("A", BUFFER, PLACES, 3, "read as A")
    assert figure.sentence == (
        f"A is a buffer of 9 elements, read as A: 2 {TIMES} 3, leading dimension 3. Element [1][1] "
        "is number 4 of the buffer."
    )
    found = elements(figure.html)
    assert [number for _, number, _ in found[:9]] == [str(number) for number in range(9)]
    assert [kind for kind, _, _ in found[:9]] == [
        "even",
        "even",
        "off",
        "odd",
        "odd",
        "off",
        "even",
        "even",
        "off",
    ]
    assert [(number, value) for _, number, value in found[9:]] == [
        ("0", "1"), ("3", "2"), ("6", "3"), ("1", "4"), ("4", "5"), ("7", "6"),
    ]  # fmt: skip
    assert 'role="img"' in figure.html
    assert "not used" in figure.html
    assert "wrong" not in figure.html
    assert "row 1 4 <1> 5 <4> 6 <7>" in " ".join(figure.text.split())


def test_wrong_values_are_told_in_words_and_by_a_mark() -> None:
    right = np.array([[1, 2, 3], [4, 5, 7.0]])
    figure = buffer_picture("C", BUFFER, PLACES, 3, "looked at by columns", right)
    assert figure.sentence.endswith("1 of 6 values are wrong.")
    assert elements(figure.html)[-1] == ("even wrong", "7", "\N{MULTIPLICATION X} 6")
    assert "6 <7> wrong" in figure.text
    assert buffer_picture("C", BUFFER, PLACES, 3, "", BUFFER[PLACES]).sentence.endswith(
        "All values are right."
    )


def test_a_refused_call_shows_the_buffer_alone() -> None:
    figure = buffer_picture("C", np.full(2, np.nan), None, 2, "read as C")
    assert figure.sentence == "C is a buffer of 2 elements; the call is refused."
    assert elements(figure.html) == [("off", "0", "\N{EN DASH}"), ("off", "1", "\N{EN DASH}")]
    assert "lk-matrix" not in figure.html


def test_a_single_element_is_at_0() -> None:
    assert "Element [0][0] is number 0" in buffer_picture("A", BUFFER, PLACES[:1, :1], 3, "read").sentence
