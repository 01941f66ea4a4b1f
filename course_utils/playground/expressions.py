"""C expressions whose value is known without running anything: sizes, grids, blocks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .elements import size_of
from .errors import PasteError
from .tokens import Kind, Token, angle_closing, closing, split


class Unknown(Exception):
    """The value depends on what is known only when the program runs."""


@dataclass(frozen=True)
class Dim3:
    """CUDA's dim3: extents that are not given are 1."""

    x: int = 1
    y: int = 1
    z: int = 1


Value = int | float | Dim3
Names = Callable[[str], Value]
"""The value of a name; raises Unknown for one that has none."""
Call = Callable[[str, list[Value]], Value]
"""The value of a call of one of the source's own functions; raises Unknown."""
Sizes = Callable[[str], int | None]
"""The bytes of a type, by its name as written; None for one that is not known."""


def nothing(name: str) -> Value:
    """No name has a value."""
    raise Unknown(name)


def no_call(name: str, arguments: list[Value]) -> Value:
    """No function is known."""
    raise Unknown(name)


def evaluate(
    run: Sequence[Token], names: Names = nothing, call: Call = no_call, sizes: Sizes = size_of
) -> Value:
    """The value of an expression, as C++ computes it. Raises Unknown where it has none that is known."""
    reader = _Reader(list(run), names, call, sizes)
    try:
        value = reader.ternary()
    except (IndexError, RecursionError, PasteError, ArithmeticError, ValueError, TypeError) as problem:
        raise Unknown(str(problem)) from None
    if reader.at < len(reader.run):
        raise Unknown(reader.run[reader.at].text)
    return value


_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_NUMBER = re.compile(
    r"(?P<hex>0[xX][\da-fA-F]+)[uUlLzZ]*|(?P<binary>0[bB][01]+)[uUlL]*"
    r"|(?P<whole>\d+)[uUlLzZ]*|(?P<real>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlL]?"
)
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "min": min,
    "max": max,
    "fmin": min,
    "fmax": max,
    "fminf": min,
    "fmaxf": max,
    "abs": abs,
    "fabs": abs,
    "ceil": lambda x: float(math.ceil(x)),
    "ceilf": lambda x: float(math.ceil(x)),
    "floor": lambda x: float(math.floor(x)),
    "floorf": lambda x: float(math.floor(x)),
    "round": lambda x: float(math.floor(x + 0.5)),
    "sqrt": lambda x: math.sqrt(x),
    "sqrtf": lambda x: math.sqrt(x),
    "log2": lambda x: math.log2(x),
    "log2f": lambda x: math.log2(x),
    "pow": lambda x, y: float(x) ** y,
    "powf": lambda x, y: float(x) ** y,
    "ceil_div": lambda x, y: -(-x // y),
}


def number(text: str) -> int | float:
    """A C++ literal's value. Raises Unknown for what is none."""
    found = _NUMBER.fullmatch(text.replace("'", ""))
    if found is None:
        raise Unknown(text)
    if found["hex"]:
        return int(found["hex"], 16)
    if found["binary"]:
        return int(found["binary"], 2)
    if found["whole"]:
        whole = found["whole"]
        return int(whole, 8) if whole.startswith("0") and whole.strip("0").isdigit() else int(whole)
    return float(found["real"])


class _Reader:
    def __init__(self, run: list[Token], names: Names, call: Call, sizes: Sizes) -> None:
        self.run, self.names, self.call, self.sizes = run, names, call, sizes
        self.at = 0

    def next(self) -> str:
        return self.run[self.at].text if self.at < len(self.run) else ""

    def take(self, text: str) -> bool:
        if self.next() == text:
            self.at += 1
            return True
        return False

    def want(self, text: str) -> None:
        if not self.take(text):
            raise Unknown(f"{text} is missing")

    def inside(self) -> list[Token]:
        """The tokens in the brackets that begin here; steps behind them."""
        end = closing(self.run, self.at)
        piece = self.run[self.at + 1 : end]
        self.at = end + 1
        return piece

    def part(self, run: Sequence[Token]) -> Value:
        return evaluate(run, self.names, self.call, self.sizes)

    def ternary(self) -> Value:
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        depth, start = 0, self.at
        while depth or self.next() != ":":
            depth += {"?": 1, ":": -1, "": math.nan}.get(self.next(), 0)
            self.at = closing(self.run, self.at) + 1 if self.next() in ("(", "[", "{") else self.at + 1
            if self.at >= len(self.run):
                raise Unknown(":")
        first = self.run[start : self.at]
        self.at += 1
        second = self.run[self.at :]
        self.at = len(self.run)
        return self.part(first if _scalar(condition) else second)

    def operator(self) -> str:
        """The operator here; >> comes as two tokens side by side."""
        text = self.next()
        if text == ">" and self.at + 1 < len(self.run):
            here, behind = self.run[self.at], self.run[self.at + 1]
            if behind.text == ">" and behind.start in (here.end, here.start):  # the latter in a macro
                return ">>"
        return text

    def binary(self, level: int) -> Value:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while (operator := self.operator()) in _LEVELS[level]:
            self.at += 2 if operator == ">>" else 1
            try:
                right = self.binary(level + 1)
            except Unknown:
                if operator not in ("&&", "||"):
                    raise
                right = 0
                if bool(_scalar(left)) == (operator == "&&"):
                    raise
            left = _combine(operator, _scalar(left), _scalar(right))
        return left

    def unary(self) -> Value:
        text = self.next()
        if text in ("-", "+", "!", "~"):
            self.at += 1
            value = _scalar(self.unary())
            if text == "~" and not isinstance(value, int):
                raise Unknown("~")
            return {"-": -value, "+": value, "!": int(not value), "~": ~int(value)}[text]
        if text == "(" and (cast := self._cast()) is not None:
            return _converted(cast, self.unary())
        return self.postfix(self.primary())

    def _cast(self) -> str | None:
        """The type of a C cast that begins here; steps behind it."""
        end = closing(self.run, self.at)
        inner = self.run[self.at + 1 : end]
        name = " ".join(each.text for each in inner)
        behind = self.run[end + 1] if end + 1 < len(self.run) else None
        applied = behind is not None and (behind.kind in (Kind.NAME, Kind.NUMBER) or behind.text in "(-+~!")
        if not applied or not inner or self.sizes(name) is None:
            return None
        self.at = end + 1
        return name

    def postfix(self, value: Value) -> Value:
        while self.take("."):
            member = self.next()
            self.at += 1
            if not isinstance(value, Dim3) or member not in ("x", "y", "z"):
                raise Unknown(member)
            value = getattr(value, member)
        return value

    def primary(self) -> Value:
        token = self.run[self.at]
        if token.text == "(":
            return self.part(self.inside())
        self.at += 1
        if token.kind is Kind.NUMBER:
            return number(token.text)
        if token.kind is Kind.STRING and re.fullmatch(r"'[ -~]'", token.text):
            return ord(token.text[1])
        if token.kind is not Kind.NAME:
            raise Unknown(token.text)
        return self.named(token.text)

    def named(self, name: str) -> Value:
        if name in ("true", "false"):
            return int(name == "true")
        if name == "sizeof":
            return self.sizeof()
        if name in ("static_cast", "reinterpret_cast"):
            end = angle_closing(self.run, self.at)
            if end is None:
                raise Unknown(name)
            kind = " ".join(each.text for each in self.run[self.at + 1 : end])
            self.at = end + 1
            return _converted(kind, self.part(self.inside()))
        while self.take("::"):
            name = self.next()
            self.at += 1
        end = angle_closing(self.run, self.at) if self.next() == "<" else None
        if end is not None and end + 1 < len(self.run) and self.run[end + 1].text == "(":
            self.at = end + 1  # of std::min<int>(a, b)
        if self.next() in ("(", "{"):
            given = [self.part(each) for each in split(self.inside())]
            return self.called(name, given)
        return self.names(name)

    def called(self, name: str, given: list[Value]) -> Value:
        if name == "dim3":
            return Dim3(*(int(_scalar(each)) for each in given))
        if self.sizes(name) is not None and len(given) == 1:
            return _converted(name, given[0])
        try:
            return self.call(name, given)
        except Unknown:
            if name not in _FUNCTIONS:
                raise
        return _FUNCTIONS[name](*map(_scalar, given))

    def sizeof(self) -> int:
        inner = self.inside()
        size = self.sizes(" ".join(each.text for each in inner))
        if size is None:
            raise Unknown("sizeof")
        return size


def _scalar(value: Value) -> int | float:
    """A dim3 of one extent serves as a number nowhere in C++, so that it is unknown here."""
    if isinstance(value, Dim3):
        raise Unknown("dim3")
    return value


def _converted(kind: str, value: Value) -> Value:
    number = _scalar(value)
    if not math.isfinite(number):
        raise Unknown(kind)
    return float(number) if re.search(r"\b(float|double)\b", kind) else int(number)


def _combine(operator: str, a: int | float, b: int | float) -> int | float:
    whole = isinstance(a, int) and isinstance(b, int)
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            if not whole:
                return a / b
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "%":
            return int(math.fmod(a, b))
        case "<<" if whole and 0 <= b < 64 and abs(a) < 1 << 64:
            return a << b  # type: ignore[operator]
        case ">>" if whole and 0 <= b < 64:
            return a >> b  # type: ignore[operator]
        case "&" if whole:
            return a & b  # type: ignore[operator]
        case "|" if whole:
            return a | b  # type: ignore[operator]
        case "^" if whole:
            return a ^ b  # type: ignore[operator]
        case "&&":
            return int(bool(a) and bool(b))
        case "||":
            return int(bool(a) or bool(b))
        case "==":
            return int(a == b)
        case "!=":
            return int(a != b)
        case "<":
            return int(a < b)
        case "<=":
            return int(a <= b)
        case ">":
            return int(a > b)
        case ">=":
            return int(a >= b)
    raise Unknown(operator)
