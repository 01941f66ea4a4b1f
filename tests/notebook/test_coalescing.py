"""The settings of the lesson on coalescing."""

from __future__ import annotations

import pytest

from course_utils import notebook


@pytest.mark.parametrize(
    ("order", "sectors"), [("sorted", 4), ("shuffled in groups of 32", 4), ("runs of 2", 16)]
)
def test_orders_of_a_gather(order: str, sectors: int) -> None:
    settings = {order: notebook.ORDERS[order]}
    ((_, index, _, values, used),) = notebook.buffers(
        "coalescing/gather", settings, "index", "in", n=65536
    ).content.rows
    assert (index, values, float(used)) == ("4.0", f"{sectors:.1f}", 4 * 32 / sectors)
