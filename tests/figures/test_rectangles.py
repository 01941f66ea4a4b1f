from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from course_utils.figures.rectangles import MOST, rectangles


@given(arrays(np.int64, st.tuples(st.integers(1, 12), st.integers(1, 12)), elements=st.integers(0, 3)))
def test_rectangles_are_the_matrix(counts: np.ndarray) -> None:
    painted = np.zeros_like(counts)
    for top, left, height, width, count in rectangles(counts):
        area = painted[top : top + height, left : left + width]
        assert area.shape == (height, width)
        assert not area.any()
        area[:] = count
    assert (painted == counts).all()


def test_one_area_is_one_rectangle() -> None:
    counts = np.zeros((50, 60), np.int64)
    counts[10:20, 5:60] = 7
    assert rectangles(counts) == [(10, 5, 10, 55, 7)]


def test_a_fine_pattern_is_drawn_coarser() -> None:
    counts = np.indices((101, 101)).sum(axis=0) % 2
    found = rectangles(counts)
    assert 0 < len(found) <= MOST
    assert max(top + height for top, _, height, _, _ in found) == 101
