"""Any CUDA source, a kernel or a whole program, made ready to run in the simulator.

    pasted = read(text)
    kernel = pasted.kernels[0]
    start = starts(pasted, kernel)[0]                 # grid, block and one line of text for each argument
    outcome = run(pasted, pasted.compile(), Launch.of(kernel, start))

In the order data flows: tokens, expressions and elements (values and types), macros, parts (declarations),
sides (functions of the host and of the GPU), kernels, host (launches), source (what the compiler gets),
pasted (all of it), inputs (arrays from text), suggestions (sensible first values), running (a launch said in
text -> what it did). Beside them: files (what can be opened).
"""

from __future__ import annotations

from .errors import InputError, PasteError
from .files import EXAMPLES, files, read_file
from .inputs import Input, make
from .kernels import PastedKernel
from .pasted import NAME, Pasted, read
from .running import Launch, Outcome, run
from .sides import Function, functions
from .suggestions import Start, starts, suggest

__all__ = [
    "EXAMPLES",
    "NAME",
    "Function",
    "Input",
    "InputError",
    "Launch",
    "Outcome",
    "PasteError",
    "Pasted",
    "PastedKernel",
    "Start",
    "files",
    "functions",
    "make",
    "read",
    "read_file",
    "run",
    "starts",
    "suggest",
]
