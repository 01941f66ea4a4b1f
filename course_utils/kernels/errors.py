"""The one error of this package, and how it lists things."""

from __future__ import annotations

from collections.abc import Iterable


class KernelError(ValueError):
    """No such kernel, a file whose head states too little, or a value that the kernel does not allow."""


def listed(items: Iterable[object], conjunction: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    texts = [str(item) for item in items]
    return f" {conjunction} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))
