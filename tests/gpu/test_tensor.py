"""Matrix instructions and asynchronous copies: the same PTX on the GPU and on the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices
from tests.simulator.matrices import (
    CARRIER,
    MATMUL,
    Mma,
    Wmma,
    decoded,
    matmul_arguments,
    products,
    wmma_products,
)
from tests.simulator.test_async_copy import COPY
from tests.simulator.test_tensor import MOVES, MOVMATRIX, VARIANTS, moves_defines

pytestmark = pytest.mark.gpu

BOTH = ("simulator", "gpu")


@pytest.mark.parametrize("asked", products(), ids=str)
def test_product(gpu: devices.Gpu, asked: Mma) -> None:
    """Integers agree; floating-point sums are within the error that the simulator states, on both."""
    random = np.random.default_rng(7)
    a, b, c = (asked.random(role, random) for role in "abc")
    registers = [asked.fragments(role, matrix) for role, matrix in (("a", a), ("b", b), ("c", c))]
    result, size = asked.exact(a, b, c)
    found = {}
    for device in BOTH:
        out = asked.fragments("d", np.zeros((len(a), asked.m, asked.n), CARRIER[asked.d]))
        devices.launch(asked.source, "product", len(a), 32, [*registers, out], device=device, repeats=0)
        found[device] = decoded(asked.matrices("d", out), asked.d)
    if asked.d == "s32":
        np.testing.assert_array_equal(found["gpu"], found["simulator"])
        return
    for values in found.values():
        assert (abs(values.astype(np.longdouble) - result) <= asked.tolerance(result, size)).all()


@pytest.mark.parametrize("asked", wmma_products(), ids=str)
def test_wmma(gpu: devices.Gpu, asked: Wmma) -> None:
    random = np.random.default_rng(11)
    a, b, c = (asked.product.random(role, random)[-1] for role in "abc")
    inputs = [asked.memory(role, matrix).view(np.int8) for role, matrix in (("a", a), ("b", b), ("c", c))]
    result, size = asked.product.exact(a, b, c)
    for device in BOTH:
        d = asked.memory("d", np.zeros((asked.m, asked.n), CARRIER[asked.d]))
        arrays = [*inputs, d.view(np.int8)]
        devices.launch(asked.source, "product", 1, 32, arrays, device=device, repeats=0)
        values = decoded(np.ascontiguousarray(asked.matrix(d)), asked.d)
        if asked.d == "s32":
            np.testing.assert_array_equal(values, result.astype(np.int32))
        else:
            assert (abs(values - result) <= asked.product.tolerance(result, size)).all()


@VARIANTS
def test_ldmatrix_and_stmatrix(gpu: devices.Gpu, count: int, trans: bool, generic: bool) -> None:
    random = np.random.default_rng(5)
    data = random.integers(0, 1 << 16, 512, np.uint16)
    registers = random.integers(0, 1 << 32, (4, 32), np.uint32)
    offsets = (16 * random.permutation(64)[:32]).astype(np.int32)
    defines = moves_defines(count, trans=trans, generic=generic)
    found = {}
    for device in BOTH:
        loaded, stored = np.zeros((4, 32), np.uint32), np.zeros(512, np.uint16)
        for entry, arrays in (("load", [data, offsets, loaded]), ("store", [registers, offsets, stored])):
            devices.launch(MOVES, entry, 1, 32, arrays, defines=defines, device=device, repeats=0)
        found[device] = loaded, stored
    for here, there in zip(*found.values(), strict=True):
        np.testing.assert_array_equal(here, there)
        assert here.any()


def test_movmatrix(gpu: devices.Gpu) -> None:
    registers = np.random.default_rng(8).integers(0, 1 << 32, 32, np.uint32)
    found = {}
    for device in BOTH:
        found[device] = np.zeros(32, np.uint32)
        arrays = [registers, found[device], 32]
        devices.launch(MOVMATRIX, "transpose", 1, 32, arrays, device=device, repeats=0)
    np.testing.assert_array_equal(found["gpu"], found["simulator"])


@pytest.mark.parametrize("size", [4, 8, 16])
@pytest.mark.parametrize("rest", ["", ", %2", ", p"])
def test_copies(gpu: devices.Gpu, size: int, rest: str) -> None:
    """Whole, up to src-size, and under ignore-src."""
    random = np.random.default_rng(3)
    data = random.integers(0, 256, 1024, np.uint8)
    start, to = ((size * random.permutation(1024 // size)[:32]).astype(np.int32) for _ in range(2))
    amounts = np.resize(np.arange(size + 1), 32).astype(np.int32)
    defines = {
        "CACHE": '"cg"' if size == 16 else '"ca"',
        "SIZE": f'"{size}"',
        "REST": f'"{rest}"',
        "HINTS": '""',
    }
    found = {}
    for device in BOTH:
        found[device] = np.zeros(1024, np.uint8)
        arrays = [data, start, to, amounts, found[device]]
        devices.launch(COPY, "copy", 1, 32, arrays, defines=defines, device=device, repeats=0)
    np.testing.assert_array_equal(found["gpu"], found["simulator"])


def test_matmul(gpu: devices.Gpu) -> None:
    for device in BOTH:
        args, c, exact, grid = matmul_arguments(128, 192, 160)
        devices.launch(MATMUL, "matmul", grid, 128, args, device=device, repeats=0)
        size = abs(args[0].astype(float)) @ abs(args[1].astype(float)).T  # type: ignore[attr-defined]
        assert (abs(c - exact) <= 161 * 2.0**-22 * size).all()
