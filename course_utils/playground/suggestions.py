"""Sensible first values for a launch: from the host code where there is some, else from names and types.

Nothing here is hidden: all of it becomes text in fields that a learner can change.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from .access import Use, dimensions, shared_arrays, uses
from .elements import Field
from .errors import InputError
from .expressions import Unknown, evaluate
from .host import Buffer, Launch
from .inputs import Input
from .kernels import Parameter, PastedKernel
from .pasted import Pasted, Variable
from .tokens import tokens, without_extents

_ROWS = re.compile(r"(n|num_?)?(rows?|height|h|m|ny)$|(rows|height)$")
_COLUMNS = re.compile(r"(n|num_?)?(cols?|columns|width|w|nx|pitch|ld[abc]?)$|(cols|width|columns)$")
_DEPTH = re.compile(r"(k|depth|nz|inner|dim|d|head_?dim)$")
_LENGTH = re.compile(
    r"(n|size|len|length|count|total|elements|nnz|limit|bound|end)$|"
    r"(n_?|num_?)[a-z_]*$|\w*(size|len|length|count|elements|num|_n)$"
)
_ROW_POINTERS = re.compile(r"(\w*row_?(ptr|off|start)\w*|\w*indptr\w*|\w*rowptr\w*|\w*offsets?)$")
_OF_ENTRIES = re.compile(r"\w*(col|val|ind|idx|data|a)\w*$")
_INDICES = re.compile(r"\w*(idx|index|indices|ind|cols?|perm|map|neighbou?rs?|edges|labels?)$")
_OUTPUT = re.compile(r"\w*(out|output|dst|dest|result|res|sum|odata)\w*$|[cyz]$|d_?[cyz]$")
_POSITIVE = {"sqrtf", "sqrt", "logf", "log", "rsqrtf", "rsqrt", "__logf", "log2f", "powf", "pow", "log10f"}
# Whole numbers and real ones that are no size, by name; the first that fits counts.
_BINS = re.compile(r"\w*(bins?|buckets?)$")
_WINDOW = re.compile(r"k(ernel)?_?(size|width|w|h)$|\w*(filter|window|mask|kernel)_?(size|width|height|w|h)$")
_PITCH = re.compile(r"\w*(stride|pitch)$|ld\w?$")
_WHOLE = (
    (_BINS.pattern, "64"),
    (_WINDOW.pattern, "3"),
    (r"\w*(iter|iters|iterations|steps|reps|times)\w*$", "10"),
    (r"\w*(radius|half|halo|border|pad|padding)$", "2"),
    (r"\w*(offset|start|begin|base|first|shift_left|rank|device|lo|low)$", "0"),
    (r"\w*(stride|step|shift|seed|flag|mode|axis)$", "1"),
    (r"\w*(channels?|ch)$", "3"),
    (r"\w*(batch|batches|heads?)\w*$", "2"),
    (r".*", "4"),
)
_REAL = (
    (r"\w*(eps|epsilon|tol|tolerance)\w*$", "1e-5"),
    (r"(dt|\w*_dt|h|dx|dy|dz|lr|learning_rate)$", "0.01"),
    (r"beta|p|prob|probability|\w*rate|ratio", "0.5"),
    (r".*", "2.0"),
)
_BLOCK_1D, _GRID_1D, _LENGTH_1D = 256, 4, 1000
_BLOCK_2D, _GRID_2D = 16, 4
_ENTRIES_A_ROW = 4


@dataclass(frozen=True)
class Start:
    """A launch to begin with. `label` says where it is from. `instance` names the kernel with its template
    arguments; `line` is that of a launch in the host code."""

    label: str
    instance: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    inputs: tuple[Input, ...]
    cooperative: bool = False
    line: int | None = None


def starts(pasted: Pasted, kernel: PastedKernel) -> tuple[Start, ...]:
    """The launches of the host code as starting points, or one made up where there are none."""
    made = [_from_host(pasted, kernel, launch) for launch in pasted.launches_of(kernel)]
    return tuple(made) or (_made_up(pasted, kernel),)


def suggest(
    pasted: Pasted,
    kernel: PastedKernel,
    grid: Sequence[int],
    block: Sequence[int],
    template: Sequence[str] = (),
    launch: Launch | None = None,
) -> tuple[Input, ...]:
    """An input for each parameter of a kernel that is launched so."""
    return _Suggestion(pasted, kernel, tuple(grid), tuple(block), tuple(template), launch).inputs()


def variables(pasted: Pasted) -> tuple[Input, ...]:
    """An input for each variable of the source that a program would fill from the host; others are left as
    the source has them."""
    return tuple(each for variable in pasted.variables if (each := _variable(pasted, variable)))


def retyped(
    pasted: Pasted, kernel: PastedKernel, template: Sequence[str], texts: Sequence[str]
) -> tuple[Input, ...]:
    """Inputs with a learner's own texts, for template arguments that may have changed."""
    given = _given(kernel, template)
    bare = [each for parameter in kernel.parameters for each in _inputs(pasted, parameter, given)]
    if len(bare) != len(texts):
        raise InputError("kernel", "its parameters have changed; choose it again")
    return tuple(replace(each, text=text) for each, text in zip(bare, texts, strict=True))


def _variable(pasted: Pasted, variable: Variable) -> Input | None:
    element = pasted.types.element(variable.base)
    if element is None:
        return None
    how = "random" if variable.space == "__constant__" else "zeros"
    count = 1 if variable.count is None else variable.count
    return Input(variable.name, f"{variable.space} {variable.base}", element, True, f"{how} {count}", 1)


def instance(kernel: PastedKernel, template: Sequence[str]) -> str:
    """scale<float, 4>."""
    return f"{kernel.name}<{', '.join(template)}>" if template else kernel.name


def _from_host(pasted: Pasted, kernel: PastedKernel, launch: Launch) -> Start:
    usual = _made_up_geometry(pasted, kernel)
    told = ", ".join(launch.told)
    label = f"line {launch.line}: <<<{told}>>>"
    if None in (launch.grid, launch.block, launch.shared_bytes):
        label += " (sizes made up, which only a run knows)"
        launch = _assuming(pasted, kernel, launch, usual[3])
    template = _template(pasted, kernel, launch, usual[3])
    grid = launch.grid or (1,) * len(usual[0])
    block = launch.block or usual[1]
    shared = usual[2] if launch.shared_bytes is None else launch.shared_bytes
    inputs = suggest(pasted, kernel, grid, block, template, launch)
    cooperative = launch.cooperative or _whole_grid(kernel)
    return Start(label, instance(kernel, template), grid, block, shared, inputs, cooperative, launch.line)


def _assuming(pasted: Pasted, kernel: PastedKernel, launch: Launch, usual: Sequence[str]) -> Launch:
    """The launch with sizes that only a run knows assumed, so that its grid fits the arrays made up here."""
    grid, block, _, _ = _made_up_geometry(pasted, kernel)
    inputs = suggest(
        pasted,
        kernel,
        launch.grid or grid,
        launch.block or block,
        _template(pasted, kernel, launch, usual),
        launch,
    )
    assumed = {
        name: int(each.text)
        for name, each in zip(launch.names, inputs, strict=False)
        if name and not any(other.group for other in inputs) and re.fullmatch(r"\d+", each.text)
    }
    again = pasted.types.host.launches(assumed)
    return next((each for each in again if (each.line, each.kernel) == (launch.line, launch.kernel)), launch)


def _made_up(pasted: Pasted, kernel: PastedKernel) -> Start:
    grid, block, shared, template = _made_up_geometry(pasted, kernel)
    inputs = suggest(pasted, kernel, grid, block, template)
    return Start(
        "made up from the signature",
        instance(kernel, template),
        grid,
        block,
        shared,
        inputs,
        _whole_grid(kernel),
    )


def _whole_grid(kernel: PastedKernel) -> bool:
    """Whether the kernel waits for all blocks of its grid."""
    return any(token.text in ("this_grid", "grid_group") for token in kernel.used)


def _made_up_geometry(
    pasted: Pasted, kernel: PastedKernel
) -> tuple[tuple[int, ...], tuple[int, ...], int, tuple[str, ...]]:
    """(grid, block, shared bytes, template arguments) for a kernel that no host code launches."""
    axes = dimensions(kernel.used)
    template = _template(pasted, kernel, None, ())
    values = {
        each.name: int(argument)
        for each, argument in zip(kernel.template, template, strict=False)
        if argument.isdigit()
    } | _local_constants(pasted, kernel)
    block: tuple[int, ...] = (_BLOCK_1D,) if axes == 1 else (_BLOCK_2D, _BLOCK_2D)
    shared = 0
    for dynamic, piece in shared_arrays(kernel.used):
        extents = _extents(pasted, piece, values)
        if dynamic:
            declared = [token.text for token in without_extents(piece)]
            element = pasted.types.element(" ".join(declared[:-1]), _given(kernel, template))
            shared = math.prod(block) * (element.size if element else 4)
        elif extents and axes == 1 and 32 <= extents[0] <= 1024:
            block = (extents[0],)
        elif extents and axes > 1 and len(extents) > 1 and 4 <= extents[0] <= 32:
            wide = extents[1] if abs(extents[1] - extents[0]) > 2 else extents[0]
            block = (min(wide, 1024 // extents[0]), extents[0])
    if axes == 3:
        block = (8, 8, 4)
    grid = (_GRID_1D,) if axes == 1 else (_GRID_2D,) * axes
    return grid, block, shared, template


def _local_constants(pasted: Pasted, kernel: PastedKernel) -> dict[str, int]:
    """`const int TILE = 32;` in a kernel's body."""
    found: dict[str, int] = {}
    run = kernel.used
    for index, token in enumerate(run):
        if token.text != "=" or not any(
            each.text in ("const", "constexpr") for each in run[max(index - 4, 0) : index]
        ):
            continue
        end = next((at for at in range(index, len(run)) if run[at].text in (";", ",")), len(run))
        try:
            found[run[index - 1].text] = int(_constant(pasted, list(run[index + 1 : end]), found))
        except (Unknown, TypeError):
            continue
    return found


def _extents(pasted: Pasted, piece: Sequence[object], values: Mapping[str, int]) -> list[int]:
    """The extents of a shared array, with template arguments put in; none where one is not known."""
    made, inside = [], []
    depth = 0
    for token in piece:
        text = token.text  # type: ignore[attr-defined]
        if text == "[":
            depth, inside = depth + 1, []
        elif text == "]":
            depth -= 1
            try:
                made.append(int(_constant(pasted, inside, values)))
            except (Unknown, TypeError):
                return []
        elif depth:
            inside.append(token)
    return made


def _constant(pasted: Pasted, run: list, values: Mapping[str, int]) -> int:
    def name(word: str) -> int:
        if word in values:
            return values[word]
        return pasted.types.host.value(tokens(word))  # type: ignore[return-value]

    return evaluate(run, name)  # type: ignore[return-value]


def _template(
    pasted: Pasted, kernel: PastedKernel, launch: Launch | None, usual: Sequence[str]
) -> tuple[str, ...]:
    """The template arguments: those of the launch, those that its buffers tell, defaults, or usual ones."""
    if not kernel.template:
        return ()
    made = [
        "float" if each.kind == "type" and not pasted.types.known(argument) else argument
        for each, argument in zip(kernel.template, launch.template or () if launch else (), strict=False)
    ]
    for number, each in enumerate(kernel.template):
        if number < len(made):
            continue
        if launch is not None and each.kind == "type" and (told := _deduced(kernel, launch, each.name)):
            made.append(told)
        elif each.default:
            made.append(each.default)
        elif number < len(usual):
            made.append(usual[number])
        elif each.kind == "type":
            made.append("float")
        else:
            made.append(_usual_value(kernel, each.name))
    return tuple(made)


def _usual_value(kernel: PastedKernel, name: str) -> str:
    lower = name.lower()
    if re.search(r"block|threads|bs$|^b$", lower):
        return str(_BLOCK_1D if dimensions(kernel.used) == 1 else _BLOCK_2D)
    if re.search(r"tile|dim|^ts$|^t$", lower):
        return str(_BLOCK_2D)
    return "4"


def _deduced(kernel: PastedKernel, launch: Launch, name: str) -> str | None:
    """What a template parameter is, from the type of the variable that is passed for it."""
    for parameter, buffer in zip(kernel.parameters, launch.buffers, strict=False):
        if parameter.base == name and parameter.pointers and buffer.type:
            return buffer.type
    return None


def _given(kernel: PastedKernel, template: Sequence[str]) -> dict[str, str]:
    return {each.name: argument for each, argument in zip(kernel.template, template, strict=False)}


def _inputs(pasted: Pasted, parameter: Parameter, given: dict[str, str]) -> list[Input]:
    """The inputs of a parameter, without texts: one, or one for each member of a structure."""
    base = "unsigned long long" if parameter.pointers > 1 and not parameter.base else parameter.base
    element = pasted.types.element(base, given)
    if parameter.pointers == 0 and element is not None and element.plain:
        return [_member(parameter, field) for field in element.fields]
    pointer = parameter.pointers > 0
    stands = given.get(parameter.base)
    told = f"{parameter.type} ({parameter.base} = {stands})" if stands else parameter.type
    return [Input(parameter.name, told, element, pointer, "", parameter.pointers)]


def _member(parameter: Parameter, field: Field) -> Input:
    pointer = field.element.name.endswith("*")
    element = field.target if pointer else field.element
    told = f"{field.target.name if field.target else 'void'}*" if pointer else field.element.name
    return Input(f"{parameter.name}.{field.name}", told, element, pointer, "", int(pointer), parameter.name)


class _Suggestion:
    def __init__(
        self,
        pasted: Pasted,
        kernel: PastedKernel,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        template: tuple[str, ...],
        launch: Launch | None,
    ) -> None:
        self.kernel, self.launch = kernel, launch
        self.threads = math.prod(grid) * math.prod(block)
        self.axes = dimensions(kernel.used)
        self.block_axes = [g * b for g, b in zip(_three(grid), _three(block), strict=True)]
        given = _given(kernel, template)
        self.bare: list[Input] = []
        self.numbers: list[int] = []  # of the parameter that each is, or is a member of
        for number, parameter in enumerate(kernel.parameters):
            found = _inputs(pasted, parameter, given)
            self.bare += found
            self.numbers += [number] * len(found)
        self.uses = uses(kernel.used, [each.name for each in self.bare if each.pointer])
        self.positive = bool(_POSITIVE & pasted.calls)
        self.scalars = self._scalars()
        factors = self._factors()
        self.sizes = [
            name
            for name in self.scalars
            if self._kind(name) != "other" or (name in factors and not _WINDOW.match(name.lower()))
        ]
        self.grid = grid

    def inputs(self) -> tuple[Input, ...]:
        made = []
        for number, each in enumerate(self.bare):
            if not each.pointer:
                text = self.texts[each.name]
            elif each.element is None:
                text = "none"
            elif each.pointers > 1:
                text = f"4 rows of random {self._count(each, Buffer())}"
            else:
                text = self._buffer(self.numbers[number], each)
            made.append(replace(each, text=text))
        return tuple(made)

    # Values

    def _scalars(self) -> dict[str, int]:
        """The whole numbers among the parameters; the texts of all values go to `texts`."""
        self.texts: dict[str, str] = {}
        found = {}
        names = [_last(each.name) for each in self.bare if not each.pointer]
        for number, each in enumerate(self.bare):
            if each.pointer:
                continue
            place = self.numbers[number]
            known = None
            if self.launch and place < len(self.launch.values) and not each.group:
                known = self.launch.values[place]
            if isinstance(known, (int, float)):
                text = f"{known:g}" if isinstance(known, float) else str(known)
            else:
                text = self._value(each, names)
            self.texts[each.name] = text
            whole = each.element is not None and each.element.base.kind in "iu" and each.element.lanes == 1
            if whole and re.fullmatch(r"\d+", text):
                found[_last(each.name)] = int(text)
        return found

    def _value(self, each: Input, names: Sequence[str]) -> str:
        element = each.element
        if element is None or (element.base.kind == "V" and not element.fields):
            return "zeros"
        if element.fields or element.lanes > 1:
            return "random"
        if element.base.kind == "b":
            return "1"
        name = _last(each.name).lower()
        if element.base.kind == "f" or element.bfloat16:
            return next(text for pattern, text in _REAL if re.fullmatch(pattern, name))
        kind = self._kind(name)
        if self.axes > 1 and _PITCH.match(name):
            return str(self.block_axes[0])
        if kind == "other":
            return next(text for pattern, text in _WHOLE if re.fullmatch(pattern, name))
        if self.axes > 1:
            extent = {"columns": 0, "length": 0, "rows": 1}.get(kind)
            return str(self.block_axes[extent] if extent is not None else self.block_axes[0])
        if kind == "rows" and any(self._kind(other) == "columns" for other in names):
            return "32"
        if kind in ("columns", "depth") and any(self._kind(other) in ("rows", "length") for other in names):
            return "100" if kind == "columns" else "32"
        return str(_LENGTH_1D if self._guarded() and self.threads > _LENGTH_1D else self.threads)

    def _kind(self, name: str) -> str:
        lower = name.lower()
        if _BINS.match(lower) or _WINDOW.match(lower):
            return "other"
        for pattern, kind in (
            (_ROWS, "rows"),
            (_COLUMNS, "columns"),
            (_DEPTH, "depth"),
            (_LENGTH, "length"),
        ):
            if pattern.match(lower):
                return kind
        return "other"

    def _factors(self) -> set[str]:
        """The names that something is multiplied by: a row's length in `row * length + i`."""
        texts = [token.text for token in self.kernel.used]
        before = {name for name, star in pairwise(texts) if star == "*"}
        return before | {name for star, name in pairwise(texts) if star == "*"}

    def _of_a_block(self, size: str) -> bool:
        """Whether each block has a row of that length: blockIdx.x * size."""
        text = "".join(token.text for token in self.kernel.used)
        return f"blockIdx.x*{size}" in text or f"{size}*blockIdx.x" in text

    def _guarded(self) -> bool:
        return any(token.text in ("if", "for", "while", "?") for token in self.kernel.used)

    # Buffers

    def _buffer(self, number: int, each: Input) -> str:
        buffer = Buffer() if each.group else self._host_buffer(number)
        use = self.uses[each.name]
        constant = self.kernel.parameters[number].constant and not each.group
        how = self._how(_last(each.name), constant, use, buffer)
        count = self._count(each, buffer)
        element = each.element
        assert element is not None
        if how != "random" or element.fields:
            return f"{how} {count}"
        if element.base.kind in "iu" and not element.bfloat16:
            return self._whole_numbers(each, use, count, buffer)
        real = element.base.kind == "f" or element.bfloat16
        return f"random {count} from 0 to 1" if real and self.positive else f"random {count}"

    def _host_buffer(self, number: int) -> Buffer:
        """What the host code says of the buffer for a parameter."""
        known = self.launch.buffers if self.launch else ()
        return known[number] if number < len(known) else Buffer()

    def _how(self, name: str, constant: bool, use: Use, buffer: Buffer) -> str:
        if constant or buffer.fill == "copied":
            return "random"
        if buffer.fill == 0 or use.atomic or (use.added and not use.read):
            return "zeros"
        if use.read:
            return "random"
        if use.written:
            return "unwritten"
        return "zeros" if _OUTPUT.match(name.lower()) else "random"

    def _whole_numbers(self, each: Input, use: Use, count: str, buffer: Buffer) -> str:
        if _ROW_POINTERS.match(_last(each.name).lower()) and self._sparse():
            rows, entries = self._known(count), self._entries()
            by = max((entries or _ENTRIES_A_ROW * (rows or 2)) // max((rows or 2) - 1, 1), 1)
            return f"counting {count} by {by}"
        targets = [self._target(name) for name in use.indexes]
        element = each.element
        assert element is not None
        if targets and (self._known(targets[0]) or 0) <= np.iinfo(element.base).max + 1:
            return f"random {count} from 0 to {min(targets, key=len)} - 1"
        if _INDICES.match(_last(each.name).lower()):
            lengths = [length for other in self.bare if other.pointer and (length := self._length(other))]
            if lengths:
                return f"random {count} from 0 to {min(min(lengths) - 1, np.iinfo(element.base).max)}"
        if element.name == "char":
            return f"random {count} from 97 to 122"
        return f"random {count}"

    def _target(self, name: str) -> str:
        place = next((n for n, each in enumerate(self.bare) if each.name == name), None)
        if place is None:
            return "64"
        return self._count(self.bare[place], self._host_buffer(self.numbers[place]))

    def _length(self, each: Input) -> int | None:
        size = self._host_buffer(self.numbers[self.bare.index(each)]).bytes
        if size is not None and each.element is not None and not each.group:
            return size // each.element.size
        return self._known(self._count(each, Buffer()))

    def _sparse(self) -> bool:
        names = [_last(each.name).lower() for each in self.bare if each.pointer]
        return len(names) > 2 and any(_ROW_POINTERS.match(name) for name in names)

    def _entries(self) -> int | None:
        """The entries of a sparse matrix, from the buffer of its columns."""
        for each in self.bare:
            if each.pointer and _INDICES.match(_last(each.name).lower()):
                return self._length(each)
        return None

    def _count(self, each: Input, buffer: Buffer) -> str:
        """The length of a buffer in elements, in terms of the kernel's sizes where it is one of them."""
        guessed = self._guess(each)
        if buffer.bytes is not None and each.element is not None and buffer.bytes >= each.element.size:
            count = buffer.bytes // each.element.size
            return guessed if self._known(guessed) == count else self._symbolic(count)
        return guessed

    def _guess(self, each: Input) -> str:
        name = _last(each.name).lower()
        rows = [size for size in self.sizes if self._kind(size) == "rows"]
        lengths = [size for size in self.sizes if self._kind(size) in ("length", "rows")]
        if self._sparse() and lengths:
            if _ROW_POINTERS.match(name):
                return f"{(rows or lengths)[0]} + 1"
            if _OF_ENTRIES.match(name):
                return f"{_ENTRIES_A_ROW} * {(rows or lengths)[0]}"
        matrix = {size.lower(): size for size in self.sizes}
        if {"m", "n", "k"} <= matrix.keys():
            m, n, k = matrix["m"], matrix["n"], matrix["k"]
            if re.fullmatch(r"(d_?)?a|lhs", name):
                return f"{m} * {k}"
            if re.fullmatch(r"(d_?)?b|rhs|w|weights?", name):
                return f"{k} * {n}"
            if re.fullmatch(r"(d_?)?[cd]|out(put)?", name):
                return f"{m} * {n}"
        bins = [each for each in self.scalars if _BINS.match(each.lower())]
        if bins and re.search(r"hist|bin|bucket|count", name):
            return bins[0]
        sizes = [size for size in self.sizes if size not in bins]
        if not sizes:
            return str(self.threads)
        if len(sizes) == 1:
            if self.axes == 1 and self._of_a_block(sizes[0]) and self.grid[0] > 1:
                return f"{self.grid[0]} * {sizes[0]}"
            return f"{sizes[0]} * {sizes[0]}" if self.block_axes[1] > 1 else sizes[0]
        if math.prod(self.scalars[size] for size in sizes) > 1 << 24:
            return max(sizes, key=lambda size: self.scalars[size])
        return " * ".join(sizes[:4])

    def _known(self, text: str) -> int | None:
        def value(name: str) -> int:
            if name not in self.scalars:
                raise Unknown(name)
            return self.scalars[name]

        try:
            return int(evaluate(tokens(text), value))  # type: ignore[arg-type]
        except (Unknown, TypeError):
            return None

    def _symbolic(self, count: int) -> str:
        """A length as a parameter, or a product of two, where it equals that and is no small number."""
        names = [name for name in self.scalars if self.scalars[name] > 1]
        for name in names:
            if self.scalars[name] == count:
                return name
        for i, first in enumerate(names):
            for second in names[i:]:
                if self.scalars[first] * self.scalars[second] == count:
                    return f"{first} * {second}"
        for name in names:
            if count > 8 and count - self.scalars[name] == 1:
                return f"{name} + 1"
            if count > 8 and count % self.scalars[name] == 0 and count // self.scalars[name] <= 8:
                return f"{count // self.scalars[name]} * {name}"
        return str(count)


def _last(name: str) -> str:
    """The member's own name in p.x."""
    return name.rsplit(".", 1)[-1]


def _three(extents: tuple[int, ...]) -> tuple[int, int, int]:
    return (*extents, 1, 1, 1)[:3]  # type: ignore[return-value]


def extents(text: str, what: str) -> tuple[int, ...]:
    """ "16, 16" or "(16, 16)" or "16 x 16" -> (16, 16). Raises InputError."""
    pieces = re.split(r"\s*[,x\u00d7]\s*", text.strip().strip("()").strip().rstrip(","))
    made = []
    for piece in pieces:
        try:
            made.append(int(evaluate(tokens(piece))))  # type: ignore[arg-type]
        except (Unknown, TypeError, ValueError):
            raise InputError(
                what, f"{text.strip()!r} is not one to three whole numbers, such as 16, 16"
            ) from None
    if not 1 <= len(made) <= 3:
        raise InputError(what, f"{text.strip()!r} is not one to three whole numbers, such as 16, 16")
    return tuple(made)
