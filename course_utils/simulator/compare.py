"""When the values are wrong and no check fires: where the wrong elements are, their pattern, who wrote them.

print(simulator.compare(run, {"C": A @ B}))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .differences import Pattern, Wrong, patterns
from .errors import ArgumentError, Error, Index
from .memory import Memory, owner_of

if TYPE_CHECKING:
    from .program import Launched, Run

FIRST = 4  # wrong elements that are shown
# Relative tolerance by the buffer's own type; what is not a float must be equal.
TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-9}
ASK = 'launch with checks=("races",) to see which thread wrote them'


@dataclass(frozen=True)
class Writer:
    """The thread that stored an element last, the source line of the store and its text."""

    block: Index
    thread: Index
    line: int
    text: str

    def __str__(self) -> str:
        text = f": {self.text}" if self.text else ""
        return f"thread {self.thread} of block {self.block} wrote it, line {self.line}{text}"


@dataclass(frozen=True)
class Element:
    """A wrong element: index (an int an axis), the value, the expected one, and who wrote it (None: nobody,
    or unknown)."""

    index: tuple[int, ...]
    value: object
    expected: object
    writer: Writer | None = None


@dataclass(frozen=True)
class Difference:
    """A buffer with `count` wrong elements of `size`: the first of them, and the patterns that all make.

    writers_known tells whether a missing writer means that nobody wrote the element. lines: the source lines
    that stored the wrong elements, most of them first.
    """

    name: str
    count: int
    size: int
    first: tuple[Element, ...]
    patterns: tuple[Pattern, ...]
    writers_known: bool = False
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        rows = [f"{self.name}: {self.count:,} of {self.size:,} elements {_are(self.count)} wrong."]
        for each in self.first:
            place = self.name + "".join(f"[{number}]" for number in each.index)
            row = f"  {place} is {_value(each.value)} and should be {_value(each.expected)}"
            if each.writer:
                row += f"; {each.writer}"
            elif self.writers_known:
                row += "; no thread wrote it"
            rows.append(row)
        if self.count > len(self.first):
            rows.append(f"  and {self.count - len(self.first):,} more")
        rows += map(str, self.patterns)
        if not self.writers_known:
            rows.append(f"{ASK[0].upper()}{ASK[1:]}.")
        elif len(self.lines) == 1 and self.count > len(self.first):
            rows.append(f"All that were written were written at line {self.lines[0]}.")
        elif len(self.lines) > 1:
            rows.append(f"They were written at the lines {', '.join(map(str, self.lines))}.")
        return "\n".join(rows)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Buffers compared with what they should hold. `differences` has those with wrong elements; it is false
    where there are any. Prints as text."""

    compared: tuple[str, ...]
    differences: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return not self.differences

    def __repr__(self) -> str:
        if self:
            return f"{', '.join(self.compared)}: all elements are right."
        return "\n\n".join(map(str, self.differences))


def compare(
    run: Run,
    reference: np.typing.ArrayLike | Mapping[str, np.typing.ArrayLike],
    *,
    rtol: float | None = None,
    atol: float | None = None,
    relaunch: bool = True,
) -> Comparison:
    """Compare what a launch left in its buffers with what they should hold.

    reference: an array for the only buffer that the kernel may write to, or {parameter name: array}. An array
    must have as many elements as the buffer; its shape is the one that rows and columns are told by. Elements
    are right within atol + rtol * |expected|. rtol: by default 1e-2, 1e-4 or 1e-9 for buffers of 16-, 32- and
    64-bit floats, and 0 for integers. atol: by default rtol times the median of |reference|, so that values
    near zero among larger ones need not be exact.

    Who wrote the wrong elements is known after a launch with checks=("races",). After another one the kernel
    is launched again with that check, on copies of the arrays as they are now: for a kernel that changes its
    input that is another computation, though mostly the same threads write at the same lines. relaunch=False
    leaves that out.

    Raises ArgumentError for a run that did not come from the simulator's launch(), and for a reference that
    fits no buffer.
    """
    launched = run.launched
    if launched is None:
        raise ArgumentError("compare needs a run of simulator.Program.launch(), which knows its arrays")
    buffers = _buffers(launched)
    if not isinstance(reference, Mapping):
        reference = {_only_output(run, launched, buffers, np.asarray(reference)): reference}
    pairs = {name: _pair(name, array, buffers) for name, array in reference.items()}
    found = {}
    for name, (got, right) in pairs.items():
        wrong = _wrong(got, right, rtol, atol)
        if wrong.mask.any():
            found[name] = wrong
    writers = _writers(run, launched, relaunch) if found else None
    differences = [_difference(run, launched, name, wrong, writers) for name, wrong in found.items()]
    return Comparison(tuple(pairs), tuple(differences))


def _buffers(launched: Launched) -> dict[str, np.ndarray]:
    memory = Memory()
    launched.program.pack(launched.kernel, launched.args, memory)
    return {buffer.name: buffer.array for buffer in memory.buffers}


def _only_output(run: Run, launched: Launched, buffers: Mapping[str, np.ndarray], right: np.ndarray) -> str:
    """The buffer that is meant where none is named."""
    outputs = [name for name in buffers if name not in launched.read_only]
    fitting = [name for name in outputs if buffers[name].size == right.size]
    for names in (outputs, fitting):
        if len(names) == 1:
            return names[0]
    known = ", ".join(fitting or outputs or buffers) or "none"
    raise ArgumentError(
        f"say which buffer of {run.kernel} the reference is for, as in compare(run, {{'name': array}}); "
        f"there is: {known}"
    )


def _pair(
    name: str, reference: np.typing.ArrayLike, buffers: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    if name not in buffers:
        raise ArgumentError(f"the launch had no buffer {name!r}; there is: {', '.join(buffers) or 'none'}")
    got, right = buffers[name], np.asarray(reference)
    if got.size != right.size:
        raise ArgumentError(
            f"{name} has {got.size:,} elements {got.shape}, the reference {right.size:,} {right.shape}"
        )
    for array in (got, right):
        if array.dtype.kind not in "biuf":
            raise ArgumentError(
                f"{name}: elements of {array.dtype} are not compared; give the kernel and compare() numbers, "
                "such as a field's or a view's"
            )
    return got.reshape(right.shape if right.ndim else (1,)), np.atleast_1d(right)


def _wrong(got: np.ndarray, right: np.ndarray, rtol: float | None, atol: float | None) -> Wrong:
    if rtol is None:
        rtol = TOLERANCE.get(got.dtype.itemsize, 0.0) if got.dtype.kind == "f" else 0.0
    if atol is None:
        sizes = np.abs(right[np.isfinite(right) & (right != 0)].astype(np.float64))
        atol = rtol * float(np.median(sizes)) if sizes.size else rtol
    mask = ~np.isclose(got, right, rtol=rtol, atol=atol, equal_nan=True)
    return Wrong(got, right, mask, rtol, atol)


def _difference(
    run: Run, launched: Launched, name: str, wrong: Wrong, writers: Mapping[str, np.ndarray] | None
) -> Difference:
    places = np.flatnonzero(wrong.mask)
    known = writers.get(name) if writers is not None else None
    if known is not None:  # one entry an element, or one a byte: then each element's first byte's
        known = known.ravel()[:: max(known.size // wrong.mask.size, 1)]
    elements = []
    for place in places[:FIRST]:
        index = tuple(int(each) for each in np.unravel_index(place, wrong.mask.shape))
        writer = None if known is None else _writer(run, launched, known[place])
        elements.append(Element(index, wrong.got[index].item(), wrong.right[index].item(), writer))
    lines: tuple[int, ...] = ()
    if known is not None:
        numbers, counts = np.unique(known["line"][places], return_counts=True)
        lines = tuple(int(numbers[each]) for each in np.argsort(-counts, kind="stable") if numbers[each])
    return Difference(
        name,
        places.size,
        wrong.mask.size,
        tuple(elements),
        tuple(patterns(wrong, run.grid, run.block)),
        known is not None,
        lines,
    )


def _writers(run: Run, launched: Launched, relaunch: bool) -> Mapping[str, np.ndarray] | None:
    """Who stored what last, buffer by buffer; None where that cannot be known."""
    writers = getattr(run, "writers", None)
    if writers or not relaunch:
        return writers or None
    variables = {name: array.copy() for name, (_, array) in launched.program._globals.items()}
    try:
        again = launched.again(_copied(launched.args), checks=("races",))
    except Error:
        return None
    finally:
        for name, array in variables.items():
            launched.program._globals[name][1][:] = array
    return getattr(again, "writers", None) or None


def _copied(argument: object, owners: dict[int, np.ndarray] | None = None) -> object:
    """Arguments with copies of their arrays; views of one array become views of one copy."""
    owners = {} if owners is None else owners
    if isinstance(argument, (list, tuple)):
        return type(argument)(_copied(each, owners) for each in argument)
    if not isinstance(argument, np.ndarray):
        return argument
    base = owner_of(argument)
    if not base.flags.c_contiguous:
        return argument.copy()
    copy = owners.setdefault(id(base), base.copy())
    offset = argument.ctypes.data - base.ctypes.data
    return np.ndarray(argument.shape, argument.dtype, copy.reshape(-1).view(np.uint8).data, offset)


def _writer(run: Run, launched: Launched, entry: np.void) -> Writer | None:
    line = int(entry["line"])
    if not line:
        return None
    source = (launched.program.source or "").splitlines()
    text = source[line - 1].strip() if line <= len(source) else ""
    return Writer(_index(int(entry["block"]), run.grid), _index(int(entry["thread"]), run.block), line, text)


def _index(number: int, size: Index) -> Index:
    x, y, _ = size
    return number % x, number // x % y, number // (x * y)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
