"""Every form of every arithmetic instruction, to be run through from end to end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

MODES = ("rn", "rz", "rm", "rp")
INTEGERS = ("s16", "u16", "s32", "u32", "s64", "u64")
WIDE = INTEGERS[2:]
REALS = ("f32", "f64")
HALVES = ("f16", "bf16", "f16x2", "bf16x2")


@dataclass(frozen=True)
class Entry:
    """An instruction. sources: the types of its operands; fixed: operands behind them as text; result: the
    type of its first result; pair: it has a predicate as its second. error: the largest relative error
    against a GPU (0: bit for bit), and floor: an absolute error always allowed. about: "wide" numbers of any
    size, "turns" for angles within -2 pi..2 pi, or "lanes" where the second operand is 0..31."""

    opcode: str
    sources: tuple[str, ...]
    result: str
    fixed: tuple[str, ...] = ()
    pair: bool = False
    error: float = 0.0
    floor: float = 0.0
    about: str = "wide"


def _integer() -> list[Entry]:
    found = []
    for kind in INTEGERS:
        bits = int(kind[1:])
        plain = f"b{bits}"
        found += [
            Entry(f"{name}.{kind}", (kind,) * 2, kind) for name in ("add", "sub", "div", "rem", "min", "max")
        ]
        found += [Entry(f"mul.{half}.{kind}", (kind,) * 2, kind) for half in ("lo", "hi")]
        found += [Entry(f"mad.{half}.{kind}", (kind,) * 3, kind) for half in ("lo", "hi")]
        found.append(Entry(f"sad.{kind}", (kind,) * 3, kind))
        found.append(Entry(f"shr.{kind}", (kind, "u32"), kind))
        for name in ("eq", "ne", "lt", "le", "gt", "ge"):
            found.append(Entry(f"setp.{name}.{kind}", (kind,) * 2, "pred", pair=True))
            found.append(Entry(f"set.{name}.u32.{kind}", (kind,) * 2, "u32"))
        if bits < 64:
            wide = f"{kind[0]}{2 * bits}"
            found += [
                Entry(f"mul.wide.{kind}", (kind,) * 2, wide),
                Entry(f"mad.wide.{kind}", (kind, kind, wide), wide),
            ]
        if kind[0] == "s":
            found += [Entry(f"{name}.{kind}", (kind,), kind) for name in ("abs", "neg")]
            found.append(Entry(f"shl.{plain}", (plain, "u32"), plain))
            found += [Entry(f"{name}.{plain}", (plain,) * 2, plain) for name in ("and", "or", "xor")]
            found += [Entry(f"{name}.{plain}", (plain,), plain) for name in ("not", "cnot")]
            found.append(Entry(f"selp.{plain}", (plain, plain, "pred"), plain))
            found.append(Entry(f"slct.{plain}.s32", (plain, plain, "s32"), plain))
            found.append(Entry(f"slct.{plain}.f32", (plain, plain, "f32"), plain))
        if bits >= 32:
            found += [Entry(f"bfind.{kind}", (kind,), "u32"), Entry(f"bfind.shiftamt.{kind}", (kind,), "u32")]
            found.append(Entry(f"bfe.{kind}", (kind, "u32", "u32"), kind))
        if bits >= 32 and kind[0] == "s":
            found += [Entry(f"{name}.{plain}", (plain,), "u32") for name in ("popc", "clz")]
            found += [
                Entry(f"brev.{plain}", (plain,), plain),
                Entry(f"bfi.{plain}", (plain, plain, "u32", "u32"), plain),
            ]
            found += [
                Entry(f"{name}.{half}cc.{kind}", (kind,) * count, kind, pair=True)
                for name, half, count in (
                    ("add", "", 2),
                    ("sub", "", 2),
                    ("mad", "lo.", 3),
                    ("mad", "hi.", 3),
                )
            ]
            found += [
                Entry(f"{name}.{half}cc.{kind}", (*(kind,) * count, "pred"), kind, pair=True)
                for name, half, count in (
                    ("addc", "", 2),
                    ("subc", "", 2),
                    ("madc", "lo.", 3),
                    ("madc", "hi.", 3),
                )
            ]
    return found


def _words() -> list[Entry]:
    found = [Entry(f"{name}.sat.s32", ("s32",) * 2, "s32") for name in ("add", "sub")]
    found += [Entry(f"{name}.relu.s32", ("s32",) * 2, "s32") for name in ("min", "max")]
    found += [Entry("mad.hi.sat.s32", ("s32",) * 3, "s32"), Entry("mad24.hi.sat.s32", ("s32",) * 3, "s32")]
    for half, kind in product(("lo", "hi"), ("s32", "u32")):
        found += [
            Entry(f"mul24.{half}.{kind}", (kind,) * 2, kind),
            Entry(f"mad24.{half}.{kind}", (kind,) * 3, kind),
        ]
    for one, other in product(("s32", "u32"), repeat=2):
        found.append(Entry(f"dp4a.{one}.{other}", (one, other, "s32"), "s32"))
        found += [Entry(f"dp2a.{half}.{one}.{other}", (one, other, "s32"), "s32") for half in ("lo", "hi")]
    for mode in ("clamp", "wrap"):
        found += [Entry(f"shf.{way}.{mode}.b32", ("b32",) * 3, "b32") for way in "lr"]
        found += [Entry(f"bmsk.{mode}.b32", ("b32",) * 2, "b32")]
        found += [Entry(f"szext.{mode}.{kind}", (kind, "u32"), kind) for kind in ("s32", "u32")]
    found.append(Entry("fns.b32", ("b32", "b32", "s32"), "b32", about="lanes"))
    found += [
        Entry(f"prmt.b32{mode}", ("b32",) * 3, "b32")
        for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16")
    ]
    found += [Entry("lop3.b32", ("b32",) * 3, "b32", (f"{table:#x}",)) for table in (0xE8, 0x96, 0x1B)]
    for kind in ("s16x2", "u16x2"):
        found += [Entry(f"{name}.{kind}", (kind,) * 2, kind) for name in ("add", "min", "max")]
    found += [Entry(f"{name}.relu.s16x2", ("s16x2",) * 2, "s16x2") for name in ("min", "max")]
    names = ("add", "sub", "avrg", "absdiff", "min", "max")
    for name, count, kind, more in product(names, (2, 4), ("s32", "u32"), ("", ".sat", ".add")):
        found.append(Entry(f"v{name}{count}.{kind}.{kind}.{kind}{more}", (kind,) * 3, kind))
    return found


def _real() -> list[Entry]:
    found = []
    for kind, mode in product(REALS, MODES):
        one, two, three = (kind,), (kind,) * 2, (kind,) * 3
        found += [Entry(f"{name}.{mode}.{kind}", two, kind) for name in ("add", "sub", "mul", "div")]
        found += [Entry(f"fma.{mode}.{kind}", three, kind), Entry(f"mad.{mode}.{kind}", three, kind)]
        found += [Entry(f"{name}.{mode}.{kind}", one, kind) for name in ("rcp", "sqrt")]
        if kind == "f32":
            found += [Entry(f"{name}.{mode}.ftz.f32", two, kind) for name in ("add", "sub", "mul", "div")]
            found += [Entry(f"{name}.{mode}.ftz.sat.f32", two, kind) for name in ("add", "sub", "mul")]
            found += [Entry(f"fma.{mode}.{more}.f32", three, kind) for more in ("ftz", "sat", "ftz.sat")]
            found += [Entry(f"{name}.{mode}.ftz.f32", one, kind) for name in ("rcp", "sqrt")]
    for kind in REALS:
        for name in ("min", "max"):
            found.append(Entry(f"{name}.{kind}", (kind,) * 2, kind))
        found += [Entry(f"{name}.{kind}", (kind,), kind) for name in ("neg", "abs")]
        found.append(Entry(f"copysign.{kind}", (kind,) * 2, kind))
        found += [
            Entry(f"testp.{what}.{kind}", (kind,), "pred")
            for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal")
        ]
        compares = (
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "equ",
            "neu",
            "ltu",
            "leu",
            "gtu",
            "geu",
            "num",
            "nan",
        )
        found += [Entry(f"setp.{name}.{kind}", (kind,) * 2, "pred", pair=True) for name in compares]
        found += [Entry(f"set.{name}.f32.{kind}", (kind,) * 2, "f32") for name in ("lt", "neu")]
    for name, more in product(
        ("min", "max"), ("ftz.", "NaN.", "ftz.NaN.", "xorsign.abs.", "NaN.xorsign.abs.")
    ):
        found.append(Entry(f"{name}.{more}f32", ("f32",) * 2, "f32"))
    found += [Entry(f"{name}.ftz.f32", ("f32",), "f32") for name in ("neg", "abs")]
    found.append(Entry("setp.lt.ftz.f32", ("f32",) * 2, "pred", pair=True))
    found.append(Entry("slct.ftz.u32.f32", ("u32", "u32", "f32"), "u32"))
    return found


def _approximate() -> list[Entry]:
    """Errors: the sum of the GPU's (PTX ISA 9.7.3) and the simulator's own."""
    ulp, found = 2.0**-23, []
    for ftz in ("", "ftz."):
        tiny = 2.0**-126 if ftz else 2.0**-148
        found += [
            Entry(f"rcp.approx.{ftz}f32", ("f32",), "f32", error=2 * ulp, floor=tiny),
            Entry(f"sqrt.approx.{ftz}f32", ("f32",), "f32", error=2 * ulp, floor=tiny),
            Entry(f"rsqrt.approx.{ftz}f32", ("f32",), "f32", error=3 * ulp, floor=tiny),
            Entry(f"div.approx.{ftz}f32", ("f32",) * 2, "f32", error=3 * ulp, floor=tiny),
            Entry(f"div.full.{ftz}f32", ("f32",) * 2, "f32", error=3 * ulp, floor=tiny),
            Entry(f"ex2.approx.{ftz}f32", ("f32",), "f32", error=4 * ulp, floor=tiny),
            Entry(f"lg2.approx.{ftz}f32", ("f32",), "f32", error=4 * ulp, floor=2.0**-21),
            Entry(f"sin.approx.{ftz}f32", ("f32",), "f32", floor=2.0**-19.5, about="turns"),
            Entry(f"cos.approx.{ftz}f32", ("f32",), "f32", floor=2.0**-19.5, about="turns"),
        ]
    found.append(Entry("tanh.approx.f32", ("f32",), "f32", error=2.0**-10))
    found += [Entry(f"{name}.approx.ftz.f64", ("f64",), "f64", error=2.0**-18) for name in ("rcp", "rsqrt")]
    found.append(Entry("rsqrt.approx.f64", ("f64",), "f64", error=2.0**-20))
    found += [
        Entry(f"ex2.approx.{kind}", (kind,), kind, error=2.0**-9, floor=2.0**-24) for kind in ("f16", "f16x2")
    ]
    found += [
        Entry(f"ex2.approx.ftz.{kind}", (kind,), kind, error=2.0**-6, floor=2.0**-126)
        for kind in ("bf16", "bf16x2")
    ]
    for kind in HALVES:
        found.append(
            Entry(
                f"tanh.approx.{kind}",
                (kind,),
                kind,
                error=2.0**-9 if kind[0] == "f" else 2.0**-6,
                floor=2.0**-24,
            )
        )
    return found


def _half() -> list[Entry]:
    found = []
    for kind in HALVES:
        two, three = (kind,) * 2, (kind,) * 3
        more = ("", "ftz.", "sat.", "ftz.sat.") if kind[0] == "f" else ("",)
        found += [
            Entry(f"{name}.rn.{extra}{kind}", two, kind) for name in ("add", "sub", "mul") for extra in more
        ]
        found += [Entry(f"fma.rn.{extra}{kind}", three, kind) for extra in (*more, "relu.")]
        found += [Entry(f"{name}.{kind}", (kind,), kind) for name in ("neg", "abs")]
        for name, extra in product(("min", "max"), ("", "NaN.", "xorsign.abs.", "NaN.xorsign.abs.")):
            found.append(Entry(f"{name}.{extra}{kind}", two, kind))
        for name in ("eq", "ne", "lt", "geu", "nan"):
            found.append(Entry(f"setp.{name}.{kind}", two, "pred", pair=kind.endswith("x2")))
            found.append(Entry(f"set.{name}.{kind}.{kind}", two, kind))
            found.append(Entry(f"set.{name}.u32.{kind}", two, "u32"))
    return found


def _convert() -> list[Entry]:
    found = []
    whole = ("rni", "rzi", "rmi", "rpi")
    for source, to in product(INTEGERS, repeat=2):
        if source == to:
            continue
        found.append(Entry(f"cvt.{to}.{source}", (source,), to))
        if int(to[1:]) < int(source[1:]) or (to[0] != source[0] and (to[0] == "s") <= (to[1:] == source[1:])):
            found.append(Entry(f"cvt.sat.{to}.{source}", (source,), to))  # some numbers do not fit
    for source, to, mode in product(INTEGERS, (*REALS, "f16", "bf16"), MODES):
        found.append(Entry(f"cvt.{mode}.{to}.{source}", (source,), to))
    for source, to, mode in product((*REALS, "f16", "bf16"), INTEGERS, whole):
        found.append(Entry(f"cvt.{mode}.{to}.{source}", (source,), to))
    for kind, mode in product((*REALS, "f16"), whole):
        found.append(Entry(f"cvt.{mode}.{kind}.{kind}", (kind,), kind))
    for mode in MODES:
        found += [Entry(f"cvt.{mode}.f16.{kind}", (kind,), "f16") for kind in REALS]
        found.append(Entry(f"cvt.{mode}.f32.f64", ("f64",), "f32"))
    for mode, extra, kind in product(("rn", "rz"), ("", "relu."), ("f16", "bf16")):
        found.append(Entry(f"cvt.{mode}.{extra}{kind}x2.f32", ("f32",) * 2, f"{kind}x2"))
        found.append(Entry(f"cvt.{mode}.{extra}{kind}.f32", ("f32",), kind))
    found += [Entry(f"cvt.{mode}.tf32.f32", ("f32",), "tf32") for mode in ("rna", "rn", "rz")]
    found += [Entry(f"cvt.{to}.{source}", (source,), to) for to in REALS for source in ("f16",)]
    for kind, extra in product(("e4m3x2", "e5m2x2"), ("", "relu.")):
        found.append(Entry(f"cvt.rn.satfinite.{extra}{kind}.f32", ("f32", "f32"), "b16"))
        found.append(Entry(f"cvt.rn.satfinite.{extra}{kind}.f16x2", ("f16x2",), "b16"))
        found.append(Entry(f"cvt.rn.{extra}f16x2.{kind}", (kind,), "f16x2"))
    found += [Entry("cvt.f32.bf16", ("bf16",), "f32"), Entry("cvt.f64.f32", ("f32",), "f64")]
    found += [Entry("cvt.ftz.f64.f32", ("f32",), "f64"), Entry("cvt.rn.ftz.f32.f64", ("f64",), "f32")]
    found += [Entry("cvt.rzi.ftz.s32.f32", ("f32",), "s32"), Entry("cvt.rpi.ftz.f32.f32", ("f32",), "f32")]
    found += [Entry("cvt.sat.f32.f32", ("f32",), "f32"), Entry("cvt.rn.sat.f32.s32", ("s32",), "f32")]
    found += [Entry(f"cvt.pack.sat.{to}.s32", ("s32",) * 2, "b32") for to in ("s16", "u16")]
    found += [Entry(f"cvt.pack.sat.{to}.s32.b32", ("s32", "s32", "b32"), "b32") for to in ("s8", "u8")]
    return found


CATALOGUE = [*_integer(), *_words(), *_real(), *_approximate(), *_half(), *_convert()]
