"""Access maps of the course's kernels and of patterns that they lack, held against NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest

from course_utils import simulator
from course_utils.figures import access_map
from course_utils.figures.accesses import Access, accesses, spans
from course_utils.metrics import names
from tests.figures.runs import run, strided

PATTERNS = simulator.compile(
    """
extern "C" __global__ void patterns(const float4* a, float4* b, const int* where, const float* c, float* d,
                                    const short* e, short* f, int* total) {
    int t = threadIdx.x;
    b[t] = a[t];
    if (t < 20) d[t] = c[where[t]];
    f[t] = e[2 * t];
    atomicAdd(&total[t / 8], t);
}
""",
    name="patterns.cu",
)
WHERE = np.random.default_rng(7).integers(0, 300, 32).astype(np.int32)


def patterns() -> simulator.Run:
    wide, narrow = [np.zeros((32, 4), np.float32) for _ in range(2)], np.zeros(64, np.int16)
    floats = np.arange(300, dtype=np.float32)
    rest = [WHERE, floats, np.zeros(32, np.float32), narrow, np.zeros(32, np.int16), np.zeros(4, np.int32)]
    return PATTERNS.launch("patterns", 1, 32, [*wide, *rest], trace={"block": 0})


def drawn(html: str) -> list[tuple[str, list[str]]]:
    """(elements, text of each word, "-" where it is wasted) of each sector of a map."""
    found = []
    for name, words in re.findall(r'<b>s\d+</b> ([^<]*)</div><div class="lk-words">(.*?)</div>', html):
        cells = re.findall(r'<i class="(\w+)[^"]*"[^>]*>([^<]*)</i>', words)
        found.append((name, ["-" if kind == "waste" else text for kind, text in cells]))
    return found


@pytest.mark.parametrize(("stride", "offset"), [(1, 0), (1, 3), (2, 0), (7, 5), (32, 1), (0, 9)])
def test_a_lane_stands_in_the_word_that_it_loads(stride: int, offset: int) -> None:
    figure = access_map(strided(stride, offset).trace, warp=1)
    elements = offset + stride * np.arange(32, 64)
    for sector, (name, words) in zip(np.unique(elements // 8), drawn(figure.html), strict=True):
        assert name == f"in[{8 * sector}–{8 * sector + 7}]"  # noqa: RUF001
        for element, text in enumerate(words, 8 * sector):
            lanes = np.flatnonzero(elements == element)
            right = "-" if not len(lanes) else f"{len(lanes)}×" if len(lanes) > 1 else str(lanes[0])  # noqa: RUF001
            assert text == right


def test_the_number_to_watch_is_the_simulators() -> None:
    for stride in (1, 2, 8, 40):
        counted = strided(stride, 0, n=32)  # one warp: the whole launch is one request
        (number,) = re.findall(r'<p class="lk-watch"><b>(\d+)</b>', access_map(counted.trace).html)
        assert int(number) == counted.metrics[names.GLOBAL_LOAD_SECTORS]


def test_sentence_tells_what_is_wasted() -> None:
    assert access_map(strided(2, 0).trace, warp=1).sentence == (
        "Block (0, 0), warp 1, line 20: load of in: 32 lanes of 4 bytes each want 128 bytes in all, which "
        "lie in 8 sectors; 128 of their 256 bytes (50 %) are moved for nothing."
    )
    assert access_map(strided(1, 0).trace).sentence.endswith("in 4 sectors, and no byte of them is wasted.")


def test_vector_gather_and_store() -> None:
    found = patterns()
    line = {str(each): each for each in accesses(found.trace, "global")}
    assert list(line) == [
        "line 5: load of a", "line 5: store to b", "line 6: load of where", "line 6: load of c",
        "line 6: store to d", "line 7: load of e", "line 7: store to f", "line 8: atomic on total",
    ]  # fmt: skip
    vector = drawn(access_map(found.trace, 0, "line 5: store to b").html)
    assert [words for _, words in vector] == [[str(2 * each), str(2 * each + 1)] for each in range(16)]
    gather = access_map(found.trace, 0, "line 6: load of c")
    assert (
        [name for name, _ in drawn(gather.html)]
        == [
            f"c[{8 * each}–{8 * each + 7}]"  # noqa: RUF001
            for each in np.unique(WHERE[:20] // 8)
        ]
    )
    assert gather.html.count("takes no part") == 12 + 1  # and once in the key


def test_narrow_elements_share_words() -> None:
    halves = drawn(access_map(patterns().trace, 0, "line 7: load of e").html)
    assert halves == [
        (f"e[{first}–{first + 15}]", [str(lane) for lane in range(first // 2, first // 2 + 8)])  # noqa: RUF001
        for first in (0, 16, 32, 48)
    ]
    figure = access_map(patterns().trace, 0, Access(7, "load", "e"))
    assert "64 of their 128 bytes (50 %)" in figure.sentence
    assert figure.html.count("on part") == 32


def test_atomics_say_that_they_are_counted_otherwise() -> None:
    figure = access_map(patterns().trace, 0, "line 8: atomic on total")
    assert figure.sentence.endswith("Atomics are counted by a rule of their own.")
    assert "of this picture, in no counter" in figure.html
    assert "counted (simulator)" not in figure.html
    assert drawn(figure.html) == [("total[0–7]", [*["8×"] * 4, *"----"])]  # noqa: RUF001


def test_occurrences_are_in_order_and_bounded() -> None:
    trace = run("tiling/naive", {"TILE": 8}, N=24).trace
    (of_a,) = [each for each in accesses(trace, "global", 0) if each.deed == "load of A"]
    places = [access_map(trace, 0, of_a, time).sentence for time in (1, 24, 99)]
    assert "load of A, time 1 of 24: " in places[0]
    assert places[1] == places[2]
    assert "time 24 of 24" in places[1]
    first, last = (drawn(access_map(trace, 0, of_a, time).html)[0] for time in (1, 24))
    assert (first[0], last[0]) == ("A[0–7]", "A[16–23]")  # noqa: RUF001


def test_a_warp_that_is_not_there_gives_the_first() -> None:
    trace = strided(1, 0).trace
    assert access_map(trace, 99).html == access_map(trace, 0, "line 3: load of nothing").html


def test_no_access_is_said() -> None:
    program = simulator.compile('extern "C" __global__ void idle() {}')
    figure = access_map(program.launch("idle", 1, 32, [], trace={"block": 0}).trace)
    assert (figure.sentence, figure.html) == ("No warp of this block touches global memory.", "")


def test_picture_is_labelled_and_repeatable() -> None:
    first, second = access_map(strided(5, 1).trace), access_map(strided(5, 1).trace)
    assert first.html == second.html
    assert f'role="img" aria-label="{first.sentence}"' in first.html
    assert "counted (simulator)" in first.html


def test_spans() -> None:
    assert spans([]) == "none"
    assert spans([0, 1, 2, 3, 8, 12, 13]) == "0–3, 8, 12–13"  # noqa: RUF001


def test_all_requests_of_a_launch_add_up_to_its_counters() -> None:
    found = run("tiling/tiled", {"TILE": 8}, N=8)  # one block
    total = {"load": 0, "store": 0}
    for warp in (0, 1):
        for access, steps in accesses(found.trace, "global", warp).items():
            for time in range(1, len(steps) + 1):
                total[access.what] += len(drawn(access_map(found.trace, warp, access, time).html))
    assert total == {
        "load": found.metrics[names.GLOBAL_LOAD_SECTORS],
        "store": found.metrics[names.GLOBAL_STORE_SECTORS],
    }


def test_sentence_of_a_single_lane_and_sector() -> None:
    trace = run("execution_model/warp_sum", {"BLOCK": 32}, n=32).trace
    (store,) = [each for each in accesses(trace, "global") if each.what == "store"]
    assert access_map(trace, 0, store).sentence.endswith(
        "store to sums: 1 lane writes 4 bytes, which lie in 1 sector; 28 of its 32 bytes (88 %) are moved "
        "for nothing."
    )
