"""Sparse matrices: the example of the notes, pictures of rows, formats beside each other, files."""

from __future__ import annotations

import timeit
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from .. import devices, kernels, problems, recordings, sparse
from ..exercises.copies import folder
from ..figures import MEASURES, Table, row_lengths
from ..figures.numbers import DASH, decimal, milliseconds, told_sizes
from ..figures.rows import COMPUTED
from ..figures.sample import COUNTED
from ..recordings import libraries
from .counted import Counted, Shown, count, launched
from .tables import Settings, column

SHAPES: dict[str, Settings] = {
    "regular": {"skewed": 0},
    "banded": {"banded": 1},
    "random": {"varied": 1},
    "skewed": {"skewed": 1},
}
"""The made matrices of lesson 06: what they are called -> what makes them."""

_EXAMPLE = sparse.Csr(
    np.arange(1, 8, dtype=np.float32),
    np.array([0, 2, 3, 1, 2, 3, 3], np.int32),
    np.array([0, 3, 4, 6, 7], np.int32),
    4,
)
_EXAMPLE_X = np.array([1, 10, 100, 1000], np.float32)


def csr_example() -> Shown:
    """A matrix of 4 x 4 with 7 values: its rows, and where each of them lies in the arrays."""
    rows = []
    for row in range(_EXAMPLE.rows):
        first, behind = _EXAMPLE.starts[row : row + 2]
        dense = ["."] * _EXAMPLE.width
        for k in range(first, behind):
            dense[_EXAMPLE.columns[k]] = f"{_EXAMPLE.values[k]:g}"
        inside = slice(first, behind)
        rows.append(
            (
                f"{row}",
                " ".join(dense),
                f"{first}",
                _listed(_EXAMPLE.columns[inside]),
                _listed(_EXAMPLE.values[inside]),
            )
        )
    head = ("row", "the row, . for 0", "starts[row]", "its part of columns", "its part of values")
    return Shown(Table(f"starts ends with starts[4] = {_EXAMPLE.starts[-1]}", head, tuple(rows)))


def laid_out(*formats: str) -> Shown:
    """The values of that matrix in the order in which a format keeps them: "CSR", "ELL", "JDS", "SELL" in
    slices of 2 rows, or "SELL, sorted"; all by default."""
    shown = _layouts()
    chosen = formats or tuple(shown)
    rows = tuple((name, "  |  ".join(shown[name])) for name in chosen)
    return Shown(Table("values in memory, . for padding", ("format", "from first to last"), rows))


def _layouts() -> dict[str, list[str]]:
    """Format -> its groups of values: rows of CSR, rounds of the others."""
    rows, jds = _EXAMPLE.rows, sparse.jds(_EXAMPLE)
    slices = {"SELL": sparse.sell(_EXAMPLE, 2, 1), "SELL, sorted": sparse.sell(_EXAMPLE, 2, rows)}
    ell = sparse.ell(_EXAMPLE)
    return {
        "CSR": _groups(_EXAMPLE, _EXAMPLE.starts),
        "ELL": _groups(ell, range(0, ell.values.size + 1, rows)),
        "JDS": _groups(jds, jds.diagonals),
        **{name: _groups(laid, range(0, laid.values.size + 1, 2)) for name, laid in slices.items()},
    }


def _groups(laid: sparse.Csr | sparse.Ell | sparse.Jds | sparse.Sell, bounds: Iterable[int]) -> list[str]:
    texts = [
        "." if column == sparse.NOTHING else f"{value:g}"
        for value, column in zip(laid.values, laid.columns, strict=True)
    ]
    return [" ".join(texts[first:behind]) for first, behind in pairwise(bounds)]


def added(launches: int) -> Shown:
    """What y holds after each launch of the kernel of the notes on that matrix, with x = 1, 10, 100, 1000. y
    is set to zero once, before the first launch."""
    kernel = kernels.load("spmv/csr_add")
    y = np.zeros(_EXAMPLE.rows, np.float32)
    geometry = kernel.geometry(rows=_EXAMPLE.rows)
    arguments = [_EXAMPLE.values, _EXAMPLE.columns, _EXAMPLE.starts, _EXAMPLE_X, y, np.int32(_EXAMPLE.rows)]
    rows = []
    for launch in range(1, launches + 1):
        devices.launch(kernel, None, geometry.grid, geometry.block, arguments, device=devices.SIMULATOR)
        rows.append((f"{launch}", *(f"{value:,.0f}" for value in y)))
    head = ("launch", *(f"y[{row}]" for row in range(_EXAMPLE.rows)))
    return Shown(Table("csr_add.cu, run in the simulator", head, tuple(rows)))


def shares(threads: int) -> Shown:
    """How a merge cuts that matrix into equal shares: of each thread its steps, in which it adds a value or
    ends a row."""
    begins = sparse.merge_shares(_EXAMPLE, threads)
    rows = []
    for thread, ((row, value), (next_row, next_value)) in enumerate(pairwise(begins)):
        ended = range(row, next_row)
        taken = _listed(_EXAMPLE.values[value:next_value])
        steps = next_row - row + next_value - value
        rows.append((f"{thread}", f"{steps}", taken or DASH, ", ".join(map(str, ended)) or DASH))
    head = ("thread", "steps", "values it adds", "rows it ends")
    return Shown(
        Table(f"{_EXAMPLE.count} values and {_EXAMPLE.rows} ends of rows, {COMPUTED}", head, tuple(rows))
    )


def shapes(**sizes: int) -> dict[str, Settings]:
    """SHAPES with sizes that all of them have: what a control of a lab sets."""
    return {name: {**sizes, **chosen} for name, chosen in SHAPES.items()}


def made(shape: str, **sizes: int) -> sparse.Csr:
    """One of SHAPES, as the kernels are given it: `rows`, and `per_row` values in a row on average."""
    return problems.spmv.matrix({**sizes, **SHAPES[shape]}, np.random.default_rng(0))


def rows_of(matrix: sparse.Csr, name: str = "") -> Shown:
    """A picture of how long the rows of a matrix are, in the order of the warps that take them."""
    return Shown(row_lengths(matrix.lengths, name))


def open_matrix(name: str) -> sparse.Csr:
    """A Matrix Market file: of the learner's folder my/, or else one that comes with the course. Raises
    sparse.MatrixError, with one sentence, for what is no such file."""
    own = folder() / name.removeprefix("my/")
    file = own if own.exists() or not (sparse.EXAMPLES / name).is_file() else sparse.EXAMPLES / name
    return sparse.read(file)


PLACES: dict[str, Callable[[sparse.Csr], int]] = {
    "CSR": lambda matrix: matrix.count,
    "ELL": lambda matrix: sparse.ell(matrix).values.size,
    "JDS": lambda matrix: sparse.jds(matrix).values.size,
    "SELL,\nnot sorted": lambda matrix: sparse.sell(matrix, 32, 1).values.size,
    "SELL,\nwindows of 512": lambda matrix: sparse.sell(matrix, 32, 512).values.size,
    "SELL,\nall sorted": lambda matrix: sparse.sell(matrix, 32, matrix.rows).values.size,
}
"""Format, SELL in slices of 32 rows -> how many places it keeps for a matrix."""


def stored(*formats: str, **sizes: int) -> Shown:
    """How many places a format keeps for a value, for each of SHAPES; of PLACES all, or those named."""
    chosen = {name: PLACES[name] for name in formats or PLACES}
    rows = []
    for shape in SHAPES:
        matrix = made(shape, **sizes)
        rows.append((shape, *(decimal(places(matrix) / matrix.count, 2) for places in chosen.values())))
    caption = f"places kept for a value, {told_sizes(sizes)}, {COMPUTED}"
    return Shown(Table(caption, ("matrix", *chosen), tuple(rows)))


def longest(matrix: sparse.Csr) -> Shown:
    """How many rounds the thread makes that has most to do, kernel by kernel."""
    lengths = matrix.lengths
    steps = -(-(matrix.count + matrix.rows) // matrix.rows)
    rows = (
        ("csr_scalar, jds, sell", f"{lengths.max():,}"),
        ("csr_vector, 8 lanes a row", f"{-(-lengths.max() // 8):,}"),
        ("csr_vector, 32 lanes a row", f"{-(-lengths.max() // 32):,}"),
        ("csr_merge", f"{steps:,}"),
    )
    return Shown(Table(COMPUTED, ("kernel", "rounds of the busiest thread"), rows))


def crossed(
    names: Sequence[str], measure: str, shapes: Mapping[str, Settings] = SHAPES, **settings: int
) -> Shown:
    """One measure, a key of figures.MEASURES, for each kernel (a row) on each of the shapes (a column)."""
    kind = MEASURES[measure]
    rows = []
    for name in names:
        loaded = kernels.load(name)
        own = {
            key: value for key, value in settings.items() if key in loaded.tunables or key not in _TUNABLES
        }
        samples = (count(name, **own, **chosen).sample() for chosen in shapes.values())
        rows.append((loaded.path.stem, *(kind.of(sample) for sample in samples)))
    note = f" ({kind.note})" if kind.note else ""
    return Shown(
        Table(f"{kind.label}{note}, {told_sizes(settings)}, {COUNTED}", ("kernel", *shapes), tuple(rows))
    )


_TUNABLES = frozenset({"LANES", "SLICE"})


def on_matrix(matrix: sparse.Csr, *names: str, measures: Sequence[str]) -> Shown:
    """Kernels on one matrix, such as that of a file: a row for each kernel, a column for each of
    `measures`, keys of figures.MEASURES; the last column says whether the product is right."""
    rows = []
    for name in names:
        try:
            counted = _counted(name, matrix)
        except sparse.TooMuchPadding:
            rows.append((kernels.load(name).path.stem, *[DASH] * len(measures), "too much padding"))
            continue
        cells = (MEASURES[key].of(counted.sample()) for key in measures)
        rows.append((counted.kernel.path.stem, *cells, "right" if counted.right else "wrong"))
    shown = (MEASURES[key] for key in measures)
    columns = (column(f"{kind.label} {kind.note}".strip()) for kind in shown)
    told = f"{matrix.rows:,} x {matrix.width:,} with {matrix.count:,} values, {COUNTED}"
    return Shown(Table(told, ("kernel", *columns, "product"), tuple(rows)))


def _counted(name: str, matrix: sparse.Csr) -> Counted:
    def make(sizes: problems.Sizes, random: np.random.Generator) -> problems.Problem:
        return problems.spmv.on(matrix, name, sizes, random)

    return launched(kernels.load(name), {}, {"rows": matrix.rows}, make, {"block": (0, 0), "warp": 0})


def library_time(library: str, **sizes: int) -> None:
    """Print how long a library took at some sizes, as recorded, and its useful bandwidth."""
    told = [
        f"{timed.name}: {timed.operations or 0:,} multiply-adds in {milliseconds(timed.seconds.median)}, "
        f"{(timed.bytes_per_second or 0) / 1e12:.2f} TB/s of useful bytes, {recording.label}"
        for recording in recordings.load()
        for topic in recording.libraries.values()
        for timed in topic
        if timed.name == library and timed.sizes == sizes
    ]
    print("\n".join(told) or f"No recording has a time of {library} at {told_sizes(sizes)}.")


def measure_product(**sizes: int) -> None:
    """Time a product with a made matrix by a library on this machine: by each algorithm of cuSPARSE on a GPU,
    else by SciPy on the processor; and print the times."""
    problem = problems.spmv.product("spmv/csr_scalar")(sizes, np.random.default_rng(0))
    if devices.current() != devices.SIMULATOR:
        prepared = libraries.LIBRARIES["cuSPARSE"].prepare(problem)
        for name, work in prepared.variants.items():
            samples = devices.gpu().time(work, "cuSPARSE", devices.Timing(10))
            print(
                f"cuSPARSE {name}: {milliseconds(float(np.median(samples)))}, measured on this machine's GPU"
            )
        prepared.fetch()
        print(problem.verdict()[1])
        return
    arrays = problem.arrays
    matrix = sparse.Csr(arrays["values"], arrays["columns"], arrays["starts"], arrays["x"].size).scipy()
    arrays["y"][:] = matrix @ arrays["x"]
    seconds = min(timeit.repeat(lambda: matrix @ arrays["x"], number=1, repeat=5))
    print(f"SciPy: {milliseconds(seconds)}, measured on this machine's processor (the least of 5)")
    print(problem.verdict()[1])
    print(devices.describe())


def _listed(values: np.ndarray) -> str:
    return ", ".join(f"{value:g}" for value in values)
