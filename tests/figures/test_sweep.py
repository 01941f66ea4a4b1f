from __future__ import annotations

from collections.abc import Callable

from course_utils.figures import Sample, sweep_table
from course_utils.metrics import names

Make = Callable[..., Sample]


def test_a_row_for_each_value(sample: Make) -> None:
    samples = {tile: (sample("tiled", tile, 24), sample("naive", tile, 24)) for tile in (4, 8)}
    table = sweep_table("TILE", samples, ("sectors", "occupancy"))
    sectors = {
        tile: [each.run.metrics[names.GLOBAL_LOAD_SECTORS] for each in pair] for tile, pair in samples.items()
    }
    for row, tile in zip(table.rows, (4, 8), strict=True):
        ours, theirs = sectors[tile]
        assert row[:3] == (str(tile), f"{ours:,}", f"{theirs:,}")
        assert row[3].startswith(f"{theirs / ours:,.1f}")
    assert len(table.head) == len(table.rows[0]) == 1 + 3 + 2  # no quotient of occupancies
    assert table.caption == "counted (simulator)"


def test_without_a_baseline(sample: Make) -> None:
    table = sweep_table("TILE", {8: (sample("tiled", 8, 24), None)}, ("sectors",))
    assert [cell.splitlines()[-1] for cell in table.head] == ["TILE", "tiled"]
    assert len(table.rows[0]) == 2
