"""Any CUDA source, a kernel or a whole program, made ready to run in the simulator.

    pasted = read(text)
    kernel = pasted.kernels[0]
    start = starts(pasted, kernel)[0]                 # grid, block and one line of text for each argument
    program = pasted.compile()

In the order data flows: tokens, expressions and elements (values and types), macros, parts (declarations),
kernels, host (launches), source (what the compiler gets), pasted (all of it), inputs (arrays from text),
starts (sensible first values).
"""

from __future__ import annotations

from .errors import InputError, PasteError
from .inputs import Input, make
from .kernels import PastedKernel
from .pasted import Pasted, read
from .starts import Start, starts, suggest

__all__ = [
    "Input",
    "InputError",
    "PasteError",
    "Pasted",
    "PastedKernel",
    "Start",
    "make",
    "read",
    "starts",
    "suggest",
]
