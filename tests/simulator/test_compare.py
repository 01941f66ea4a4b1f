"""compare() on kernels that are wrong on purpose: each pattern is seen, and no difference in right values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from course_utils import simulator
from course_utils.simulator import ArgumentError, differences

N = 256


@dataclass(frozen=True)
class Case:
    """`body` fills float *y from const float *x, both of `shape`; `right` is what y should hold (default: x).
    Seen must be the patterns of these kinds, with these words."""

    name: str
    body: str
    kinds: tuple[str, ...]
    words: tuple[str, ...]
    shape: tuple[int, ...] = (N,)
    grid: int | tuple[int, int] = 4
    block: int | tuple[int, int] = 64
    count: int | None = None
    start: object = field(default=0.0)

    @property
    def source(self) -> str:
        return (
            'extern "C" __global__ void kernel(const float *x, float *y)\n{\n'
            "    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
            f"    {self.body}\n}}\n"
        )

    def run(self) -> tuple[simulator.Run, np.ndarray]:
        order = np.random.default_rng(3).permutation(int(np.prod(self.shape)))
        x = (order + 1).astype(np.float32).reshape(self.shape)  # all different
        y = simulator.fresh(self.shape, np.float32) if self.start is None else np.full_like(x, self.start)
        program = simulator.compile(self.source, name="wrong.cu")
        return program.launch("kernel", self.grid, self.block, [x, y]), x


MATRIX = {"shape": (32, 48), "grid": (3, 4), "block": (16, 8)}
CASES = [
    Case("a factor", "y[i] = 2 * x[i];", ("factor", "all"), ("2 times the right values",)),
    Case("a number too much", "y[i] = x[i] + 0.5f;", ("offset", "all"), ("too large by 0.5",)),
    Case("nothing written", "if (x[i] < 0) y[i] = x[i];", ("zero", "all"), ("All wrong elements hold 0",)),
    Case(
        "a part not written",
        "if (blockIdx.x != 2) y[i] = x[i];",
        ("never written", "blocks"),
        ("0xCD", "all elements of block 2"),
        count=64,
        start=None,
    ),
    Case(
        "lane 31 is not a number",
        "y[i] = threadIdx.x % 32 == 31 ? sqrtf(-x[i]) : x[i];",
        ("nan", "stride"),
        ("All wrong elements hold NaN", "every 32nd element, from element 31: lane 31 of each warp"),
        count=8,
    ),
    Case(
        "first thread of each block",
        "y[i] = threadIdx.x ? x[i] : -x[i];",
        ("factor", "stride"),
        ("-1 times", "every 64th element, from element 0: thread 0 of each block"),
        count=4,
    ),
    Case(
        "every third",
        "y[i] = i % 3 == 1 ? -x[i] * x[i] : x[i];",
        ("stride",),
        ("every 3rd element, from element 1.",),
        count=85,
    ),
    Case(
        "some lanes",
        "y[i] = threadIdx.x % 32 >= 24 ? -x[i] * x[i] : x[i];",
        ("lanes",),
        ("the lanes 24 to 31 of every warp",),
        count=64,
    ),
    Case(
        "some warps",
        "y[i] = i / 32 == 1 || i / 32 == 6 ? -x[i] * x[i] : x[i];",
        ("warps",),
        ("all elements of the warps 1 and 6",),
        count=64,
    ),
    Case(
        "the last block",
        "y[i] = blockIdx.x == 3 ? -x[i] * x[i] : x[i];",
        ("blocks",),
        ("all elements of the last block",),
        count=64,
    ),
    Case(
        "the tail",
        "if (i < 249) y[i] = x[i];",
        ("zero", "tail"),
        ("the last 7 elements",),
        count=7,
    ),
    Case(
        "the last element",
        "if (i < 255) y[i] = x[i];",
        ("zero", "tail"),
        ("It holds 0.", "It is the last element."),
        count=1,
    ),
    Case("the head", "if (i > 4) y[i] = x[i];", ("zero", "head"), ("the first 5 elements",), count=5),
    Case(
        "edges of blocks",
        "int t = threadIdx.x; y[i] = (t == 0 && i) || (t == 63 && i < 255) ? -x[i] * x[i] : x[i];",
        ("edges",),
        ("at the edges of the blocks of 64:",),
        count=6,
    ),
    Case(
        "one element on",
        "y[i] = x[min(i + 1, 255)];",
        ("shifted", "head"),
        ("the places one element behind them", "the first 255 elements"),
        count=255,
    ),
    Case(
        "four elements back",
        "y[i] = x[max(i - 4, 0)];",
        ("shifted", "tail"),
        ("the places 4 elements before them",),
        count=255,
    ),
    Case(
        "one row on",
        "y[j * 48 + i] = x[(j + 1) % 32 * 48 + i];",
        ("shifted", "all"),
        ("the places one row behind them", "Every element is wrong."),
        **MATRIX,
    ),
    Case(
        "one column back",
        "y[j * 48 + i] = i ? x[j * 48 + i - 1] : x[j * 48];",
        ("shifted", "columns"),
        ("the places one column before them", "the columns 1 to 47"),
        **MATRIX,
    ),
    Case(
        "the wrong layout",
        "y[i * 32 + j] = x[j * 48 + i];",
        ("transposed",),
        ("rows and columns have changed places",),
        **MATRIX,
    ),
    Case(
        "transposed",
        "y[i * 32 + j] = x[j * 32 + i];",
        ("transposed",),
        ("rows and columns have changed places",),
        shape=(32, 32),
        grid=(2, 4),
        block=(16, 8),
    ),
    Case(
        "the last row",
        "if (j < 31) y[j * 48 + i] = x[j * 48 + i];",
        ("zero", "rows"),
        ("They are the last row.",),
        count=48,
        **MATRIX,
    ),
    Case(
        "the first and the last column",
        "if (i > 0 && i < 47) y[j * 48 + i] = x[j * 48 + i];",
        ("zero", "columns"),
        ("the first and the last column",),
        count=64,
        **MATRIX,
    ),
    Case(
        "the border",
        "if (i > 0 && i < 47 && j > 0 && j < 31) y[j * 48 + i] = x[j * 48 + i];",
        ("zero", "border"),
        ("the border",),
        count=2 * 48 + 2 * 30,
        **MATRIX,
    ),
    Case(
        "one tile",
        "if (blockIdx.x != 2 || blockIdx.y != 1) y[j * 48 + i] = x[j * 48 + i];",
        ("zero", "blocks"),
        ("the whole tile of block (2, 1)",),
        count=128,
        **MATRIX,
    ),
    Case(
        "all but one tile",
        "if (blockIdx.x == 2 && blockIdx.y == 1) y[j * 48 + i] = x[j * 48 + i];",
        ("zero", "blocks"),
        ("the whole tiles of 11 of 12 blocks",),
        count=11 * 128,
        **MATRIX,
    ),
    Case(
        "right by accident",
        "y[i] = blockIdx.x == 1 && i != 70 ? -x[i] * x[i] : x[i];",
        ("blocks",),
        ("all elements of block 1 (except 1 that is right)",),
        count=63,
    ),
    Case(
        "two right by accident",
        "y[i] = i < 2 ? x[i] : -x[i] * x[i];",
        ("tail",),
        ("the last 254 elements.",),
        count=254,
    ),
    Case(
        "near the edges of blocks",
        "int t = threadIdx.x; y[i] = (t < 3 || t > 60) && i % 5 ? -x[i] * x[i] : x[i];",
        ("edges",),
        ("within 3 of the edges of the blocks of 64:",),
        count=18,
    ),
    Case(
        "corners of tiles",
        "y[j * 48 + i] = i % 16 % 15 || j % 8 % 7 ? x[j * 48 + i] : -1.0f;",
        ("edges",),
        ("at the corners of the blocks' tiles of 16 x 8:",),
        count=4 * 12,
        **MATRIX,
    ),
    Case(
        "edges of tiles",
        "y[j * 48 + i] = i % 16 == 0 && j % 5 ? -1.0f : x[j * 48 + i];",
        ("edges",),
        ("at the edges of the blocks' tiles of 16 x 8:",),
        count=75,
        **MATRIX,
    ),
    Case(
        "sums with what was never written",
        "if (i % 2) y[i] = x[i]; else y[i] = (i % 8 ? y[i] : 3 * y[i]) + x[i];",
        ("unwritten sum", "stride"),
        ("look like sums in which bytes 0xCD stand", "every 2nd element, from element 0"),
        count=128,
        start=None,
    ),
    Case("no pattern", "y[i] = x[i] > 130 ? -x[i] * x[i] : x[i];", (), ()),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_pattern(case: Case) -> None:
    run, x = case.run()
    comparison = simulator.compare(run, x, relaunch=False)
    assert not comparison
    (difference,) = comparison.differences
    told = str(comparison)
    assert difference.name == "y"
    wrong = ~np.isclose(run.launched.args[1], x, rtol=1e-4)
    assert difference.count == np.count_nonzero(wrong)
    assert case.count in (None, difference.count)
    seen = [pattern.kind for pattern in difference.patterns]
    assert [kind for kind in case.kinds if kind not in seen] == [], told
    assert case.kinds or not seen, told
    for words in case.words:
        assert words in told, told


def test_right_values_have_no_difference() -> None:
    case = Case("right", "y[i] = 3 * x[i];", (), ())
    run, x = case.run()
    comparison = simulator.compare(run, {"y": 3 * x, "x": x})
    assert comparison
    assert comparison.differences == ()
    assert str(comparison) == "y, x: all elements are right."


def test_first_wrong_elements_are_told() -> None:
    run, x = Case("", "if (i != 5 && i < 250) y[i] = x[i];", (), ()).run()
    (difference,) = simulator.compare(run, x, relaunch=False).differences
    assert [each.index for each in difference.first] == [(5,), (250,), (251,), (252,)]
    assert difference.first[0].value == 0.0
    assert difference.first[0].expected == x[5]
    told = str(difference).splitlines()
    assert told[0] == "y: 7 of 256 elements are wrong."
    assert told[1] == f"  y[5] is 0 and should be {x[5]:.6g}"
    assert told[5] == "  and 3 more"


def test_matrices_have_two_indices() -> None:
    run, x = Case("", "if (i != 7 || j != 3) y[j * 48 + i] = x[j * 48 + i];", (), (), **MATRIX).run()
    assert "y[3][7] is 0" in str(simulator.compare(run, x))
    flat = simulator.compare(run, x.ravel())
    assert f"y[{3 * 48 + 7}] is 0" in str(flat), "the reference's shape is the one that counts"


def test_tolerance_is_that_of_the_buffers_type() -> None:
    run, x = Case("", "y[i] = x[i] * 1.00001f;", (), ()).run()
    assert simulator.compare(run, x.astype(np.float64))
    assert not simulator.compare(run, x, rtol=1e-6)
    source = 'extern "C" __global__ void k(const double *x, double *y) { y[0] = x[0] * 1.00001; }'
    y = np.zeros(1)
    run = simulator.compile(source).launch("k", 1, 1, [np.ones(1), y])
    assert not simulator.compare(run, np.ones(1))
    assert simulator.compare(run, np.ones(1), atol=1e-4)


def test_values_near_zero_need_not_be_exact() -> None:
    run, x = Case("", "y[i] = i ? x[i] : 1e-6f;", (), ()).run()
    x[0] = 0
    assert simulator.compare(run, x)
    assert not simulator.compare(run, x, atol=0)


def test_integers_are_exact() -> None:
    source = 'extern "C" __global__ void k(unsigned char *y) { y[threadIdx.x] = 200 + threadIdx.x % 2; }'
    run = simulator.compile(source).launch("k", 1, 64, [np.zeros(64, np.uint8)])
    (difference,) = simulator.compare(run, np.full(64, 200)).differences
    assert difference.count == 32
    assert [each.kind for each in difference.patterns] == ["stride"]


@pytest.mark.parametrize("terms", [1, 7])
@pytest.mark.parametrize(("cpp", "dtype"), [("int", np.int32), ("unsigned long long", np.uint64)])
def test_integers_wrap_around_in_sums_with_what_was_never_written(
    terms: int, cpp: str, dtype: type[np.generic]
) -> None:
    source = (
        f'extern "C" __global__ void k({cpp} *y) {{ int t = threadIdx.x; '
        f"y[t] = t % 3 == 0 ? t + {terms} * (unsigned long long)y[t] : t; }}"
    )
    run = simulator.compile(source).launch("k", 1, 64, [simulator.fresh(64, dtype)])
    (difference,) = simulator.compare(run, np.arange(64), relaunch=False).differences
    kinds = [each.kind for each in difference.patterns]
    assert kinds == ["unwritten sum", "stride"]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint32, np.float32, np.float64])
def test_small_numbers_are_no_sums_of_what_was_never_written(dtype: type[np.generic]) -> None:
    values = np.random.default_rng(4).integers(1, 100, (2, 500)).astype(dtype)
    got, right = values
    wrong = differences.Wrong(got, right, got != right, 0.0, 0.0)
    assert "unwritten sum" not in [each.kind for each in differences.patterns(wrong, (1, 1, 1), (500, 1, 1))]


# Which buffer

TWO = 'extern "C" __global__ void k(const int *a, int *b, int *c) { b[threadIdx.x] = c[0] = a[0]; }'


def two() -> simulator.Run:
    return simulator.compile(TWO).launch("k", 1, 1, [np.ones(1, np.int32), *np.zeros((2, 1), np.int32)])


def test_only_buffer_of_the_size_is_meant() -> None:
    args = [np.ones(1, np.int32), np.zeros(4, np.int32), np.zeros(1, np.int32)]
    run = simulator.compile(TWO).launch("k", 1, 4, args)
    assert simulator.compare(run, [1, 1, 1, 1]).compared == ("b",)


def test_unclear_buffer_is_asked_for() -> None:
    separate = [np.ones(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)]
    run = simulator.compile(TWO).launch("k", 1, 1, separate)
    with pytest.raises(ArgumentError, match=r"say which buffer of k .*there is: b, c"):
        simulator.compare(run, [1])


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ({"d": [1]}, "no buffer 'd'; there is: a, b, c"),
        ({"b": [1, 2]}, r"b has 1 elements \(1,\), the reference 2 \(2,\)"),
        ({"b": ["x"]}, "elements of <U1 are not compared"),
    ],
)
def test_bad_references_are_refused(reference: dict[str, object], says: str) -> None:
    separate = [np.ones(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)]
    run = simulator.compile(TWO).launch("k", 1, 1, separate)
    with pytest.raises(ArgumentError, match=says):
        simulator.compare(run, reference)


def test_a_run_of_elsewhere_is_refused() -> None:
    with pytest.raises(ArgumentError, match="needs a run of simulator"):
        simulator.compare(replace(two(), launched=None), [1])


# Who wrote


class Written(simulator.Run):
    """A run with what the races check leaves: who stored each byte last."""

    writers: dict[str, np.ndarray]


def writers(entries: int, block: np.ndarray, thread: np.ndarray, line: int | np.ndarray) -> np.ndarray:
    made = np.zeros(entries, [("block", "i8"), ("thread", "i4"), ("line", "i4")])
    made["block"], made["thread"], made["line"] = block, thread, line
    return made


@pytest.mark.parametrize("each", [1, 4], ids=["an element", "a byte"])
def test_writers_are_told(each: int) -> None:
    case = Case("", "if (i != 9) y[i] = i == 100 ? -x[i] : x[i];", (), ())
    run, x = case.run()
    thread = np.arange(N)
    made = writers(N, thread // 64, thread % 64, np.where(thread == 9, 0, 4))
    run.writers = {"y": np.repeat(made, each)}
    (difference,) = simulator.compare(run, x).differences
    nobody, negated = difference.first
    assert nobody.writer is None
    assert (negated.writer.block, negated.writer.thread, negated.writer.line) == ((1, 0, 0), (36, 0, 0), 4)
    assert negated.writer.text == case.body
    assert difference.lines == (4,)
    told = str(difference)
    assert "y[9] is 0" in told
    assert "no thread wrote it" in told
    assert f"thread (36, 0, 0) of block (1, 0, 0) wrote it, line 4: {case.body}" in told


def test_unknown_writers_are_looked_for_in_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second launch leaves the caller's arrays and the program's variables as they are."""
    source = (
        "__device__ int launches;\n"
        'extern "C" __global__ void k(int *a, int *b) { launches++; a[0]++; b[1] = 7; }\n'
    )
    program = simulator.compile(source)
    both = np.zeros(8, np.int32)
    run = program.launch("k", 1, 1, [both[:4], both[4:]])
    before = both.copy()
    seen = []
    launch = program.launch

    def checked(*given: object, checks: tuple[str, ...], **options: object) -> simulator.Run:
        assert checks == ("races",)
        again = launch(*given, **options)
        seen.append(again.launched.args)
        again.writers = {"a": writers(8, 0, 0, 2)}
        return again

    monkeypatch.setattr(program, "launch", checked)
    expected = both.copy()
    expected[0] += 1
    (difference,) = simulator.compare(run, {"a": expected[:4]}).differences
    assert difference.first[0].writer.line == 2
    assert np.array_equal(both, before)
    assert program.get_symbol("launches").view(np.int32)[0] == 1
    ((a, b),) = seen
    assert a[0] == before[0] + 1
    assert np.shares_memory(a.base if a.base is not None else a, b.base if b.base is not None else b)


def test_without_the_races_check_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    run, x = Case("", "y[i] = 2 * x[i];", (), ()).run()

    def refuse(*given: object, **options: object) -> None:
        raise simulator.Unsupported("no such check")

    monkeypatch.setattr(run.launched.program, "launch", refuse)
    comparison = simulator.compare(run, x)
    assert 'Launch with checks=("races",) to see which thread wrote them.' in str(comparison)
