"""A lab: controls over kernels, and views of what they do, updated in place."""

from __future__ import annotations

import asyncio
import html
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import ipywidgets as widgets

from ..bounded import Bounded
from ..compiler import Cancelled
from ..figures import Table, sweep_table
from ..figures.style import scoped
from ..kernels import Kernel
from ..problems import Maker
from .controls import KERNEL, Control, Value
from .engine import Engine, Result, State, Unwanted
from .explain import Explanation, explain
from .frame import Frame
from .latest import Latest
from .links import link
from .options import Steering
from .page import Page, Panel, bare, described
from .question import Asked, Question
from .sweeping import Sweep, SweepPanel
from .views import Steerable, View


class _Wish(NamedTuple):
    """What is to be shown: the state of the controls, and what the learner picked of each view's options."""

    state: State
    picks: tuple[Mapping[str, Value], ...]


class Lab:
    """Controls over one or more kernels, with views of each run. Display it as the last value of a cell.

    kernels: names such as "tiling/tiled", or Kernel objects. controls: what may be varied. views: what is
    shown, in order; a Sweep among them runs when its button is pressed. baseline: the kernel whose counters
    stand beside the chosen one's. problem: makes inputs and right results (default: by the kernels' topic).
    seed: of the inputs. state: where controls and options stand at first, as `set` takes them. predict: what
    the learner is asked before numbers and pictures are shown; until then the controls rest.

    A control moved in a notebook recompiles and runs in the background, and only the newest change counts;
    `wait` waits for it. Where no event loop runs (a script, a test) the same happens at once, and so it does
    in `set`. What is wrong with a kernel is shown in the lab, never raised: see `error`.
    """

    def __init__(
        self,
        kernels: Sequence[str | Kernel],
        controls: Sequence[Control],
        views: Sequence[View | Sweep],
        *,
        baseline: str | None = None,
        problem: Maker | None = None,
        seed: int = 0,
        state: Mapping[str, Value] | None = None,
        predict: Question | None = None,
    ) -> None:
        self._engine = Engine(kernels, baseline, problem, seed)
        found = self._engine.kernels()
        choices = [choice.completed(found) for choice in controls]
        self._engine.meanings = {choice.name: choice.settings for choice in choices}
        self._shown = tuple(views)
        self._views = tuple(view for view in views if not isinstance(view, Sweep))
        self._results: Bounded[Result] = Bounded(64)
        self._drawn: Bounded[Panel] = Bounded(64 * max(len(self._views), 1))
        self._page: Page | None = None
        self.error: Explanation | None = None
        """What is wrong with the state shown; None where nothing is."""
        self._lock = threading.Lock()
        self._quiet = False
        self._background: Latest[_Wish] = Latest(self._show)
        self.controls = {choice.name: choice.widget() for choice in choices}
        """The widgets by the name of what they vary; each one's `value` is the chosen one."""
        self._asked = (
            Asked(predict, self._engine.names, lambda: self.result, self._reveal) if predict else None
        )
        self._build()
        self._begin(state or {})
        self._reveal()
        for control in self.controls.values():
            control.observe(self._moved, names="value")

    @property
    def state(self) -> State:
        """What the controls say now."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def result(self) -> Result:
        """The run that is shown, without its trace. Raises RuntimeError where the kernel failed."""
        self._complete()
        if self.error is not None or self._page is None:
            raise RuntimeError(self.error.text if self.error else "the lab has shown nothing yet")
        return self._page.result

    @property
    def widget(self) -> widgets.VBox:
        """The lab as one widget, for a layout of one's own; computed if it was not yet."""
        self._complete()
        return self._frame.box

    def set(self, **values: Value) -> None:
        """Move controls and options, compute, and show: `lab.set(TILE=8, kernel="tiling/tiled", warp=1)`.

        An option is set in every view that has one of that name. Raises ValueError for a control, an option
        or a value that the lab does not have.
        """
        options = {name: value for name, value in values.items() if name not in self.controls}
        for name, value in values.items():
            if name not in options or not self._has_option(name):
                self._check(name, value)
        self._quiet = True
        try:
            for name in values.keys() - options.keys():
                self.controls[name].value = values[name]
        finally:
            self._quiet = False
        for steering in filter(None, self._steerings):
            steering.wanted.update({name: options[name] for name in steering.names & options.keys()})
        self._show(self._wish(), self._background.drop())
        for name, value in options.items():
            self._check_option(name, value)

    def link(self) -> str:
        """Controls and options as they stand, as a short text; `labs.at` reads it."""
        picked = [panel.picked or {} for panel in (self._page.panels if self._page else ())]
        options = {name: value for each in reversed(picked) for name, value in each.items()}
        return link({**self.state, **options})

    def expect(self, choice: float | str) -> None:
        """Answer the lab's question, as its button does. Raises ValueError where that is no choice, or where
        nothing is asked."""
        if self._asked is None:
            raise ValueError("this lab asks no question")
        self._complete()
        self._asked.choose(self._asked.label(choice))

    def wait(self, seconds: float | None = None) -> bool:
        """Until the last change is shown and no sweep runs; False if either takes longer than `seconds`."""
        return self._background.wait(seconds) and all(panel.wait(seconds) for panel in self.sweeps)

    def report(self) -> str:
        """What is shown, as text: the state, the verdict, each table, and each picture's sentence; or the
        question that is open."""
        self._complete()
        if self.error is not None:
            return self.error.text
        if self._asked is not None and self._asked.chosen is None:
            return f"{described(self.state)}\n{self._asked!r}\nThe numbers are shown once this is answered."
        swept = [panel.figure for panel in self.sweeps if panel.figure is not None]
        tables = [f"{figure.sentence}\n\n{figure.text}" for figure in swept]
        return "\n\n".join([self._page.text, *tables])  # type: ignore[union-attr]

    def sweep(
        self, control: str, measures: Sequence[str] = ("sectors", "bytes_per_operation"), **values: Value
    ) -> Table:
        """A row for each value of one control, the others as they are or as given.

        `measures` are keys of figures.MEASURES. Raises what the kernels raise, and ValueError for a control
        or a value that the lab does not have.
        """
        for name, value in values.items():
            self._check(name, value)
        if control not in self.controls:
            self._check(control, None)
        samples = {}
        for value in (option for _, option in self.controls[control].options):
            result = self._engine.result({**self.state, **values, control: value}, False, lambda: False)
            samples[value] = (result.sample, result.baseline)
        return sweep_table(control, samples, measures)

    def __repr__(self) -> str:
        return f"<Lab {described(self.state)}>"

    def _repr_mimebundle_(self, **options: object) -> dict[str, object]:
        bundle = self.widget._repr_mimebundle_(**options) or {}
        return {**bundle, "text/plain": repr(self)}

    # Options of views

    def _begin(self, state: Mapping[str, Value]) -> None:
        """Put the controls where the lab opens; what names none of them is an option of a view."""
        for name, value in state.items():
            if name in self.controls or not any(self._steerings):
                self._check(name, value)
                self.controls[name].value = value
        self._first = {name: value for name, value in state.items() if name not in self.controls}
        for steering in filter(None, self._steerings):
            steering.wanted.update(self._first)

    def _wish(self) -> _Wish:
        return _Wish(self.state, tuple(dict(each.wanted) if each else {} for each in self._steerings))

    def _offered(self, name: str) -> list[tuple[Sequence[Value], Value]]:
        """(values, what is picked) of the option in each view shown that has it."""
        panels = self._page.panels if self._page else ()
        return [
            (option.values, panel.picked[name])  # type: ignore[index]
            for panel in panels
            for option in panel.options
            if option.name == name
        ]

    def _has_option(self, name: str) -> bool:
        if any(self._steerings):
            self._complete()
        return bool(self._offered(name))

    def _check_option(self, name: str, value: Value) -> None:
        offered = self._offered(name)
        if self.error is None and all(picked != value for _, picked in offered):
            for steering in filter(None, self._steerings):
                steering.wanted.pop(name, None)
            values = offered[0][0] if offered else ()
            steps = isinstance(values, range)
            has = f"1 to {len(values)}" if steps else ", ".join(map(str, values)) or "no such choice"
            raise ValueError(f"{name} cannot be {value!r} for this run: it has {has}")

    # Showing

    def _build(self) -> None:
        self._frame = Frame("computing")
        self._steerings = [
            Steering(self._steered) if isinstance(view, Steerable) else None for view in self._views
        ]
        self._bodies = [widgets.HTML() for _ in self._views]
        drawn = iter(zip(self._steerings, self._bodies, strict=True))
        values = {name: [value for _, value in each.options] for name, each in self.controls.items()}
        self.sweeps: list[SweepPanel] = []
        """The panels of the views that are sweeps; each has run() and stop()."""
        frames = []
        for view in self._shown:
            if isinstance(view, Sweep):
                self.sweeps.append(SweepPanel(view, self._engine, lambda: self.state, values))
                frame = self.sweeps[-1].widget
            else:
                frame = _frame(view.title, *next(drawn))
            frames.append(frame.add_class("lk-panel"))
            if view.wide:
                frame.add_class("lk-wide")
        controls = widgets.Box([*self.controls.values(), self._frame.busy, self._frame.switch.button])
        self._body = widgets.Box(frames).add_class("lk-views")
        asked = [self._asked.widget] if self._asked else []
        self._frame.fill(
            controls.add_class("lk-controls"), *asked, self._frame.status, self._frame.failure, self._body
        )

    def _reveal(self) -> None:
        """Hide the numbers while a question is open; show them once it is answered."""
        hidden = self._asked is not None and self._asked.chosen is None
        for control in self.controls.values():
            control.disabled = hidden
        for part in (self._body, self._frame.status):
            part.layout.display = "none" if hidden else None

    def _complete(self) -> None:
        """Wait for a change in progress, and compute the first state if nothing was shown yet."""
        self._background.wait()
        if self._page is None and self.error is None:
            self._show(self._wish(), self._background.drop())
            for name in self._first if self.error is None else ():
                if not self._offered(name):
                    self._check(name, None)

    def _moved(self, _change: object) -> None:
        if not self._quiet:
            self._steered()

    def _steered(self) -> None:
        """Show what is wanted now: in the background where a notebook's event loop runs, else at once."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._show(self._wish(), self._background.drop())
        else:
            self._background.ask(self._wish())

    def _show(self, wish: _Wish, cancelled: Callable[[], bool]) -> None:
        with self._frame.working(cancelled):
            try:
                page, error = self._draw(wish, cancelled), None
            except (Unwanted, Cancelled):
                return
            except Exception as failure:
                page, error = None, explain(failure, self._kernel(wish.state))
        with self._lock:
            if cancelled():
                return
            if page is not None:
                self._page = page
                for body, steering, panel in zip(self._bodies, self._steerings, page.panels, strict=True):
                    if steering is None:
                        body.value = scoped(panel.head + panel.body)
                    else:
                        steering.offer(panel.options, panel.picked or {})
                        body.value = scoped(panel.body)
                if self._asked is not None:
                    self._asked.tell(described(wish.state))
                self._frame.status.value = page.status  # last: it tells what is shown
            self._tell(error)

    def _draw(self, wish: _Wish, cancelled: Callable[[], bool]) -> Page:
        """The page, of panels drawn before where there are such; a run is made only for one that is new."""
        key = (tuple(wish.state.items()), tuple(kernel.source for kernel in self._engine.kernels()))
        traced = any(view.traced for view in self._views)

        @cache
        def result() -> Result:
            return self._engine.result(wish.state, traced, cancelled)

        panels = [
            self._drawn.get(
                (key, number, tuple(sorted(picks.items()))),
                lambda view=view, picks=picks: Panel.of(view, result(), picks),
            )
            for number, (view, picks) in enumerate(zip(self._views, wish.picks, strict=True))
        ]
        return Page(self._results.get(key, lambda: bare(result())), tuple(panels))

    def _tell(self, error: Explanation | None) -> None:
        self.error = error
        self._frame.tell(error, self._body, self._frame.status)

    def _kernel(self, state: State) -> Kernel | None:
        try:
            return self._engine.kernel(str(state.get(KERNEL, self._engine.names[0])))
        except ValueError:
            return None

    def _check(self, name: str, value: Value | None) -> None:
        if name not in self.controls:
            panels = self._page.panels if self._page else ()
            options = dict.fromkeys(option.name for panel in panels for option in panel.options)
            views = f"; its views have {', '.join(options)}" if options else ""
            raise ValueError(f"this lab has no control {name!r}; it has {', '.join(self.controls)}{views}")
        values = [option for _, option in self.controls[name].options]
        if value not in values:
            raise ValueError(f"{name} cannot be {value!r}: this lab has {', '.join(map(str, values))}")


def _frame(title: str, steering: Steering | None, body: widgets.HTML) -> widgets.HTML | widgets.VBox:
    """A view's panel: one piece of HTML, or its options between title and picture."""
    if steering is None:
        return body
    head = widgets.HTML(scoped(f"<h4>{html.escape(title)}</h4>"))
    return widgets.VBox([head, steering.box, body]).add_class("lk-steered")
