"""What the lesson on cuBLAS calls: what comes of a call, how buffers are read, formats, cublasLt."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from .. import blas, devices, recordings
from ..blas import lt
from ..figures import Table, buffer_picture
from ..figures.numbers import milliseconds, three_digits, told_sizes
from ..kernels import Listing
from ..kernels.kernel import REPOSITORY
from ..labs.blas import CONTROLS, SHAPES, STORED, call
from ..recordings import Timed
from .counted import Shown
from .timing import not_recorded

COMPUTED = "computed (NumPy)"
"""The label of numbers that stand for no machine: what a format makes of a product."""


def attempt(function: Callable[..., object], *arguments: object) -> None:
    """Call a function of a handle, and print what it returns, or how it was refused."""
    try:
        returned = function(*arguments)
    except blas.BlasError as refused:
        print(refused)
    else:
        print("CUBLAS_STATUS_SUCCESS" if returned is None else returned)


def reading(name: str, buffer: np.ndarray, rows: int, columns: int, ld: int, trans: str = "N") -> Shown:
    """How a call reads a buffer: as a matrix of rows x columns. Raises BlasError where it is refused."""
    with blas.create(devices.SIMULATOR) as handle:
        places = blas.read_at(handle, trans, rows, columns, ld, buffer.size)
    how = f"read as {name}" if trans == "N" else f"read as {name} transposed"
    return Shown(buffer_picture(name, buffer, places, ld, how))


def code(of: Callable[..., object]) -> Listing:
    """A function or method of the course as it stands in its file."""
    path = Path(inspect.getfile(of))
    lines, first = inspect.getsourcelines(of)
    title = path.relative_to(REPOSITORY).as_posix()
    return Listing(title, path.read_text(encoding="utf-8"), first, first + len(lines) - 1)


def flags(shape: int = 0) -> Shown:
    """What comes of every order of operands and every transpose flag, for matrices that lie by rows and by
    columns, each with its own leading dimension. `shape`: which of labs.blas.SHAPES."""
    names = list(SHAPES)
    base = {control.name: control.completed([]).start for control in CONTROLS}
    rows = []
    for operands in ("A, B", "B, A"):
        for transa in "NT":
            for transb in "NT":
                chosen = {"A and B": names[shape], "operands": operands, "transa": transa, "transb": transb}
                found = [call({**base, **chosen, "lie by": order}).outcome for order in ("rows", "columns")]
                rows.append((operands, transa, transb, *found))
    head = ("operands", "transa", "transb", "A and B lie by rows", "A and B lie by columns")
    caption = f"A and B of {names[shape]}; lda and ldb {STORED}, ldc the rows of the result"
    return Shown(Table(caption, head, tuple(rows)))


def formats() -> Shown:
    """The formats that inputs of a product may have, with what they can hold."""
    rows = []
    for each in blas.FORMATS.values():
        spacing = 2.0**-each.mantissa
        rows.append((each.name, str(each.bits), str(each.mantissa), f"{spacing:.1e}", f"{each.largest:.3g}"))
    head = ("format", "bits that count", "of the fraction", "from 1 to the next", "largest number")
    return Shown(Table("Formats", head, tuple(rows)))


def format_errors(k: Sequence[int] = (64, 512, 4096), edge: int = 16) -> Shown:
    """The error of products of random matrices whose inputs are rounded to each format, for several lengths
    of the sums: |found - right| / |right| over edge x edge results, right in float64."""
    random = np.random.default_rng(0)
    pairs = [
        tuple(random.uniform(-1, 1, shape).astype(np.float32) for shape in ((edge, n), (n, edge))) for n in k
    ]
    rows = []
    listed: list[tuple[str, type[np.floating], type[np.floating]]] = [
        (name, np.float32, np.float32) for name in blas.FORMATS
    ]
    listed.insert(3, ("float16", np.float32, np.float16))
    listed.insert(4, ("float16", np.float16, np.float16))
    for name, sums, result in listed:
        errors = (_error(blas.product(a, b, name, sums).astype(result), a, b) for a, b in pairs)
        rows.append((name, sums.__name__, result.__name__, *(f"{error:.1e}" for error in errors)))
    head = ("inputs", "sums", "result", *(f"error, k = {n:,}" for n in k))
    return Shown(Table(f"Products of numbers from -1 to 1, {COMPUTED}", head, tuple(rows)))


def _error(found: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    right = a.astype(np.float64) @ b.astype(np.float64)
    return float(np.linalg.norm(found - right) / np.linalg.norm(right))


def libraries(names: Sequence[str], **sizes: int) -> Shown:
    """Recorded times and errors of libraries at one size, a row for each that a recording has; which ones no
    recording has yet stands above the table."""
    rows, missing = [], []
    for name in names:
        found = [(each.label, timed) for each in recordings.load() if (timed := _timed(each, name, sizes))]
        rows += [_row(name, label, timed) for label, timed in found]
        missing += [] if found else [name]
    if not rows:
        return Shown(
            not_recorded(f"no recording has times of {'; '.join(missing)} at {told_sizes(sizes)} yet")
        )
    told = f"{told_sizes(sizes)}; recorded"
    if missing:
        told = f"{told_sizes(sizes)}; not recorded yet: {'; '.join(missing)}"
    head = ("", "time", "TFLOP/s", "error", "where")
    return Shown(Table(told, head, tuple(rows)))


def _timed(recording: recordings.Recording, name: str, sizes: Mapping[str, int]) -> Timed | None:
    every = (timed for times in recording.libraries.values() for timed in times)
    return next((timed for timed in every if timed.name == name and timed.sizes == dict(sizes)), None)


def _row(name: str, label: str, timed: Timed) -> tuple[str, ...]:
    flops = "" if timed.flops is None else three_digits(timed.flops * 1e-12)
    return (name, milliseconds(timed.seconds.median), flops, f"{timed.error:.1e}", label)


def modes(edge: int = 1024) -> None:
    """On this machine's GPU, the error of cublasGemmEx with each compute type; without one, say so."""
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return
    random = np.random.default_rng(0)
    a, b = (random.uniform(-1, 1, (edge, edge)).astype(np.float32) for _ in range(2))
    with blas.create() as handle:
        print(f"measured: {handle.where}")
        for compute, kind in (
            ("32F", np.float32), ("32F_FAST_TF32", np.float32), ("32F_FAST_16BF", np.float32),
            ("32F_FAST_16F", np.float32), ("32F", np.float16), ("16F", np.float16),
        ):  # fmt: skip
            left, right = (blas.store(each.astype(kind), "columns") for each in (a, b))
            result = np.zeros(edge * edge, kind)
            handle.gemm_ex("N", "N", edge, edge, edge, 1, left, edge, right, edge, 0, result, edge, compute)
            error = _error(blas.fetch(result, edge, edge, "columns"), a, b)
            print(f"CUBLAS_COMPUTE_{compute:<15}{np.dtype(kind).name:<9}error {error:.1e}")


def lt_plans(m: int, n: int, k: int) -> None:
    """On this machine's GPU, what cublasLt proposes for max(A B + bias, 0), how its first algorithm does, and
    that a second plan asks no more and has them in the order of their times; without a GPU or nvmath-python,
    say so."""
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return
    try:
        planner = lt.Planner()
    except lt.LtError as error:
        print(error)
        return
    import cupy

    random = np.random.default_rng(0)
    # Their transposes are the matrices, by columns.
    a, b, bias = (random.uniform(-1, 1, shape).astype(np.float32) for shape in ((k, m), (n, k), (m, 1)))
    there = [cupy.asarray(each) for each in (a, b, bias)]
    right = np.maximum(a.T.astype(np.float64) @ b.T + bias, 0)
    for _ in range(2):
        with planner.plan(there[0].T, there[1].T, "ReLU and bias", there[2]) as planned:
            proposed, found = planned.algorithms, planned.run().get()
            planned.tune()
    error = np.linalg.norm(found - right) / np.linalg.norm(right)
    print(f"{len(proposed)} algorithms; error of the first {error:.1e}; heuristic asked {planner.asked} time")
    for each in proposed:
        print(f"algorithm {each.number}: tile {each.tile}, stages {each.stages}, k in {each.split_k} parts")
