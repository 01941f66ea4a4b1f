"""How far the approximate instructions are from the truth, over all of their range: the figures of
approximate's docstring."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.instructions import header

COUNT = 1 << 16
Function = Callable[[np.ndarray], np.ndarray]


def run(opcode: str, x: np.ndarray) -> np.ndarray:
    """The instruction's results, in the type of x."""
    kind = {np.float32: "f32", np.float64: "f64"}[x.dtype.type]
    body = (
        f"{{ .reg .{kind} %a, %d; .reg .b32 %r<4>; .reg .b64 %rd<6>; "
        f"ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;"
        f"mad.lo.s32 %r3, %r1, 128, %r2; mul.wide.u32 %rd3, %r3, {x.itemsize};"
        f"add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; ld.global.{kind} %a, [%rd4]; {opcode} %d, %a;"
        f"st.global.{kind} [%rd5], %d; ret; }}"
    )
    out = np.zeros_like(x)
    simulator.load_ptx(header(".param .u64 in, .param .u64 out") + body).launch(
        "k", len(x) // 128, 128, [x, out]
    )
    return out


def spread(low: float, high: float, *, both: bool = False) -> np.ndarray:
    """Numbers of every size between two positive bounds, evenly over their exponents; with `both` of both
    signs."""
    random = np.random.default_rng(2)
    x = np.exp2(random.uniform(np.log2(low), np.log2(high), COUNT)).astype(np.float32)
    return np.where(random.random(COUNT) < 0.5, -x, x) if both else x


def ulps(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Distance in units of the true value's last place; where that is subnormal, of the least number's."""
    unit = np.exp2(np.maximum(np.floor(np.log2(np.abs(true))), -126.0) - 23)
    return np.abs(found.astype(np.float64) - true) / unit


RELATIVE: list[tuple[str, np.ndarray, Function, float]] = [
    ("rcp.approx.f32", spread(2.0**-126, 2.0**125, both=True), lambda x: 1 / x, 0.5),
    ("sqrt.approx.f32", spread(2.0**-149, 2.0**127), np.sqrt, 0.5),
    ("rsqrt.approx.f32", spread(2.0**-149, 2.0**127), lambda x: 1 / np.sqrt(x), 1.5),
    ("ex2.approx.f32", spread(2.0**-30, 125.0, both=True), np.exp2, 1.0),
    ("lg2.approx.f32", spread(2.0**-149, 0.5), np.log2, 1.0),
    ("lg2.approx.f32", spread(2.0, 2.0**127), np.log2, 1.0),
    ("lg2.approx.f32", spread(0.5, 2.0), np.log2, 3.0),
    ("tanh.approx.f32", spread(2.0**-126, 20.0, both=True), np.tanh, 2.5),
]


@pytest.mark.parametrize(
    ("opcode", "x", "true", "bound"), RELATIVE, ids=[f"{c[0]}-{i}" for i, c in enumerate(RELATIVE)]
)
def test_relative_error(opcode: str, x: np.ndarray, true: Function, bound: float) -> None:
    with np.errstate(divide="ignore"):
        error = ulps(run(opcode, x), true(x.astype(np.float64)))
    assert error.max() <= bound


@pytest.mark.parametrize(("name", "true"), [("sin", np.sin), ("cos", np.cos)])
def test_absolute_error_of_angles(name: str, true: Function) -> None:
    x = np.random.default_rng(3).uniform(-2 * np.pi, 2 * np.pi, COUNT).astype(np.float32)
    assert np.abs(run(f"{name}.approx.f32", x) - true(x.astype(np.float64))).max() < 2**-20.5
    small = spread(2.0**-140, 2.0**-6, both=True)
    if name == "sin":  # a small angle keeps its size
        assert (
            np.abs(run("sin.approx.f32", small) / small.astype(np.float64) - 1) < 2**-12
        ).sum() > COUNT * 0.9


def test_angles_of_any_size_stay_within_one() -> None:
    x = spread(1.0, 2.0**127, both=True)
    for name in ("sin", "cos"):
        assert np.abs(run(f"{name}.approx.f32", x)).max() <= 1.0000002


@pytest.mark.parametrize(("opcode", "true"), [("rcp", lambda x: 1 / x), ("rsqrt", lambda x: 1 / np.sqrt(x))])
def test_high_words_of_doubles(opcode: str, true: Function) -> None:
    """rcp and rsqrt.approx.ftz.f64: 20 bits of fraction, the lower word zero."""
    x = np.exp2(np.random.default_rng(4).uniform(-1000, 1000, COUNT))
    found = run(f"{opcode}.approx.ftz.f64", x)
    assert not (found.view(np.uint64) & 0xFFFFFFFF).any()
    assert np.abs(found / true(x) - 1).max() < 2**-18.9


SPECIAL = {
    "rcp.approx.f32": [(0.0, np.inf), (-0.0, -np.inf), (np.inf, 0.0), (-np.inf, -0.0), (np.nan, np.nan)],
    "rcp.approx.ftz.f32": [(1e-40, np.inf), (-1e-40, -np.inf), (3e38, 0.0)],
    "sqrt.approx.f32": [(-1.0, np.nan), (-0.0, -0.0), (np.inf, np.inf)],
    "rsqrt.approx.f32": [(0.0, np.inf), (-0.0, -np.inf), (np.inf, 0.0), (-1.0, np.nan)],
    "ex2.approx.f32": [
        (-np.inf, 0.0),
        (np.inf, np.inf),
        (128.0, np.inf),
        (-0.0, 1.0),
        (-149.0, 1.4e-45),
        (-151.0, 0.0),
    ],
    "ex2.approx.ftz.f32": [(-127.0, 0.0), (-126.0, 2.0**-126), (np.nan, np.nan)],
    "lg2.approx.f32": [
        (0.0, -np.inf),
        (-0.0, -np.inf),
        (-1.0, np.nan),
        (np.inf, np.inf),
        (1e-45, -149.0),
        (1.0, 0.0),
    ],
    "lg2.approx.ftz.f32": [(1e-45, -np.inf)],
    "sin.approx.f32": [(0.0, 0.0), (-0.0, -0.0), (np.inf, np.nan), (-np.inf, np.nan)],
    "cos.approx.f32": [(0.0, 1.0), (np.inf, np.nan), (np.nan, np.nan)],
    "tanh.approx.f32": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (np.inf, 1.0),
        (-np.inf, -1.0),
        (np.nan, np.nan),
        (1e-45, 1e-45),
    ],
}


@pytest.mark.parametrize("opcode", SPECIAL)
def test_special_values(opcode: str) -> None:
    """The tables of 9.7.3, signs of zeros included."""
    pairs = np.array(SPECIAL[opcode], np.float32)
    x = np.resize(pairs[:, 0], 128)
    expected = np.resize(pairs[:, 1], 128)
    found = run(opcode, x)
    alike = (found.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(found) & np.isnan(expected))
    assert alike.all(), [(a, f) for a, f in zip(x[~alike], found[~alike], strict=True)][:3]
