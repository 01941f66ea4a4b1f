"""A lab for any kernel: paste CUDA C++, say how to launch it, and see what it does."""

from __future__ import annotations

import asyncio
import html
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import ipywidgets as widgets

from .. import playground, simulator
from ..bounded import Bounded
from ..compiler import Cancelled
from ..figures import Figure, Sample, counters_table, findings_view, source_view
from ..figures.sample import COUNTED
from ..figures.style import scoped
from ..playground import Input, InputError, Launch, Outcome, Pasted, PastedKernel, PasteError, suggestions
from . import told
from .engine import Unwanted
from .explain import Explanation, explain
from .frame import Frame
from .latest import Latest
from .playground_look import STYLE
from .values import values_table

_MEASURES = (
    "sectors",
    "sectors_per_request",
    "store_sectors",
    "wavefronts",
    "conflicts",
    "registers",
    "occupancy",
)
_PLACE = re.compile(rf"{re.escape(playground.NAME)}:(\d+)")
_TITLES = ("Values", "Counters", "Where the lines spend it")


@dataclass(frozen=True)
class _Wanted:
    """What is to be compiled and run."""

    source: str
    launch: Launch | None


@dataclass(frozen=True)
class _Lines:
    """Lines `first` to `last` of a source."""

    first: int
    last: int


@dataclass(frozen=True)
class _Listed:
    """A pasted source as the figures and explanations of the course's kernels want one."""

    source: str
    entry_points: tuple[_Lines, ...] = ()
    name: str = "pasted"
    path: Path = Path(playground.NAME)


@dataclass(frozen=True)
class _Page:
    outcome: Outcome
    figures: tuple[Figure, ...]
    found: Figure | None  # what the checks found


class Playground:
    """A text area for CUDA C++ and fields for a launch, with views of each run.

    source: what the text area holds at first. file: a file under my/, kernels/ or examples/ instead, such as
    "kernels/tiling/tiled.cu". Of a whole program the host code is set aside; its launches are the starting
    points. Every field is text: `course_utils.playground.inputs` says what may stand there.

    A change of any field compiles and runs in the background, and only the newest change counts; `wait` waits
    for it. Where no event loop runs (a script, a test) the same happens at once. What is wrong is shown in
    the lab, never raised: see `error`.
    """

    def __init__(self, source: str = "", *, file: str = "") -> None:
        self.error: Explanation | None = None
        """What is wrong with what is shown; None where nothing is."""
        self._pasted: Pasted | None = None
        self._page: _Page | None = None
        self._offered: object = None  # what the fields were made from
        self._starts: tuple[playground.Start, ...] = ()
        self._asked: _Wanted | None = None
        self._quiet = False
        self._lock, self._running = threading.Lock(), threading.Lock()
        self._programs: Bounded[simulator.Program] = Bounded(8)
        self._background: Latest[_Wanted] = Latest(self._show)
        self._build()
        self._quiet = True
        if file:
            self.file.value = file
            self._load()
        else:
            self.source.value = source
        self._quiet = False
        self._read()

    # From Python

    @property
    def outcome(self) -> Outcome:
        """The run that is shown. Raises RuntimeError where there is none."""
        self._complete()
        if self.error is not None or self._page is None:
            raise RuntimeError(self.error.text if self.error else "the playground has run nothing yet")
        return self._page.outcome

    @property
    def widget(self) -> widgets.VBox:
        """The playground as one widget; what it holds is run if it was not yet."""
        self._complete()
        return self._frame.box

    def paste(self, source: str) -> None:
        """Put a source into the text area, run its first kernel, and show that."""
        self.set(source=source)

    def set(self, **texts: object) -> None:
        """Set fields, run, and show: `set(grid="4", block="256", n=1000, x="random n")`.

        The fields are source, file, kernel, launch, instance, grid, block, shared, and the kernel's
        parameters. Raises ValueError for a field that is not there.
        """
        self._quiet = True
        try:
            for name, text in texts.items():
                self._set(name, text)
        finally:
            self._quiet = False
        self.run()

    def run(self) -> None:
        """Run what the fields say, and show it."""
        wanted = self._wanted()
        self._asked = wanted
        self._show(wanted, self._background.drop())

    def wait(self, seconds: float | None = None) -> bool:
        """Until the last change is shown; False if that takes longer than `seconds`."""
        return self._background.wait(seconds)

    def report(self) -> str:
        """What is shown, as text: the launch, its arguments, each table and each sentence."""
        self._complete()
        if self.error is not None:
            return self.error.text
        if self._page is None:
            return "Nothing has run yet."
        parts = [told.launched(self._page.outcome), "\n".join(self._arguments())]
        if (found := self._page.found) is not None:
            parts.append(f"{found.sentence}\n\n{found.text}")
        for title, figure in zip(_TITLES, self._page.figures, strict=True):
            table = f"\n\n{figure.text}" if figure.text and not figure.listing else ""
            parts.append(f"{title}: {figure.sentence}{table}")
        if printed := self._page.outcome.run.output:
            parts.append(f"Printed:\n{told.cut(printed)}")
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        name = self._pasted.kernels[0].name if self._pasted else "no kernel yet"
        return f"<Playground {self.instance.value or name}>"

    def _repr_mimebundle_(self, **options: object) -> dict[str, object]:
        bundle = self.widget._repr_mimebundle_(**options) or {}
        return {**bundle, "text/plain": repr(self)}

    # Widgets

    def _build(self) -> None:
        self.file = widgets.Combobox(
            description="File",
            options=playground.files(),
            placeholder="my/file.cu, or paste below",
            continuous_update=False,
        )
        self.source = widgets.Textarea(
            description="Source", rows=18, continuous_update=False, placeholder=_PLACEHOLDER
        )
        self.kernel = widgets.Dropdown(description="Kernel")
        self.launch = widgets.Dropdown(description="Launch")
        self.instance, self.grid, self.block, self.shared = (
            widgets.Text(description=label, continuous_update=False)
            for label in ("Instance", "Grid", "Block", "Shared bytes")
        )
        self.run_button = widgets.Button(description="Run", tooltip="Compile and run the kernel", icon="play")
        self._pool: list[widgets.VBox] = []
        self._parameters = 0  # how many of the fields are of parameters, or of members of one
        self.inputs: dict[str, widgets.Text] = {}
        """The fields of the chosen kernel's parameters, and of the source's variables, by name."""
        self._frame = Frame("running")
        self._told, self._found, self._printed = (widgets.HTML() for _ in range(3))
        self._panels = [widgets.HTML().add_class("lk-panel").add_class("lk-wide") for _ in _TITLES]
        for name in ("file", "source", "kernel", "launch", "instance", "grid", "block", "shared"):
            getattr(self, name).add_class(f"lk-field-{name}")
        self.run_button.add_class("lk-run")
        self._fields = widgets.Box([]).add_class("lk-fields")
        geometry = widgets.Box([self.instance, self.grid, self.block, self.shared]).add_class("lk-fields")
        chosen = widgets.Box([self.kernel, self.launch]).add_class("lk-fields")
        buttons = widgets.Box([self.run_button, self._frame.busy, self._frame.switch.button]).add_class(
            "lk-controls"
        )
        self._body = widgets.Box(self._panels).add_class("lk-views")
        for part in (self._found, self._printed, self.instance):
            part.layout.display = "none"
        self._frame.fill(
            self.file, self.source, self._told, chosen, geometry, self._fields, buttons,
            self._frame.status, self._frame.failure, self._found, self._printed, self._body,
            style=STYLE,
        )  # fmt: skip
        self._frame.box.add_class("lk-playground")
        self.file.observe(self._file_named, "value")
        self.source.observe(self._source_changed, "value")
        self.kernel.observe(self._kernel_chosen, "value")
        self.launch.observe(self._launch_chosen, "value")
        for field in (self.instance, self.grid, self.block, self.shared):
            field.observe(self._field_changed, "value")
        self.run_button.on_click(lambda _: self._ask(again=True))

    def _set(self, name: str, text: object) -> None:
        if name in ("source", "instance", "grid", "block", "shared", "file"):
            shown = ", ".join(map(str, text)) if isinstance(text, (tuple, list)) else str(text)
            getattr(self, name).value = shown
            if name == "file":
                self._load()
            if name in ("source", "file"):
                self._read()
        elif name in ("kernel", "launch"):
            choices = getattr(self, name)
            offered = [label for label, _ in choices.options]
            if text not in [value for _, value in choices.options]:
                raise ValueError(f"{name} cannot be {text!r}: there is {', '.join(offered) or 'none'}")
            choices.value = text
            self._offer() if name == "kernel" else self._fill()
        elif name in self.inputs:
            self.inputs[name].value = str(text)
        else:
            raise ValueError(f"there is no field {name!r}; the kernel's are {', '.join(self.inputs)}")

    # What a learner does

    def _file_named(self, _change: object) -> None:
        if self._quiet:
            return
        with self._quietly():
            loaded = self._load()
            if loaded:
                self._read()
        if loaded:
            self._ask()

    def _source_changed(self, _change: object) -> None:
        if not self._quiet:
            with self._quietly():
                self._read()
            self._ask()

    def _kernel_chosen(self, _change: object) -> None:
        if not self._quiet:
            with self._quietly():
                self._offer()
            self._ask()

    def _launch_chosen(self, _change: object) -> None:
        if not self._quiet:
            with self._quietly():
                self._fill()
            self._ask()

    def _field_changed(self, _change: object) -> None:
        if not self._quiet:
            self._ask()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Fields change without a run."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    def _load(self) -> bool:
        """The named file into the text area; says so where there is no such file."""
        name = self.file.value.strip()
        if not name:
            return False
        try:
            self.source.value = playground.read_file(name)
        except ValueError as error:
            self._tell(Explanation("The file cannot be opened.", ((None, str(error)),), None))
            return False
        return True

    def _read(self) -> None:
        """Read the source and offer what is in it; the fields stay where it cannot be read."""
        try:
            self._pasted = playground.read(self.source.value)
        except PasteError:
            self._pasted = None
            return
        names = [(kernel.name, kernel.name) for kernel in self._pasted.kernels]
        chosen = self.kernel.value
        with self._quietly():
            self.kernel.options = names
            self.kernel.value = chosen if (chosen, chosen) in names else names[0][1]
        self._told.value = scoped(f'<p class="lk-told">{html.escape(told.found(self._pasted))}</p>')
        self._offer()

    def _offer(self) -> None:
        """Starting points of the chosen kernel; what a learner has typed stays where it still fits."""
        if self._pasted is None or self.kernel.value is None:
            return
        kernel = self._pasted.kernel(self.kernel.value)
        self._starts = playground.starts(self._pasted, kernel)
        variables = suggestions.variables(self._pasted)
        offered = (kernel.name, kernel.parameters, kernel.template, self._starts, variables)
        if offered == self._offered:
            return
        self._offered = offered
        with self._quietly():
            self.launch.options = [(start.label, number) for number, start in enumerate(self._starts)]
            self.launch.value = 0
            self._fill()

    def _fill(self) -> None:
        """The fields say what the chosen starting point says."""
        if self._pasted is None or self.launch.value is None:
            return
        kernel = self._pasted.kernel(self.kernel.value)
        start = self._starts[self.launch.value]
        variables = suggestions.variables(self._pasted)
        said = Launch.of(kernel, start, variables)
        with self._quietly():
            self.instance.value, self.grid.value = said.instance, said.grid
            self.block.value, self.shared.value = said.block, said.shared_bytes
            self.instance.layout.display = None if kernel.template else "none"
            self._parameters = len(start.inputs)
            self._input_fields((*start.inputs, *variables))

    def _input_fields(self, inputs: Sequence[Input]) -> None:
        """A field for each input; those that there are serve again."""
        while len(self._pool) < len(inputs):
            field = widgets.Text(continuous_update=False)
            field.observe(self._field_changed, "value")
            self._pool.append(widgets.VBox([field, widgets.HTML()]))
        boxes = self._pool[: len(inputs)]
        self.inputs = {}
        for box, each in zip(boxes, inputs, strict=True):
            field, metric = box.children
            field.description, field.value, field.placeholder = each.name, each.text, each.told
            metric.value = scoped(f'<span class="lk-metric">{html.escape(each.told)}</span>')
            box._dom_classes = ("lk-input", f"lk-input-{each.name.replace('.', '-')}")
            self.inputs[each.name] = field
        if self._fields.children != tuple(boxes):
            self._fields.children = boxes

    # Running

    def _wanted(self) -> _Wanted:
        if self._pasted is None:
            return _Wanted(self.source.value, None)
        kernel = self._pasted.kernel(self.kernel.value)
        texts = [field.value for field in self.inputs.values()]
        count = self._parameters
        launch = Launch(
            kernel.name,
            self.instance.value,
            self.grid.value,
            self.block.value,
            self.shared.value,
            tuple(texts[:count]),
            tuple(texts[count:]),
        )
        return _Wanted(self.source.value, launch)

    def _ask(self, again: bool = False) -> None:
        wanted = self._wanted()
        if wanted == self._asked and (not again or not self._background.wait(0)):
            return
        self._asked = wanted
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._show(wanted, self._background.drop())
        else:
            self._background.ask(wanted)

    def _complete(self) -> None:
        self.wait()
        if self._page is None and self.error is None and self.source.value.strip():
            self.run()

    def _show(self, wanted: _Wanted, cancelled: Callable[[], bool]) -> None:
        page, error = None, None
        listed = _Listed(wanted.source.replace("\r\n", "\n"))
        with self._frame.working(cancelled):
            try:
                page = self._made(wanted, cancelled)
            except (Unwanted, Cancelled):
                return
            except PasteError as problem:
                error = Explanation("This cannot be run yet.", ((problem.line, str(problem)),), listed)  # type: ignore[arg-type]
            except InputError as problem:
                error = Explanation("One of the fields cannot be used.", ((None, str(problem)),), None)
            except Exception as problem:
                error = _placed(explain(problem, listed))  # type: ignore[arg-type]
        with self._lock:
            if cancelled():
                return
            if page is not None:
                self._page = page
                self._draw(page)
            self._tell(error)

    def _made(self, wanted: _Wanted, cancelled: Callable[[], bool]) -> _Page:
        pasted = playground.read(wanted.source)
        program = self._programs.get(pasted.code, lambda: pasted.compile(cancelled))
        if cancelled():
            raise Unwanted
        launch = wanted.launch
        if launch is None:
            kernel = pasted.kernels[0]
            launch = Launch.of(kernel, playground.starts(pasted, kernel)[0], suggestions.variables(pasted))
        with self._running:
            outcome = playground.run(pasted, program, launch, cancelled)
        if cancelled():
            raise Unwanted
        sample = Sample(outcome.kernel.plain, outcome.run, None, outcome.shared_bytes)
        figures = (
            values_table(outcome),
            counters_table(sample, measures=_MEASURES),
            source_view(_lines(pasted, outcome), outcome.run),  # type: ignore[arg-type]
        )
        found = findings_view(outcome.run.findings, wanted.source) if outcome.run.findings else None
        return _Page(replace(outcome, run=replace(outcome.run, trace=None)), figures, found)

    def _draw(self, page: _Page) -> None:
        run = page.outcome.run
        for panel, title, figure in zip(self._panels, _TITLES, page.figures, strict=True):
            sentence = f'<p class="lk-sentence">{html.escape(figure.sentence)}</p>'
            panel.value = scoped(f"<h4>{title}</h4>{sentence}{figure.html}")
        printed = ""
        if run.output:
            printed = f"<h4>Printed by the kernel</h4><pre>{html.escape(told.cut(run.output))}</pre>"
        if run.notes:
            notes = "".join(f"<li>{html.escape(note)}</li>" for note in run.notes)
            printed += f"<h4>Worth knowing</h4><ul>{notes}</ul>"
        self._show_found(page.found)
        self._printed.value = scoped(f'<div class="lk-printed">{printed}</div>') if printed else ""
        self._printed.layout.display = None if printed else "none"
        launched = html.escape(told.launched(page.outcome, label=False))
        self._frame.status.value = scoped(
            f'<div class="lk-status"><span class="lk-badge">{COUNTED}</span><span>{launched}</span></div>'
        )

    def _show_found(self, found: Figure | None) -> None:
        self._found.layout.display = None if found else "none"
        if found is None:
            self._found.value = ""
            return
        sentence = f'<p class="lk-sentence">{html.escape(found.sentence)}</p>'
        self._found.value = scoped(f"<h4>What the checks found</h4>{sentence}{found.html}")

    def _tell(self, error: Explanation | None) -> None:
        self.error = error
        self._frame.tell(error, self._body, self._frame.status, self._found, self._printed)

    def _arguments(self) -> list[str]:
        return [f"{name}: {field.value}" for name, field in self.inputs.items()]


def _lines(pasted: Pasted, outcome: Outcome) -> _Listed:
    """The lines from the first to the last that the run counts, those of the kernel at least."""
    size = pasted.source.count("\n") + 1
    counted = [line for line in outcome.run.by_line if 0 < line <= size]
    kernel: PastedKernel = outcome.kernel
    lines = _Lines(min(kernel.first, *counted, kernel.first), max(kernel.last, *counted, kernel.last))
    return _Listed(pasted.source, (lines,))


def _placed(explanation: Explanation) -> Explanation:
    """With the line that a sentence names, where the error itself has none: of an assert, of a barrier."""
    details = tuple(
        (int(found[1]) if line is None and (found := _PLACE.search(sentence)) else line, sentence)
        for line, sentence in explanation.details
    )
    return replace(explanation, details=details)


_PLACEHOLDER = "Paste a kernel or a whole .cu program here, then press Tab or click Run."
