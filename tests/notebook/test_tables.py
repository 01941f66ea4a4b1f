"""Tables of counts."""

from __future__ import annotations

import pytest

from course_utils import notebook

STRIDED = "coalescing/strided_copy"


@pytest.fixture(scope="module")
def naive() -> notebook.Counted:
    return notebook.count("tiling/naive", N=64, TILE=32)


@pytest.fixture(scope="module")
def tiled() -> notebook.Counted:
    return notebook.count("tiling/tiled", N=64, TILE=32)


def test_first_loads(naive: notebook.Counted) -> None:
    rows = {row[1]: row[2:] for row in notebook.first_loads(naive).content.rows}
    assert rows == {"A": ("32", "1", "1"), "B": ("32", "32", "4")}


def test_beside_names_what_sets_the_runs_apart(naive: notebook.Counted, tiled: notebook.Counted) -> None:
    small = notebook.count("tiling/tiled", N=64, TILE=4)
    head = notebook.beside(small, tiled).content.text.splitlines()[0]
    assert "tiled (TILE 4)" in head
    assert "tiled (TILE 32)" in head
    assert "TILE" not in notebook.beside(tiled, naive).content.text.splitlines()[0]


def test_lines_show_the_kernels_source_below_a_sentence(tiled: notebook.Counted) -> None:
    shown = notebook.lines(tiled)
    assert "a_tile[y][k] * b_tile[k][x]" in repr(shown)
    assert f"<p>{shown.content.sentence}</p>" in shown._repr_html_()


def test_what_is_shown_stores_no_style(naive: notebook.Counted, tiled: notebook.Counted) -> None:
    for shown in (notebook.first_loads(naive), notebook.lines(tiled), notebook.beside(tiled, naive)):
        assert "<style" not in shown._repr_html_()
        assert "<table" in shown._repr_html_()


def test_fewer(naive: notebook.Counted, tiled: notebook.Counted) -> None:
    ((tile, *numbers),) = notebook.fewer("tiling/naive", "tiling/tiled", N=64, TILE=[32]).content.rows
    assert tile == "32"
    assert [float(number) for number in numbers] == [
        naive.bytes_per_multiply_add,
        tiled.bytes_per_multiply_add,
        naive.requests / tiled.requests,
        naive.sectors / tiled.sectors,
    ]


def test_buffers_compares_what_the_requests_of_a_block_touch() -> None:
    settings = notebook.each("stride", (0, 1, 2, 8))
    assert settings["2"] == {"stride": 2}
    table = notebook.buffers(STRIDED, settings, "in", "out", head="stride", n=1024, offset=0).content
    assert table.head[0] == "stride"
    assert "n = 1,024, offset = 0" in table.caption
    coalesced = ("4.0", "32.0")
    assert table.rows == (
        ("0", "1.0", "4.0", *coalesced),
        ("1", "4.0", "32.0", *coalesced),
        ("2", "8.0", "16.0", *coalesced),
        ("8", "32.0", "4.0", *coalesced),
    )


def test_buffers_refuses_one_that_is_not_touched() -> None:
    with pytest.raises(ValueError, match="no request for 'index'"):
        notebook.buffers(STRIDED, {"": {}}, "index", n=64)


def test_over_has_a_row_for_each_value_and_a_column_for_each_kernel() -> None:
    names = ("coalescing/array_of_structs", "coalescing/struct_of_arrays")
    table = notebook.over("FIELDS", (1, 8), *names, measures=("sectors",), n=1024).content
    assert [head.split("\n")[-1] for head in table.head] == ["FIELDS", "array_of_structs", "struct_of_arrays"]
    assert table.rows == (("1", "1,024", "128"), ("8", "8,192", "1,024"))


def test_runs_shows_measures_of_each() -> None:
    matrix = notebook.MATRICES["128 x 128"]
    counted = {name: notebook.count(f"coalescing/transpose_{name}", **matrix) for name in ("naive", "shared")}
    table = notebook.runs(counted, ("sectors_per_request", "store_sectors_per_request")).content
    assert table.rows == (("naive", "4.0", "32.0"), ("shared", "4.0", "4.0"))


def test_compared_has_a_row_for_each_run() -> None:
    runs = [notebook.count("coalescing/transpose_shared", rows=64, cols=64, PAD=pad) for pad in (0, 1)]
    table = notebook.compared(*runs, measures=("load_wavefronts", "static_shared"), told=["PAD"]).content
    assert table.rows == (
        ("transpose_shared (PAD 0)", "4,096", "4,096"),
        ("transpose_shared (PAD 1)", "128", "4,224"),
    )
