from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from course_utils.figures import Sample, Traffic
from course_utils.simulator.trace import Step, Trace

Make = Callable[..., Sample]


def part(rows: range, columns: range, size: int) -> list[int]:
    return sorted(row * size + column for row in rows for column in columns)


@pytest.mark.parametrize(("name", "loads"), [("tiled", 1), ("naive", 8), ("swapped", 8)])
def test_a_block_loads_its_rows_of_a_and_its_columns_of_b(sample: Make, name: str, loads: int) -> None:
    traffic = Traffic.of(sample(name, 8, 24, (1, 2)).run.trace)
    row, column = (1, 2) if name == "swapped" else (2, 1)
    rows, columns, every = range(8 * row, 8 * row + 8), range(8 * column, 8 * column + 8), range(24)
    assert traffic.loads["A"].elements.tolist() == part(rows, every, 24)
    assert traffic.loads["B"].elements.tolist() == part(every, columns, 24)
    assert traffic.stores["C"].elements.tolist() == part(rows, columns, 24)
    assert set(traffic.loads["A"].times.tolist()) == set(traffic.loads["B"].times.tolist()) == {loads}
    assert set(traffic.stores["C"].times.tolist()) == {1}
    assert traffic.complete


def test_copies_in_shared_memory_are_followed(sample: Make) -> None:
    traffic = Traffic.of(sample("tiled", 8, 24).run.trace)
    for buffer in ("A", "B"):
        assert traffic.reads[buffer].elements.tolist() == traffic.loads[buffer].elements.tolist()
        assert set(traffic.reads[buffer].times.tolist()) == {8}
    assert Traffic.of(sample("naive", 8, 24).run.trace).reads == {}


def test_phases_are_the_tiles(sample: Make) -> None:
    phases = Traffic.of(sample("tiled", 8, 24).run.trace).phases
    assert [each.tolist() for each in phases["A"]] == [
        part(range(8), range(start, start + 8), 24) for start in (0, 8, 16)
    ]
    assert len(Traffic.of(sample("naive", 8, 24).run.trace).phases["A"]) == 1


def test_block_at_the_edge_loads_only_what_exists(sample: Make) -> None:
    traffic = Traffic.of(sample("tiled", 8, 20, (2, 2)).run.trace)
    assert traffic.loads["A"].elements.tolist() == part(range(16, 20), range(20), 20)
    assert set(traffic.loads["A"].times.tolist()) == {1}
    assert set(traffic.reads["A"].times.tolist()) == {8}


def step(line: int, space: str, buffer: str, index: list[int], *, load: bool) -> Step:
    lanes = np.full(32, -1)
    lanes[: len(index)] = index
    return Step(
        0, line, "ld" if load else "st", (1 << len(index)) - 1, space, load, not load, 4, buffer, lanes
    )


def test_a_place_overwritten_is_another_element() -> None:
    steps = [
        step(1, "global", "A", [5], load=True),
        step(1, "shared", "tile", [0], load=False),
        step(2, "shared", "tile", [0, 0], load=True),
        step(1, "global", "A", [6], load=True),
        step(1, "shared", "tile", [0], load=False),
        step(2, "shared", "tile", [0], load=True),
        step(3, "shared", "tile", [0], load=False),  # a value that no load of this line brought
        step(2, "shared", "tile", [0, 1], load=True),
    ]
    reads = Traffic.of(Trace((0, 0, 0), steps, complete=False)).reads["A"]
    assert dict(zip(reads.elements.tolist(), reads.times.tolist(), strict=True)) == {5: 2, 6: 1}
