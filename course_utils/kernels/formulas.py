"""Launch geometry as arithmetic: ``(ceil(N / TILE), ceil(N / TILE))``, read as a syntax tree and never run.

A formula is one expression, or a tuple of some, made of integers, names, ``+ - * / // %``, ``ceil``,
``min`` and ``max``. Division is exact, so ``ceil`` is right for every size.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from .errors import KernelError

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: Fraction(a) / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"ceil": ceil, "min": min, "max": max}


class Formula:
    """One formula: the ``names`` it uses and its number of ``parts``; called with values, its counts."""

    def __init__(self, text: str) -> None:
        try:
            tree = ast.parse(text, mode="eval").body
        except SyntaxError:
            raise KernelError(f"{text!r} is no formula.") from None
        self._parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
        self.names = frozenset().union(*map(_check, self._parts))
        self.parts = len(self._parts)

    def __call__(self, values: Mapping[str, int]) -> tuple[int, ...]:
        """The value of each part; a ``KernelError`` where one is no count, or divides by zero."""
        return tuple(self._count(part, values) for part in self._parts)

    def _count(self, part: ast.expr, values: Mapping[str, int]) -> int:
        try:
            value = _evaluate(part, values)
        except ZeroDivisionError:
            raise KernelError(f"{ast.unparse(part)} divides by zero.") from None
        if value != int(value) or value < 0:
            raise KernelError(f"{ast.unparse(part)} is {value}, which is no count.")
        return int(value)


def _check(tree: ast.expr) -> frozenset[str]:
    """The names in a formula, once everything in it is known to be arithmetic."""
    match tree:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return frozenset()
        case ast.Name(id=name):
            return frozenset({name})
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _check(left) | _check(right)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if name in _FUNCTIONS:
            return frozenset().union(*map(_check, args))
    raise KernelError(f"a formula may not hold {ast.unparse(tree)!r}: use + - * / // % ceil min max.")


def _evaluate(tree: ast.expr, values: Mapping[str, int]) -> int | Fraction:
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_evaluate(left, values), _evaluate(right, values))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name](*(_evaluate(arg, values) for arg in args))
    raise AssertionError(ast.dump(tree))  # _check let nothing else through
