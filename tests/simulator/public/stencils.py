"""Stencils and convolutions against NumPy."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, blocks, rng

family = Family("stencils")


@family.case("a halo in shared memory, filled by the first threads")
def stencil_1d(program: Program) -> None:
    data = rng().integers(-99, 99, 500, dtype=np.int32)
    out = np.zeros_like(data)
    program.launch("stencil_1d", 6, 96, [data, out, data.size])
    assert_array_equal(out, sliding_window_view(np.pad(data, 3), 7).sum(1))


@family.case("a struct template in shared memory with a const method, clamped indices, template by name")
def heat_2d(program: Program) -> None:
    u = rng().random((29, 45), dtype=np.float32)
    out = np.zeros_like(u)
    program.launch("heat_2d<16, 6>", (3, 5), (16, 6), [u, out, 45, 29, 0.2])
    expected = u.copy()
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    expected[1:-1, 1:-1] += np.float32(0.2) * around
    assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@family.case(
    "a queue of planes in registers, barriers in a loop that some blocks never reach, doubles in shared"
)
def stencil_3d(program: Program) -> None:
    u = rng().random((7, 10, 26))
    out = np.zeros_like(u)
    program.launch("stencil_3d", (4, 3), (8, 4), [u, out, 26, 10, 7, 0.4, 0.1])
    inner = (slice(1, -1),) * 3
    expected = 0.4 * u[inner]
    for axis in range(3):
        expected += 0.1 * (np.roll(u, 1, axis)[inner] + np.roll(u, -1, axis)[inner])
    assert_allclose(out[inner], expected, rtol=1e-14)
    out[inner] = 0
    assert not out.any()


@family.case("__funnelshift_l and _r, bit-sliced adders in a lambda that captures by reference, 2-D blocks")
def life_bits(program: Program) -> None:
    cells = rng().random((23, 96)) < 0.35
    packed = np.packbits(cells, axis=1, bitorder="little").view(np.uint32)
    out = np.zeros_like(packed)
    program.launch("life_bits", (1, 5), (5, 5), [packed, out, 3, 23])
    around = sum(np.roll(cells, (dy, dx), (0, 1)) * 1 for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - cells
    expected = (around == 3) | (cells & (around == 2))
    assert_array_equal(np.unpackbits(out.view(np.uint8), axis=1, bitorder="little"), expected)


@family.case("bytes, 2-D indices, a local array in registers, size_t pitch")
def sobel(program: Program) -> None:
    image = rng().integers(0, 256, (33, 64), dtype=np.uint8)
    out = np.full_like(image, 7)
    program.launch("sobel", (4, 5), (16, 7), [image, out, 61, 33, np.uint64(64)])
    p = np.pad(image[:, :61].astype(int), 1, mode="edge")
    right, left = (p[:-2, c] + 2 * p[1:-1, c] + p[2:, c] for c in (slice(2, None), slice(None, -2)))
    below, above = (p[r, :-2] + 2 * p[r, 1:-1] + p[r, 2:] for r in (slice(2, None), slice(None, -2)))
    assert_array_equal(out[:, :61], np.minimum(abs(right - left) + abs(below - above), 255))
    assert (out[:, 61:] == 7).all()


@family.case(
    "weights in __constant__ memory by set_symbol, row pass by template, column pass with __ldg and continue"
)
def separable_convolution(program: Program) -> None:
    image, weights = rng().random((21, 150), dtype=np.float32), rng(2).random(9, dtype=np.float32)
    middle, out = np.zeros_like(image), np.zeros_like(image)
    program.set_symbol("filter", weights)
    program.launch("convolve_columns", (10, 3), (16, 8), [image, middle, 150, 21, 4])
    expected = np.array([np.convolve(column, weights, "same") for column in image.T.astype(float)]).T
    assert_allclose(middle, expected, rtol=1e-5)
    program.launch("convolve_rows<4, 64>", (blocks(150, 64), 21), 48, [middle, out, 150])
    expected = np.array([np.convolve(row, weights, "same") for row in expected])
    assert_allclose(out, expected, rtol=1e-5)


@family.case("constexpr tile sizes, threads that only load, a mask from global memory, double by template")
def convolve_2d(program: Program) -> None:
    image, mask = rng().random((30, 41)), rng(2).random((5, 5))
    out = np.zeros_like(image)
    program.launch("convolve_2d<double, 5>", (4, 3), (16, 16), [image, mask, out, 30, 41])
    windows = sliding_window_view(np.pad(image, 2), (5, 5))
    assert_allclose(out, (windows * mask).sum((2, 3)), rtol=1e-13)
