"""Bank grids of the course's kernels, and of elements of 8 and 16 bytes, held against what is counted."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import simulator
from course_utils.figures import Figure, bank_grid
from course_utils.figures.accesses import accesses
from course_utils.metrics import names
from course_utils.simulator import sectors as rules
from course_utils.simulator.trace import Step, Trace
from tests.figures.runs import run

SVG = "{http://www.w3.org/2000/svg}"
WIDE = simulator.compile(
    """
extern "C" __global__ void wide(const float4* a, float4* b, const double* c, double* d, int step) {
    __shared__ float4 x[32 * 9];
    __shared__ double y[32 * 9];
    int t = threadIdx.x;
    x[t * step] = a[t];
    y[t * step] = c[t];
    __syncthreads();
    b[t] = x[(31 - t) * step];
    d[t] = y[t / 2 * step];
}
""",
    name="wide.cu",
)


def wide(step: int) -> simulator.Run:
    vectors, doubles = [np.zeros((32, 4), np.float32) for _ in range(2)], [np.zeros(32) for _ in range(2)]
    return WIDE.launch("wide", 1, 32, [*vectors, *doubles, np.int32(step)], trace={"block": 0})


def cells(figure: Figure) -> list[tuple[int, int, int, str]]:
    """(row, first bank, banks, text) of each cell of a grid."""
    (svg,) = re.findall(r"<svg.*?</svg>", figure.html)
    found = []
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        box, text = group.find(f"{SVG}rect"), group.findtext(f"{SVG}text")
        x, y, width = (float(box.get(key)) for key in ("x", "y", "width"))
        found.append((round((y - 40.5) / 15), round((x - 112.5) / 27), round((width + 1) / 27), text))
    return found


def shared_load(pad: int) -> Figure:
    trace = run("coalescing/transpose_shared", {"PAD": pad}, rows=64, cols=64).trace
    return bank_grid(trace, 0, "line 33: load of tile")


def test_a_column_lies_in_one_bank_or_in_all() -> None:
    assert cells(shared_load(0)) == [(lane, 0, 1, str(lane)) for lane in range(32)]
    assert sorted(cells(shared_load(1))) == [(0, lane, 1, str(lane)) for lane in range(32)]
    assert shared_load(0).sentence == (
        "Block (0, 0), warp 0, line 33: load of tile: 32 lanes of 4 bytes each take 32 wavefronts where 1 "
        "would do: 31 bank conflicts."
    )
    assert shared_load(1).sentence.endswith("take 1 wavefront, as few as possible: no bank conflicts.")


@pytest.mark.parametrize("step", [1, 2, 3, 4, 8, 9])
def test_rows_are_the_wavefronts_that_are_counted(step: int) -> None:
    found = wide(step)
    rows = {"load": 0, "store": 0}
    for access in accesses(found.trace, "shared"):
        figure = bank_grid(found.trace, 0, access)
        drawn = 1 + max(row for row, *_ in cells(figure))
        (told,) = re.findall(r'<p class="lk-watch"><b>(\d+)</b>', figure.html)
        assert int(told) == drawn
        rows[access.what] += drawn
    assert rows["load"] == found.metrics[names.SHARED_LOAD_WAVEFRONTS]
    assert rows["store"] == found.metrics[names.SHARED_STORE_WAVEFRONTS]


def test_no_bank_serves_two_words_in_a_wavefront() -> None:
    for step in (1, 3, 8):
        found = wide(step)
        for access in accesses(found.trace, "shared"):
            taken = [
                (row, bank + each)
                for row, bank, width, _ in cells(bank_grid(found.trace, 0, access))
                for each in range(width)
            ]
            assert len(taken) == len(set(taken))


def test_wide_elements_take_several_banks_and_few_lanes_a_row() -> None:
    found = wide(1)
    stored = cells(bank_grid(found.trace, 0, "line 6: store to x"))
    assert stored == [(row, 4 * each, 4, str(8 * row + each)) for row in range(4) for each in range(8)]
    assert "4: lanes 24–31" in bank_grid(found.trace, 0, "line 6: store to x").html  # noqa: RUF001
    assert {width for _, _, width, _ in cells(bank_grid(found.trace, 0, "line 7: store to y"))} == {2}


def test_a_broadcast_is_one_cell() -> None:
    figure = bank_grid(wide(1).trace, 0, "line 10: load of y")  # partners want the same: all lanes at once
    assert cells(figure) == [(0, 2 * each, 2, "2×") for each in range(16)]  # noqa: RUF001
    assert "Up to 2 lanes get the same word in one pass (a broadcast)." in figure.sentence


def test_merged_loads_are_shown_as_the_hardware_moves_them() -> None:
    trace = run("tiling/tiled", {"TILE": 16}, N=32).trace
    (line,) = [each for each in accesses(trace, "shared", 0) if each.deed == "load of a_tile"]
    figure = bank_grid(trace, 0, line)
    assert "time 1 of 8: 32 lanes of 16 bytes each take 2 wavefronts" in figure.sentence
    assert "moves 4 neighbouring elements at once (modelled)" in figure.sentence
    assert cells(figure) == [(0, 0, 4, "16×"), (1, 16, 4, "16×")]  # noqa: RUF001


def test_lanes_tell_their_bank() -> None:
    assert re.findall(r"<b>(\d+)</b>b(\d+)", shared_load(1).html) == [(str(lane),) * 2 for lane in range(32)]
    trace = run("execution_model/reverse", {"BLOCK": 32}, block=(1, 0), n=42).trace
    figure = bank_grid(trace)
    assert "10 lanes of 4 bytes" in figure.sentence
    assert figure.html.count("takes no part") == 22


def test_no_access_is_said() -> None:
    figure = bank_grid(run("tiling/naive", {"TILE": 8}, N=24).trace)
    assert (figure.sentence, figure.html) == ("No warp of this block touches shared memory.", "")


def test_picture_is_labelled_repeatable_and_in_the_themes_colours() -> None:
    first, second = shared_load(0), shared_load(0)
    assert first.html == second.html
    assert first.html.count(f'role="img" aria-label="{first.sentence}"') == 2
    assert re.findall(r"(?:fill|stroke):(?!var\(--lk-|none)[^;\"]*", first.html) == []


def test_atomics_say_that_they_are_counted_otherwise() -> None:
    program = simulator.compile(
        """
extern "C" __global__ void tally(const int* where) {
    __shared__ int bins[64];
    atomicAdd(&bins[where[threadIdx.x]], 2);
}
""",
        name="tally.cu",
    )
    run = program.launch("tally", 1, 32, [np.arange(0, 64, 2, np.int32)], trace={"block": 0})
    figure = bank_grid(run.trace)
    assert "line 4: atomic on bins: 32 lanes" in figure.sentence
    assert figure.sentence.endswith("Atomics are counted by a rule of their own.")
    assert "of this picture, in no counter" in figure.html
    assert "counted (simulator)" not in figure.html


LANES = st.lists(st.one_of(st.none(), st.integers(0, 127)), min_size=32, max_size=32)


@settings(deadline=None)
@given(LANES, st.sampled_from([4, 8, 16]), st.booleans())
def test_any_pattern_takes_the_wavefronts_of_the_rule(units: list[int | None], size: int, load: bool) -> None:
    """A picture of lanes anywhere in shared memory, some of them inactive."""
    if all(unit is None for unit in units):
        return
    addresses = [None if unit is None else unit * size for unit in units]
    wavefronts, ideal = rules.wavefronts(addresses, size, load=load)
    step = Step(
        warp=0, line=1, opcode="ld.shared" if load else "st.shared",
        active=sum(1 << lane for lane, unit in enumerate(units) if unit is not None),
        space="shared", load=load, store=not load, size=size, buffer="x",
        index=np.array([-1 if unit is None else unit for unit in units]),
        address=np.array([each or 0 for each in addresses]),
        wavefronts=wavefronts, ideal=ideal, moved=size,
    )  # fmt: skip
    found = cells(bank_grid(Trace((0, 0, 0), [step])))
    assert len({row for row, *_ in found}) == wavefronts
    taken = [(row, bank + each) for row, bank, width, _ in found for each in range(width)]
    assert len(taken) == len(set(taken))
    lanes = sum(int(text[:-1]) if text.endswith("×") else 1 for *_, text in found)  # noqa: RUF001
    assert lanes == step.active.bit_count()


def test_all_requests_of_a_launch_add_up_to_its_counters() -> None:
    found = run("tiling/tiled", {"TILE": 8}, N=8)  # one block
    total = {"load": 0, "store": 0}
    for warp in (0, 1):
        for access, steps in accesses(found.trace, "shared", warp).items():
            for time in range(1, len(steps) + 1):
                drawn = cells(bank_grid(found.trace, warp, access, time))
                total[access.what] += len({row for row, *_ in drawn})
    assert total == {
        "load": found.metrics[names.SHARED_LOAD_WAVEFRONTS],
        "store": found.metrics[names.SHARED_STORE_WAVEFRONTS],
    }
