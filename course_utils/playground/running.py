"""A launch said in text -> what it did, with the buffers before and after."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import simulator
from ..metrics.names import WARP_INSTRUCTIONS
from . import inputs as made
from . import suggestions
from .elements import Element
from .errors import InputError
from .inputs import Input
from .kernels import PastedKernel
from .pasted import NAME, Pasted
from .tokens import angle_closing, split, text_of, tokens

CHECKS = simulator.CHECKS
"""The simulator's checks that every run is made with; what they find is among the findings."""

BUDGET = 50_000_000
"""Loop rounds before a kernel counts as endless."""

MOST_THREADS = 1 << 26
# Warp instructions of a launch that is made a second time, with a trace, and of the block that is traced.
MOST_AGAIN = 10_000_000
MOST_TRACED = 20_000
MOST_SECONDS = 2.0  # that the first one may have taken
SHOWN = 8
"""Elements of a buffer that are shown."""


@dataclass(frozen=True)
class Launch:
    """All that a learner says, as text. `texts` are of the kernel's parameters, `variables` of the source's
    variables, both in order."""

    kernel: str
    instance: str
    grid: str
    block: str
    shared_bytes: str
    texts: tuple[str, ...]
    variables: tuple[str, ...] = ()

    @classmethod
    def of(cls, kernel: PastedKernel, start: suggestions.Start, variables: Sequence[Input] = ()) -> Launch:
        """A starting point as text."""
        return cls(
            kernel.name,
            start.instance,
            ", ".join(map(str, start.grid)),
            ", ".join(map(str, start.block)),
            str(start.shared_bytes),
            tuple(each.text for each in start.inputs),
            tuple(each.text for each in variables),
        )


@dataclass(frozen=True)
class Buffer:
    """A buffer that a kernel got: its first elements before and after, `count` of them in all, and how many
    `changed`. Elements of several numbers (float4, structures) count once. `unwritten`: bytes that stayed as
    memory is before anything is written to it."""

    name: str
    told: str
    count: int
    changed: int
    unwritten: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What a launch did. `values` are the parameters that are no buffers, (name, text)."""

    kernel: PastedKernel
    instance: str
    run: simulator.Run
    shared_bytes: int
    buffers: tuple[Buffer, ...]
    values: tuple[tuple[str, str], ...]


def run(
    pasted: Pasted,
    program: simulator.Program,
    launch: Launch,
    cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a kernel of a program that `pasted.compile()` made.

    Raises InputError and PasteError for what is said wrongly, and what simulator.Program.launch raises.
    """
    kernel = pasted.kernel(launch.kernel)
    template = _template(kernel, launch.instance)
    inputs = suggestions.retyped(pasted, kernel, template, launch.texts)
    grid, block = suggestions.extents(launch.grid, "grid"), suggestions.extents(launch.block, "block")
    shared = suggestions.extents(launch.shared_bytes or "0", "shared bytes")[0]
    threads = math.prod(grid) * math.prod(block)
    if threads > MOST_THREADS:
        raise InputError(
            "grid",
            f"{threads:,} threads would take minutes here; {MOST_THREADS:,} is the most, so make it smaller",
        )
    variables = [
        replace(each, text=text)
        for each, text in zip(suggestions.variables(pasted), launch.variables, strict=False)
    ]
    contents = made.variables(variables)
    instance = suggestions.instance(kernel, template)

    def launched(
        trace: dict[str, object] | None = None, workers: int | None = None
    ) -> tuple[simulator.Run, list[object], list[object]]:
        values = made.make(inputs)
        before = [each.copy() if isinstance(each, np.ndarray) else each for each in values]
        for name, content in contents.items():
            program.set_symbol(name, content)
        finished = program.launch(
            instance, grid, block, made.arguments(inputs, values), shared,
            checks=() if trace else CHECKS, budget=BUDGET, trace=trace, workers=workers,
            allow_large_shared=True, cooperative=_cooperative(pasted, kernel), cancelled=cancelled,
        )  # fmt: skip
        return finished, before, values

    began, names = time.monotonic(), _names(kernel, inputs)
    try:
        try:
            finished, before, after = launched()
        except (simulator.IllegalAccess, simulator.Trap):
            finished, before, after = launched(workers=1)  # so that the first block is told of, every time
    except simulator.IllegalAccess as error:
        raise _named(error, names) from None
    except simulator.CompileError as error:
        raise pasted.explained(error) from None
    except simulator.LaunchError as error:
        if kernel.template and "there is no kernel" in str(error):
            sentence = f"{instance} cannot be made from the template; look between < and >"
            raise InputError("kernel", sentence) from None
        raise
    except simulator.Hang as error:
        raise simulator.Hang(str(error).replace("pass a larger budget", "launch fewer blocks")) from None
    except simulator.Unsupported as error:
        if error.line is not None and f"{NAME}:{error.line}" not in str(error):
            raise simulator.Unsupported(str(error), error.instruction) from None  # a line of a header
        raise
    finished = replace(finished, findings=_named_findings(finished.findings, names))
    quick = time.monotonic() - began < MOST_SECONDS
    if quick and not finished.findings and not cancelled() and _traceable(finished):
        middle = tuple(extent // 2 for extent in finished.grid)
        finished = replace(finished, trace=launched({"block": middle})[0].trace)
    buffers = [
        _buffer(each, old, new)
        for each, old, new in zip(inputs, before, after, strict=True)
        if isinstance(new, np.ndarray)
    ]
    values = [
        (each.name, each.text)
        for each, new in zip(inputs, after, strict=True)
        if not isinstance(new, np.ndarray)
    ]
    return Outcome(kernel, instance, finished, shared, tuple(buffers), tuple(values))


def _names(kernel: PastedKernel, inputs: Sequence[Input]) -> dict[str, str]:
    """What the simulator calls a buffer -> the name of its parameter or member: it does not know those of
    templates, nor those of a structure's members."""
    found: dict[str, str] = {}
    for number, parameter in enumerate(kernel.parameters, 1):
        members = [each.name for each in inputs if each.group == parameter.name]
        for whole in (f"argument {number}", parameter.name):
            found |= {f"member {place} of {whole}": name for place, name in enumerate(members, 1)}
            found[whole] = parameter.name
    return found


def _named(error: simulator.IllegalAccess, names: dict[str, str]) -> simulator.IllegalAccess:
    """The same error with the names that the source has."""
    buffer = names.get(error.buffer or "", error.buffer)
    message = str(error).replace(error.buffer, buffer) if error.buffer and buffer else str(error)
    return simulator.IllegalAccess(message, buffer=buffer, index=error.index, place=error.place)


def _named_findings(findings: Sequence[simulator.Finding], names: dict[str, str]) -> list[simulator.Finding]:
    """The same findings with the names that the source has."""
    found = []
    for finding in findings:
        message, accesses = finding.message, []
        for access in finding.accesses:
            name = names.get(access.array or "", access.array)
            if name and access.array and name != access.array:
                message = message.replace(access.array, name)
            accesses.append(replace(access, array=name))
        found.append(replace(finding, message=message, accesses=tuple(accesses)))
    return found


def _traceable(finished: simulator.Run) -> bool:
    """Whether a second launch with a trace takes no time worth speaking of."""
    instructions = finished.metrics[WARP_INSTRUCTIONS]
    return instructions < MOST_AGAIN and instructions / math.prod(finished.grid) < MOST_TRACED


def _template(kernel: PastedKernel, instance: str) -> tuple[str, ...]:
    """The template arguments of scale<float, 4>. Raises InputError."""
    if not kernel.template:
        return ()
    run = tokens(instance)
    opened = next((index for index, token in enumerate(run) if token.text == "<"), None)
    close = None if opened is None else angle_closing(run, opened)
    if opened is None or close is None or close + 1 < len(run):
        names = ", ".join(each.name for each in kernel.template)
        raise InputError("kernel", f"it is a template: write {kernel.name}<{names}> with something for each")
    return tuple(text_of(piece) for piece in split(run[opened + 1 : close]))


def _cooperative(pasted: Pasted, kernel: PastedKernel) -> bool:
    return any(start.cooperative for start in suggestions.starts(pasted, kernel))


def _buffer(each: Input, before: object, after: np.ndarray) -> Buffer:
    element = each.element
    assert element is not None
    assert isinstance(before, np.ndarray)
    old, new = _elements(before, element.size), _elements(after, element.size)
    changed = old != new
    odd = new == _elements(np.full(element.size, 0xCD, np.uint8), element.size)
    if changed.ndim > 1:
        changed, odd = changed.any(axis=1), odd.all(axis=1)
    return Buffer(
        each.name,
        f"{each.told.strip()}",
        len(new),
        int(changed.sum()),
        int(odd.sum()) if re.match(r"\s*unwritten\b", each.text) else 0,
        _texts(before, element, each.text),
        _texts(after, element, each.text),
    )


def _elements(array: np.ndarray, size: int) -> np.ndarray:
    """The elements of an array, of so many bytes each, as whole numbers; as rows of bytes where none has that
    size."""
    if size in (1, 2, 4, 8):
        return array.view(f"u{size}")
    return array.view(np.uint8).reshape(-1, size)


def _texts(array: np.ndarray, element: Element, text: str) -> tuple[str, ...]:
    """The first elements as text."""
    lanes = 1 if element.fields else element.lanes
    rows = array[: SHOWN * lanes].reshape(-1, lanes)
    unwritten = re.match(r"\s*unwritten\b", text) is not None
    found = []
    for row in rows:
        if unwritten and (row.view(np.uint8) == 0xCD).all():
            found.append("not written")
        elif element.fields:
            found.append(
                "{" + ", ".join(_members(row[0][field.name], field.element) for field in element.fields) + "}"
            )
        else:
            found.append(_members(row, element))
    return tuple(found)


def _members(values: object, element: Element) -> str:
    numbers = np.atleast_1d(np.asarray(values)).reshape(-1)
    if element.fields:
        return "{...}"
    if element.bfloat16:
        numbers = made.from_bfloat16(numbers)
    texts = [_number(number) for number in numbers[:4]] + ["..."] * (len(numbers) > 4)
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _number(value: np.generic) -> str:
    if value.dtype.kind == "f":
        return f"{float(value):.4g}"
    return str(value.item())
