"""The flags of a compile: what the course always passes, and what a caller may add."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from .errors import CompileError
from .includes import HEADER_MACROS

AS_NVCC = "-include=nvcc.h"
"""An option that gives a source what nvcc gives it without an include: INFINITY, uint32_t and so on."""

_ALLOWED = re.compile(
    r"--?(?:use_fast_math|extra-device-vectorization|lineinfo|generate-line-info|default-device|device-debug|G|w|disable-warnings"
    r"|restrict|(?:ftz|prec-div|prec-sqrt|fmad)=(?:true|false)|(?:std|dialect)=c\+\+\d\d|maxrregcount=\d+|dopt=on"
    r"|diag-suppress=[\d,]+|diag-error=[\d,]+|diag-warn=[\d,]+)"
)
_DEFINE = re.compile(r"(?:-D|--define-macro=)(?P<name>[^=]*)(?:=(?P<value>.*))?", re.DOTALL)
_UNDEFINE = re.compile(r"(?:-U|--undefine-macro=)[A-Za-z_]\w*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ARCH = re.compile(r"sm_\d+[af]?", re.ASCII)
_STANDARD = "-std=c++17"


def build(
    defines: Mapping[str, object] | None,
    arch: str,
    options: Sequence[str],
    optimise: bool,
    expressions: Sequence[str],
) -> list[str]:
    """NVRTC's options, include folders excepted. Raises CompileError for anything that is not allowed."""
    if not _ARCH.fullmatch(arch):
        _refuse(f"the architecture {arch!r} is not one: give a GPU's own, such as 'sm_90'")
    if isinstance(options, str):
        raise TypeError("options must be a list of strings, not one string")
    given = list(options)
    for option in given:
        _check(option)
    # Real architecture, not compute_XX: NVRTC then gives the machine code as well as the PTX.
    flags = [f"-arch={arch}"]
    if not any(re.match(r"--?(?:std|dialect)=", option) for option in given):
        flags.append(_STANDARD)
    if not optimise and not _debugs(given):
        # -G is NVRTC's only switch that also keeps loads whose value is never used; it brings line
        # information itself.
        flags.append("-G")
    elif not _debugs(given) and not {
        "-lineinfo",
        "--generate-line-info",
        "--lineinfo",
        "-generate-line-info",
    } & {*given}:
        flags.append("-lineinfo")
    for name, value in (defines or {}).items():
        flags.append(_define(name, value))
    for expression in expressions:
        # An expression becomes a line of source of NVRTC's own, so it must stay one line.
        if not isinstance(expression, str) or not expression.isprintable() or not expression.strip():
            _refuse(f"the name expression {expression!r} is not one line of C++, such as 'scale<float>'")
    return flags + given


def _debugs(options: Sequence[str]) -> bool:
    return any(option in ("-G", "--G", "--device-debug", "-device-debug") for option in options)


def _check(option: object) -> None:
    if not isinstance(option, str):
        raise TypeError(f"an option must be a string, not {type(option).__name__}: {option!r}")
    if found := _DEFINE.fullmatch(option):
        _define(found["name"], found["value"])
    elif option != AS_NVCC and not _ALLOWED.fullmatch(option) and not _UNDEFINE.fullmatch(option):
        _refuse(
            f"the option {option!r} is not allowed: options may choose the C++ standard, arithmetic "
            "(such as -use_fast_math or -fmad=false), -maxrregcount=N, warnings, -G, -default-device, "
            "and macros (-DNAME=value, -UNAME), but no files or folders"
        )


def _define(name: object, value: object) -> str:
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        _refuse(f"the macro name {name!r} is not a C identifier")
    if name == "T":
        _refuse(
            "a macro named T breaks NVRTC's own headers, which use T as a template parameter; "
            "use another name, such as TILE"
        )
    if HEADER_MACROS.search(name):
        _refuse(f"the macro {name} names headers of Thrust and is not allowed here")
    if value is None:
        return f"-D{name}"
    text = str(int(value)) if isinstance(value, bool) else str(value)
    if any(ord(c) < 32 and c != "\t" for c in text) or "\x7f" in text:
        _refuse(f"the value of macro {name} has a line break or a control character: {text!r}")
    return f"-D{name}={text}"


def _refuse(sentence: str) -> NoReturn:
    raise CompileError.at("", 0, sentence)
