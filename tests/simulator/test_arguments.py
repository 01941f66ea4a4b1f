"""What may be passed for a parameter, what arrives, and the sentence for what may not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from course_utils import simulator

SOURCE = """
struct Pair { float x; int n; };
extern "C" __global__ void scalars(double *out, char c, unsigned char uc, short s, unsigned short us, int i,
                                   unsigned u, long long l, unsigned long long ul, float f, double d,
                                   bool b) {
    out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = u; out[6] = l; out[7] = ul;
    out[8] = f; out[9] = d; out[10] = b;
}
extern "C" __global__ void structure(float *out, Pair pair, float2 both) {
    out[0] = pair.x; out[1] = pair.n; out[2] = both.x; out[3] = both.y;
}
extern "C" __global__ void pointers(float *out, const float4 *quads, const unsigned char *bytes,
                                    const Pair *pairs) {
    out[0] = quads ? quads[1].y : -1; out[1] = bytes ? bytes[2] : -1; out[2] = pairs ? pairs[1].n : -1;
}
extern "C" __global__ void one(float *a, int n) { a[0] = n; }
extern "C" __global__ void real(float *a, float x) { a[0] = x; }
extern "C" __global__ void nothing() {}
"""
PROGRAM = simulator.compile(SOURCE)
GOOD = {
    "c": 1, "uc": 2, "s": 3, "us": 4, "i": 5, "u": 6, "l": 7, "ul": 8, "f": 9.5, "d": 10.25, "b": True,
}  # fmt: skip


def launch(kernel: str, *args: object) -> None:
    PROGRAM.launch(kernel, 1, 1, args)


def arriving(**changed: object) -> np.ndarray:
    out = np.zeros(11)
    launch("scalars", out, *(GOOD | changed).values())
    return out


def test_python_numbers_take_the_parameters_type() -> None:
    assert arriving().tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10.25, 1]
    assert arriving(f=0.1)[8] == np.float32(0.1)
    assert arriving(d=0.1)[9] == 0.1
    assert arriving(f=3)[8] == 3
    assert arriving(f=1e300)[8] == np.inf
    assert arriving(f=10**60)[8] == np.inf
    assert arriving(b=False)[10] == 0


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("c", -(1 << 7), (1 << 7) - 1),
        ("uc", 0, (1 << 8) - 1),
        ("s", -(1 << 15), (1 << 15) - 1),
        ("us", 0, (1 << 16) - 1),
        ("i", -(1 << 31), (1 << 31) - 1),
        ("u", 0, (1 << 32) - 1),
        ("l", -(1 << 63), (1 << 63) - 1),
        ("ul", 0, (1 << 64) - 1),
    ],
)
def test_a_python_int_must_fit(name: str, least: int, most: int) -> None:
    place = list(GOOD).index(name)
    for value in (least, most):
        assert arriving(**{name: value})[place] == float(value)
    bits = (most - least).bit_length()
    for value in (-(1 << bits - 1) - 1, 1 << bits):
        with pytest.raises(simulator.ArgumentError, match=rf"^{name}: {value} does not fit the parameter"):
            arriving(**{name: value})


def test_numpy_scalars_go_by_value_with_the_parameters_size() -> None:
    wide = arriving(
        c=np.int8(-1), uc=np.uint8(200), s=np.int16(-300), us=np.uint16(60000), i=np.int32(-5),
        u=np.uint32(4000000000),
        l=np.int64(-(1 << 40)), ul=np.uint64(1 << 60), f=np.float32(0.1), d=np.float64(0.1), b=np.bool_(True),
    )  # fmt: skip
    assert wide.tolist() == [-1, 200, -300, 60000, -5, 4e9, -(1 << 40), 1 << 60, np.float32(0.1), 0.1, 1]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"i": np.int64(1)}, "i: np.int64(1) has 8 bytes, but the parameter has 4 (int)"),
        ({"f": np.float64(1)}, "f: np.float64(1.0) has 8 bytes, but the parameter has 4 (float)"),
        ({"f": np.int32(1)}, "f: got np.int32(1) of type int32, but the parameter is float"),
        ({"i": 1.5}, "i: 1.5 is a float, but the parameter is int"),
        ({"i": "seven"}, "i: a str cannot be passed to a kernel"),
        ({"i": None}, "i: None is a null pointer, but this parameter is no pointer (int)"),
        ({"l": None}, "l: None is a null pointer, but this parameter is no pointer (long long)"),
        (
            {"i": np.zeros(3, np.int32)},
            "i: an array is a device buffer, but this parameter is a single value (int)",
        ),
        (
            {"ul": np.zeros(3, np.int64)},
            "ul: an array is a device buffer, but this parameter is a single value",
        ),
        ({"i": [1, 2]}, "i: a list cannot be passed to a kernel"),
        ({"f": 1 + 2j}, "f: a complex cannot be passed to a kernel"),
    ],
)
def test_what_does_not_fit_a_value_is_refused(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(simulator.ArgumentError, match="^" + re.escape(sentence)):
        arriving(**changed)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "one takes 2 arguments (a, n), got 0"),
        ((np.zeros(1, np.float32),), "one takes 2 arguments (a, n), got 1"),
        ((np.zeros(1, np.float32), 1, 2), "one takes 2 arguments (a, n), got 3"),
        (
            (np.zeros(1), 1),
            "a: the kernel wants float * (elements of NumPy type float32), got an array of float64",
        ),
        (
            (np.zeros(1, np.int32), 1),
            "a: the kernel wants float * (elements of NumPy type float32), got an array of int32",
        ),
        ((np.array(["x"], object), 1), "a: an array of Python objects cannot be passed to a kernel"),
        ((5, 1), "a is a pointer (float *): pass a NumPy array, or None for a null pointer, not 5"),
        ((np.float32(5), 1), "a is a pointer (float *): pass a NumPy array, or None for a null pointer"),
        (([1.0], 1), "a is a pointer (float *): pass a NumPy array"),
    ],
)
def test_what_does_not_fit_is_refused(args: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(simulator.ArgumentError, match="^" + re.escape(sentence)):
        launch("one", *args)


@pytest.mark.parametrize("args", [5, None, np.zeros(2, np.float32), "ab"])
def test_args_is_a_list(args: object) -> None:
    with pytest.raises(
        simulator.ArgumentError, match=r"^args must be a list or tuple with one entry a parameter"
    ):
        PROGRAM.launch("one", 1, 1, args)  # type: ignore[arg-type]


def test_a_kernel_without_parameters() -> None:
    launch("nothing")
    with pytest.raises(simulator.ArgumentError, match=r"^nothing takes 0 arguments, got 1"):
        launch("nothing", 1)


PAIR = np.dtype([("x", np.float32), ("n", np.int32)])


def test_structures_go_by_value() -> None:
    out = np.zeros(4, np.float32)
    both = np.array((3.5, 4.5), [("x", np.float32), ("y", np.float32)])[()]
    launch("structure", out, np.array((1.5, 7), PAIR)[()], both)
    assert out.tolist() == [1.5, 7, 3.5, 4.5]
    launch("structure", out, np.array((2.5, 8), PAIR), np.frombuffer(both.tobytes(), "V8")[0])
    assert out.tolist() == [2.5, 8, 3.5, 4.5]
    with pytest.raises(simulator.ArgumentError, match=r"^pair is a structure of 8 bytes"):
        launch("structure", out, 1.5, both)
    with pytest.raises(simulator.ArgumentError, match=r"^pair: .* has 4 bytes, but the parameter has 8"):
        launch("structure", out, np.void(b"abcd"), both)


def test_pointers_to_vectors_bytes_and_structures() -> None:
    out = np.zeros(3, np.float32)
    quads = np.arange(8, dtype=np.float32)
    pairs = np.array([(1, 2), (3, 4)], PAIR)
    launch("pointers", out, quads, np.array([7, 8, 9], np.uint8), pairs)
    assert out.tolist() == [5, 9, 4]
    launch("pointers", out, quads.reshape(2, 4), np.array([-1, -2, -3], np.int8), pairs.view(np.uint8))
    assert out.tolist() == [5, 253, 4]
    launch("pointers", out, None, None, None)
    assert out.tolist() == [-1, -1, -1]


def test_ptx_has_sizes_only() -> None:
    """Without a source parameters are numbered, and any array fits a pointer."""
    from tests.simulator.instructions import header

    body = "{ .reg .b64 %rd<3>; .reg .b32 %r<2>; ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];"
    body += " st.global.u32 [%rd1], %r1; ret; }"
    program = simulator.load_ptx(header(".param .u64 a, .param .u32 n") + body)
    out = np.zeros(1)
    program.launch("k", 1, 1, [out, 5])
    assert out.view(np.uint32)[0] == 5
    with pytest.raises(
        simulator.ArgumentError,
        match=r"^argument 2: 4294967296 does not fit the parameter \(a 32-bit integer\)",
    ):
        program.launch("k", 1, 1, [out, 1 << 32])
    with pytest.raises(simulator.ArgumentError, match=r"^k takes 2 arguments, got 1"):
        program.launch("k", 1, 1, [out])
    with pytest.raises(simulator.ArgumentError, match=r"^argument 2: an array is a device buffer"):
        program.launch("k", 1, 1, [out, out])
