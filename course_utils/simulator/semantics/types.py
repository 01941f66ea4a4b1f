"""PTX types as LLVM types, and the families in which instructions treat them alike (PTX ISA 5.2)."""

from __future__ import annotations

ELEMENT = {
    "pred": "i1",
    **{f"{kind}{bits}": f"i{bits}" for kind in "bsu" for bits in (8, 16, 32, 64)},
    "b128": "i128",
    "f16": "half",
    "f32": "float",
    "f64": "double",
    "bf16": "i16",
    "f16x2": "i32",
    "bf16x2": "i32",
    "s16x2": "i32",
    "u16x2": "i32",
    "e4m3x2": "i16",
    "e5m2x2": "i16",
    "tf32": "float",
}
"""PTX type -> LLVM type of one value."""

STORAGE = ELEMENT | {"f16": "i16"}
"""PTX type -> LLVM type in which a register of that type is kept."""

FAMILY = {
    "pred": "predicate",
    **{f"{kind}{bits}": "integer" for kind in "bsu" for bits in (8, 16, 32, 64)},
    "b128": "bits",
    "f32": "real",
    "f64": "real",
    "tf32": "tf32",
    "f16": "half",
    "bf16": "half",
    "f16x2": "half",
    "bf16x2": "half",
    "s16x2": "pair",
    "u16x2": "pair",
    "e4m3x2": "eighth",
    "e5m2x2": "eighth",
}
"""PTX type -> family; a rule serves one family or all."""
