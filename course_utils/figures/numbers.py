"""Numbers as text, the same in tables, pictures and sentences."""

from __future__ import annotations

from collections.abc import Mapping

TIMES = "\N{MULTIPLICATION SIGN}"
DASH = "\N{EN DASH}"


def count(value: float) -> str:
    """12,345."""
    return f"{value:,.0f}"


def decimal(value: float, places: int = 1) -> str:
    """1.25 with `places` digits after the point."""
    return f"{value:,.{places}f}"


def percent(value: float) -> str:
    """0.5 -> 50 %; what is not 0 is never shown as 0 %."""
    if 0 < value < 0.01:
        return "<1 %"
    return f"{100 * value:.0f} %"


def times(value: int) -> str:
    """once, twice, 8 times."""
    return {1: "once", 2: "twice"}.get(value, f"{value:,} times")


def between(least: int, most: int) -> str:
    """How often, over elements that differ: 8 times, 1 to 8 times."""
    return times(least) if least == most else f"{least:,} to {most:,} times"


def plural(value: int, thing: str) -> str:
    """1 element, 12 elements."""
    return f"{value:,} {thing}{'' if value == 1 else 's'}"


def told_sizes(sizes: Mapping[str, int]) -> str:
    """N = 4,096, TILE = 16."""
    return ", ".join(f"{name} = {value:,}" for name, value in sizes.items())


def three_digits(value: float) -> str:
    """0.184, 2.75, 747; from a thousand on without a power of ten: 1,311."""
    return count(value) if value >= 1000 else f"{value:.3g}"


def milliseconds(seconds: float) -> str:
    """0.00275 -> 2.75 ms."""
    return f"{three_digits(1e3 * seconds)} ms"
