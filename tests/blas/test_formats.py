"""Numbers of fewer bits, against those that NumPy has, and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import blas, recordings
from course_utils.blas import FORMATS

RANDOM = np.random.default_rng(7)
VALUES = np.concatenate(
    [
        RANDOM.uniform(-2, 2, 2000),
        np.exp(RANDOM.uniform(-20, 11, 2000)) * RANDOM.choice([-1, 1], 2000),
        [0, 65504, 65519, 2.0**-24, 2.0**-25, 1.5 * 2.0**-24, 1 + 2.0**-11, 1 + 3 * 2.0**-11],
    ]
).astype(np.float32)


def test_float16_is_numpys() -> None:
    assert np.array_equal(FORMATS["float16"].rounded(VALUES), VALUES.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize(("name", "dropped"), [("TF32", 13), ("bfloat16", 16)])
def test_a_float32_without_its_last_bits(name: str, dropped: int) -> None:
    """Round to nearest, ties to even, on the bits themselves."""
    bits = VALUES.view(np.uint32).astype(np.uint64)
    half, last = np.uint64((1 << (dropped - 1)) - 1), (bits >> np.uint64(dropped)) & np.uint64(1)
    kept = (bits + half + last) >> np.uint64(dropped) << np.uint64(dropped)
    assert np.array_equal(FORMATS[name].rounded(VALUES), kept.astype(np.uint32).view(np.float32))


def test_fp8_rounds_to_the_nearest_of_its_numbers() -> None:
    codes = np.arange(127)  # 127 is NaN
    exponents, fractions = codes >> 3, codes & 7
    numbers = np.where(exponents, np.ldexp(1 + fractions / 8, exponents - 7), np.ldexp(fractions / 8, -6))
    assert numbers.max() == FORMATS["FP8 (E4M3)"].largest == 448
    found = FORMATS["FP8 (E4M3)"].rounded(VALUES)
    assert np.isin(np.abs(found), numbers).all()
    nearest = np.abs(np.abs(VALUES)[:, None] - numbers).min(axis=1)
    assert np.allclose(np.abs(VALUES - found), nearest, rtol=0, atol=1e-12)


def test_float32_stays_as_it_is() -> None:
    assert np.array_equal(FORMATS["float32"].rounded(VALUES), VALUES)


def test_whole_numbers_that_fit_have_exact_products() -> None:
    a, b = (RANDOM.integers(-8, 9, shape).astype(np.float32) for shape in ((5, 40), (40, 6)))
    for name in FORMATS:
        if not name.startswith("FP8"):
            assert np.array_equal(blas.product(a, b, name), a @ b)


def test_fp8_scales_what_would_not_fit() -> None:
    a, b = np.array([[1e6]], np.float32), np.array([[1e-9]], np.float32)
    assert blas.product(a, b, "FP8 (E4M3)")[0, 0] == pytest.approx(1e-3)


def test_sums_in_float16_stop_growing() -> None:
    """1 is half a step of float16 at 2048, and rounds to even."""
    ones = np.ones((1, 4096), np.float32)
    assert blas.product(ones, ones.T, "float16")[0, 0] == 4096
    assert blas.product(ones, ones.T, "float16", np.float16)[0, 0] == 2048


def test_the_errors_are_those_that_were_recorded_on_the_h200() -> None:
    """Of sums of 4,096 products. That of float32 depends on the order of the sums, and is near only."""
    h200 = {each.name: each for each in recordings.load()[0].libraries["tiling"] if each.sizes == {"N": 4096}}
    random = np.random.default_rng(3)
    a, b = (random.uniform(-1, 1, shape).astype(np.float32) for shape in ((16, 4096), (4096, 16)))
    right = a.astype(np.float64) @ b.astype(np.float64)
    for name, result, near in (("float32", np.float32, 0.5), ("float16", np.float16, 0.1)):
        found = blas.product(a, b, name).astype(result)
        error = np.linalg.norm(found - right) / np.linalg.norm(right)
        assert error == pytest.approx(h200[f"cuBLAS, {name}"].error, rel=near)
