"""Errors as a learner should read them: what is wrong, where, and the line itself."""

from __future__ import annotations

import html
from dataclasses import dataclass

from .. import simulator
from ..compiler import CompilerFailed
from ..kernels import Kernel


@dataclass(frozen=True)
class Explanation:
    """A `headline`, and for each thing wrong its source line (None: it is of no line) and a sentence."""

    headline: str
    details: tuple[tuple[int | None, str], ...]
    kernel: Kernel | None

    @property
    def text(self) -> str:
        lines = [self.headline]
        for number, sentence in self.details:
            lines.append(f"{self._place(number)}{sentence}")
            if code := self._code(number):
                lines.append(f"    {code}")
        return "\n".join(lines)

    @property
    def html(self) -> str:
        parts = [f'<p class="lk-error-head">{html.escape(self.headline)}</p>']
        for number, sentence in self.details:
            parts.append(f"<p>{html.escape(self._place(number) + sentence)}</p>")
            if code := self._code(number):
                parts.append(f'<pre class="lk-error-code"><span>{number}</span>  {html.escape(code)}</pre>')
        return "".join(parts)

    def _place(self, number: int | None) -> str:
        return f"line {number}: " if number else ""

    def _code(self, number: int | None) -> str:
        lines = self.kernel.source.splitlines() if self.kernel else []
        return lines[number - 1].strip() if number and number <= len(lines) else ""


_HEADLINES: tuple[tuple[type[Exception], str], ...] = (
    (CompilerFailed, "The compiler failed."),
    (simulator.CompileError, "The kernel does not compile."),
    (simulator.IllegalAccess, "The kernel used memory that is not its own; the run was stopped."),
    (simulator.Hang, "The kernel would not end; the run was stopped."),
    (simulator.Trap, "The kernel ended itself."),
    (simulator.LaunchError, "The launch was refused, as a GPU would refuse it."),
    (simulator.ArgumentError, "An argument does not fit the kernel."),
    (simulator.Unsupported, "The kernel uses an instruction that the simulator does not run."),
    (simulator.Error, "The simulator stopped."),
)


def explain(error: Exception, kernel: Kernel | None = None) -> Explanation:
    """The explanation of anything that compiling or running a kernel raised."""
    headline = next(
        (told for kind, told in _HEADLINES if isinstance(error, kind)), "The lab cannot show this."
    )
    if isinstance(error, simulator.CompileError) and error.errors:
        details = tuple((line or None, sentence) for line, sentence in error.errors)
    else:
        details = ((getattr(error, "line", None), _sentence(error)),)
    return Explanation(headline, details, kernel)


def _sentence(error: Exception) -> str:
    """The error's own words; its kind too where it is none of the project's own."""
    known = any(isinstance(error, kind) for kind, _ in _HEADLINES) or isinstance(error, ValueError)
    return str(error) if known else f"{type(error).__name__}: {error}"
