"""Numbers of fewer bits, and what they make of a matrix product, computed with NumPy.

A tensor core takes its inputs in one of these formats, and multiplies them without an error: a product of
two such numbers fits into a float32. In what order it adds them up, and how it rounds, is not documented;
here they are added one after another, in float32 or in float16, and each sum is rounded to the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Format:
    """`mantissa`: the bits behind the leading one. `least` and `most`: exponents of normal numbers.
    `largest`: the largest number; what is larger becomes it."""

    name: str
    bits: int
    mantissa: int
    least: int
    most: int
    largest: float

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """The nearest numbers of this format, ties to even, as float32."""
        given = values.astype(np.float32)
        if self.name == "float32":
            return given
        wide = given.astype(np.float64)
        exponent = np.maximum(np.frexp(wide)[1] - 1, self.least)
        step = np.ldexp(1.0, exponent - self.mantissa)
        return np.clip(np.round(wide / step) * step, -self.largest, self.largest).astype(np.float32)


def _format(name: str, bits: int, mantissa: int, least: int, most: int) -> Format:
    return Format(name, bits, mantissa, least, most, float((2 - 2.0**-mantissa) * 2.0**most))


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        _format("float32", 32, 23, -126, 127),
        _format("TF32", 19, 10, -126, 127),
        _format("float16", 16, 10, -14, 15),
        _format("bfloat16", 16, 7, -126, 127),
        # In this one the largest mantissa of the largest exponent is no number: 448 and not 480.
        Format("FP8 (E4M3)", 8, 3, -6, 8, 448.0),
    )
}
"""PTX ISA, "Alternate Floating-Point Data Formats". TF32 takes 32 bits of memory, of which 19 count."""


def product(
    a: np.ndarray, b: np.ndarray, format: str = "float32", sums: type[np.floating] = np.float32
) -> np.ndarray:
    """A B of inputs rounded to a format, k products added one after another in the type `sums`.

    FP8 inputs are scaled first, so that the largest of each matrix is the format's largest, and back after.
    """
    rounded = FORMATS[format].rounded
    scales = [1.0, 1.0]
    if format.startswith("FP8"):
        scales = [float(FORMATS[format].largest / np.abs(each).max()) for each in (a, b)]
    left, right = (rounded(each * scale) for each, scale in zip((a, b), scales, strict=True))
    total = np.zeros((a.shape[0], b.shape[1]), sums)
    for column, row in zip(left.T, right, strict=True):
        total += np.multiply.outer(column, row).astype(sums)
    return total.astype(np.float64) / (scales[0] * scales[1])
