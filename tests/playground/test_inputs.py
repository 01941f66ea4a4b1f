"""Arrays and values from text, and the texts that names and types suggest."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from course_utils.playground import Input, InputError, make, read, starts, suggest
from course_utils.playground.elements import find
from course_utils.playground.inputs import from_bfloat16, to_bfloat16, variables
from course_utils.playground.suggestions import extents

SIGNATURES_FILE = Path(__file__).with_name("signatures.cu")


def array(text: str, kind: str = "float", **scalars: str) -> object:
    """The buffer that a text describes, beside whole numbers by name."""
    numbers = [Input(name, "int", find("int"), False, value) for name, value in scalars.items()]
    return make([*numbers, Input("x", f"{kind}*", find(kind), True, text, 1)])[-1]


def value(text: str, kind: str, **scalars: str) -> object:
    numbers = [Input(name, "int", find("int"), False, number) for name, number in scalars.items()]
    return make([*numbers, Input("v", kind, find(kind), False, text)])[-1]


def test_random_numbers_are_the_same_every_time_and_within_bounds() -> None:
    first, second = array("random 1000"), array("random 1000")
    assert first.dtype == np.float32
    assert np.array_equal(first, second)
    assert -1 <= first.min() < -0.9
    assert 0.9 < first.max() <= 1
    bounded = array("random 1000 from 3 to 5", "int")
    assert set(bounded.tolist()) == {3, 4, 5}


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("zeros 3", "double", np.zeros(3)),
        ("counting 4", "int", np.arange(4, dtype=np.int32)),
        ("counting n + 1 by 4", "int", np.arange(0, 44, 4, dtype=np.int32)),
        ("0.5, 1, -2", "float", np.array([0.5, 1, -2], np.float32)),
        ("1, 2", "unsigned char", np.array([1, 2], np.uint8)),
        ("counting 3", "half", np.arange(3, dtype=np.float16)),
        ("zeros n", "float4", np.zeros(40, np.float32)),
        ("unwritten 2", "unsigned int", np.array([0xCDCDCDCD] * 2, np.uint32)),
        ("zeros n / 2", "bool", np.zeros(5, bool)),
        ("1.5, 2", "__nv_bfloat16", np.array([0x3FC0, 0x4000], np.uint16)),
        ("zeros 0", "float", np.zeros(0, np.float32)),
    ],
)
def test_buffers(text: str, kind: str, expected: np.ndarray) -> None:
    found = array(text, kind, n="10")
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


def test_null_pointers_and_rows() -> None:
    assert array("none") is None
    rows = make([Input("x", "float**", find("float"), True, "3 rows of zeros 5", 2)])[0]
    assert [row.shape for row in rows] == [(5,)] * 3


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("n / 3", "int", np.int32(3)),
        ("-1", "short", np.int16(-1)),
        ("1e-3f", "float", np.float32(1e-3)),
        ("n", "size_t", np.uint64(10)),
        ("true", "bool", np.bool_(True)),
        ("2", "half", np.float16(2)),
        ("0.1", "double", np.float64(0.1)),
    ],
)
def test_values(text: str, kind: str, expected: np.generic) -> None:
    found = value(text, kind, n="10")
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("random", "float", "the length is missing"),
        ("random m", "float", "'m' is no number"),
        ("random -3", "float", "a buffer of -3 elements"),
        ("random 1.5", "float", "no whole number"),
        ("random 9 from 3 to 1", "float", "lower bound 3 is above"),
        ("zeros 1000000000", "float", "more than the 67,108,864 of a buffer"),
        ("zeros 50000000", "double4", "more than the 512 MB"),
        ("whatever", "float", "'whatever' is no number"),
        ("", "float", "nothing is said"),
        ("300", "unsigned char", "do not fit unsigned char: 0 to 255"),
        ("random 4 from 0 to 999", "char", "do not fit char"),
        ("1.5", "int", "whole"),
    ],
)
def test_what_cannot_be_made_is_said(text: str, kind: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        array(text, kind)
    assert caught.value.what == "x"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("300", "unsigned char", "300 does not fit"),
        ("1.5", "int", "no whole number"),
        ("", "int", "is missing"),
    ],
)
def test_values_that_do_not_fit(text: str, kind: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        value(text, kind)


def test_a_wrong_value_is_named_rather_than_the_buffers_that_use_it() -> None:
    with pytest.raises(InputError, match=r"^n: the value 'oops'"):
        make(
            [
                Input("x", "float*", find("float"), True, "random n", 1),
                Input("n", "int", find("int"), False, "oops"),
            ]
        )


def test_bfloat16_rounds_to_nearest_even() -> None:
    values = np.array([1.0, -2.5, 1 + 2**-8, 1 + 3 * 2**-8, 3.0e38], np.float32)
    assert from_bfloat16(to_bfloat16(values)).tolist() == pytest.approx(
        [1, -2.5, 1, 1 + 2**-6, 3.0e38], rel=4e-3
    )
    assert from_bfloat16(to_bfloat16(values))[2] == 1


def test_variables_of_a_source() -> None:
    made = variables(
        [
            Input("a", "__constant__ float", find("float"), True, "counting 3", 1),
            Input("b", "__device__ int", find("int"), True, "as it is", 1),
        ]
    )
    assert {name: list(values) for name, values in made.items()} == {"a": [0, 1, 2]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("256", (256,)), ("16, 16", (16, 16)), ("(8, 8, 4)", (8, 8, 4)), ("16 x 4", (16, 4)), ("2 * 16", (32,))],
)
def test_extents(text: str, expected: tuple[int, ...]) -> None:
    assert extents(text, "grid") == expected


@pytest.mark.parametrize("text", ["", "a", "1, 2, 3, 4", "1,,2", "16.5 y"])
def test_extents_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="not one to three whole numbers"):
        extents(text, "grid")


SOURCES = dict(
    re.findall(r"^// (\w+)\n(.*?)(?=^// |\Z)", SIGNATURES_FILE.read_text(), re.MULTILINE | re.DOTALL)
)
# Kernel of signatures.cu -> (grid, block), and a text for each parameter.
SIGNATURES = {
    "add": (((4,), (256,)), ["random n", "random n", "unwritten n", "1000"]),
    "scale": (((4,), (256,)), ["random size", "2.0", "1000"]),
    "plain": (((4,), (256,)), ["random 1024", "unwritten 1024"]),
    "sum": (((4,), (256,)), ["random n", "zeros n", "1000"]),
    "gather": (((4,), (256,)), ["random n", "random n from 0 to n - 1", "unwritten n", "1000"]),
    "gemm": (((4, 4), (16, 16)), ["random M * K", "random K * N", "unwritten M * N", "64", "64", "64"]),
    "t": (((4, 4), (8, 8)), ["unwritten width * height", "random width * height", "32", "32"]),
    "r": (((4,), (256,)), ["unwritten n", "random n", "1024"]),
    "logs": (((4,), (256,)), ["random n from 0 to 1", "unwritten n", "1e-5", "1000"]),
    "text": (((4,), (256,)), ["random len from 97 to 122", "zeros len", "1", "1000"]),
    "vectors": (((4,), (256,)), ["random n", "unwritten n", "random", "1000"]),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_suggestions_from_a_signature_alone(name: str) -> None:
    geometry, texts = SIGNATURES[name]
    pasted = read(SOURCES[name])
    (start,) = starts(pasted, pasted.kernels[0])
    assert (start.grid, start.block) == geometry
    assert [each.text for each in start.inputs] == texts
    again = suggest(pasted, pasted.kernels[0], start.grid, start.block, ("float", "256"))
    assert [each.text for each in again] == texts
    assert len(make(start.inputs)) == len(texts)
