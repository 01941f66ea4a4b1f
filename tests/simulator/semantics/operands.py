"""Operand arrays for the harness: extremes in all pairs, then numbers of every size."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.simulator.instructions import COUNT

HALVES = {
    "f16": (
        0,
        1,
        2,
        0x3FF,
        0x400,
        0x401,
        0x3C00,
        0x3C01,
        0x3BFF,
        0x7BFF,
        0x7C00,
        0x7E00,
        0x5140,
        0x6800,
        0x0C00,
    ),
    "bf16": (
        0,
        1,
        2,
        0x7F,
        0x80,
        0x81,
        0x3F80,
        0x3F81,
        0x3F7F,
        0x7F7F,
        0x7F80,
        0x7FC0,
        0x1F81,
        0x5F81,
        0x4B00,
    ),
}
"""Bits of positive numbers: zero, subnormal, about 1, largest, infinity, NaN."""


def halves(kind: str, count: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Up to three operands of 16 bits."""
    random = np.random.default_rng(seed)
    extremes = [bits | sign for bits in HALVES[kind] for sign in (0, 0x8000)]
    pairs = np.array(list(product(extremes, repeat=2)), np.uint16)
    random.shuffle(pairs)
    found = {}
    for number, letter in enumerate("abc"[:count]):
        data = random.integers(0, 1 << 16, COUNT).astype(np.uint16)
        near = random.random(COUNT) < 0.4  # about 1, so that sums cancel and round
        data[near] = (0x3C00 if kind == "f16" else 0x3F80) + random.integers(-600, 600, int(near.sum()))
        if number < 2:
            data[: len(pairs) * 2 // 3] = pairs[: len(pairs) * 2 // 3, number]
        else:
            data[: COUNT // 2] = random.choice(np.array(extremes, np.uint16), COUNT // 2)
        found[letter] = data
    order = np.random.default_rng(seed + 1).permutation(COUNT)
    return {letter: data[order] for letter, data in found.items()}


def packed(kind: str, count: int) -> dict[str, np.ndarray]:
    """The same in pairs, two in 32 bits."""
    low, high = halves(kind, count, 3), halves(kind, count, 5)
    return {letter: low[letter].astype(np.uint32) | high[letter].astype(np.uint32) << 16 for letter in low}


def words(bits: int, count: int, seed: int = 7) -> dict[str, np.ndarray]:
    """Integers: small ones, extremes and any."""
    random = np.random.default_rng(seed)
    dtype = {16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]
    top = (1 << bits) - 1
    extremes = np.array([0, 1, 2, 31, 32, 33, top, top - 1, top >> 1, (top >> 1) + 1, top - 255], dtype)
    found = {}
    for letter in "abc"[:count]:
        data = random.integers(0, top, COUNT, np.uint64, endpoint=True).astype(dtype)
        choice = random.random(COUNT)
        data[choice < 0.4] = random.choice(extremes, int((choice < 0.4).sum()))
        data[choice > 0.8] = random.integers(0, 70, int((choice > 0.8).sum())).astype(dtype)
        found[letter] = data
    return found


def reals(kind: str) -> dict[str, np.ndarray]:
    """One operand of f32 or f64: every size, halves and their ties, infinities, NaN."""
    random = np.random.default_rng(11)
    dtype, whole = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}[kind]
    data = random.integers(0, np.iinfo(whole).max, COUNT, np.uint64, endpoint=True).astype(whole).view(dtype)
    data[: COUNT // 3] = np.ldexp(
        random.integers(-(1 << 13), 1 << 13, COUNT // 3), random.integers(-40, 10, COUNT // 3)
    )
    data[COUNT // 3 : COUNT // 2] = random.normal(0, 1e5, COUNT // 2 - COUNT // 3)
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        65504,
        65519.9,
        65520,
        65536,
        2.0**-24,
        2.0**-25,
        1.0001 * 2.0**-25,
        0.5,
        1.5,
        2.5,
        -0.5,
        2.0**31,
        -(2.0**31),
        2.0**32,
        2.0**63,
        -(2.0**63),
        2.0**64,
        1e-40,
        -1e-45,
        3.3895314e38,
        3.4028235e38,
        127.5,
        255.5,
        32767.5,
        65535.5,
    ]
    data[COUNT // 2 : COUNT // 2 + len(special)] = special
    return {"a": data[random.permutation(COUNT)]}
