"""A sweep in a lab: one control over all its values, with progress, a stop button, and bars of a measure."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import ipywidgets as widgets

from .. import devices
from ..compiler import Cancelled
from ..figures import MEASURES, Figure, sweep_bars
from ..figures.style import scoped
from ..figures.times import Clocked, times_table
from .controls import Value, shown
from .engine import Engine, Result, State, Unwanted
from .explain import explain
from .latest import Latest
from .page import bare
from .timing import measured, recorded


@dataclass(frozen=True)
class Sweep:
    """A view that runs a lab's kernel for every value of one control, when its button is pressed. Recorded
    times stand below what is counted; where there is a GPU another button measures on it.

    control: the one that is chosen at first (default: the lab's last). measures: keys of MEASURES to choose
    from (default: all).
    """

    control: str = ""
    measures: tuple[str, ...] = tuple(MEASURES)
    title: str = "One control over all its values"
    traced: bool = False
    wide: bool = True


_TIMES = (
    '<div class="lk-scroll lk-times-table" tabindex="0" role="region" aria-label="times of launches">{}</div>'
)
_NO_TIMES = '<p class="lk-unit">No time is recorded for these settings.</p>'


class _Job(NamedTuple):
    """Over which values of which control, in which state of the others; `timed`: on the GPU."""

    control: str
    values: Sequence[Value]
    state: State
    timed: bool = False


class SweepPanel:
    """The widgets of a sweep. `run`, `measure` and `stop` do what the buttons do; `figure` is what is shown.

    state: what the lab's controls say now. values: the values of each control.
    """

    def __init__(
        self,
        sweep: Sweep,
        engine: Engine,
        state: Callable[[], State],
        values: Mapping[str, Sequence[Value]],
    ) -> None:
        control = sweep.control or list(values)[-1]
        if control not in values:
            raise ValueError(f"a sweep over {control!r}: this lab has {', '.join(values)}")
        if unknown := [key for key in sweep.measures if key not in MEASURES]:
            raise ValueError(f"there is no measure {unknown[0]!r}; there are {', '.join(MEASURES)}")
        self._engine, self._state, self._values = engine, state, values
        self._work: Latest[_Job] = Latest(self._sweep)
        self._job: _Job | None = None
        self._results: dict[Value, Result] = {}
        self._measured: dict[Value, Clocked] = {}
        self._failures: dict[Value, str] = {}
        self.figure: Figure | None = None
        self._build(sweep, control)

    def run(self) -> None:
        """Run the chosen control over its values: in the background where a notebook's event loop runs."""
        control = self._over.value
        self._ask(_Job(control, tuple(self._values[control]), dict(self._state())))

    def measure(self) -> None:
        """Time on this machine's GPU, at full size, what was run last; does nothing where nothing was."""
        if self._job is not None and self._results:
            self._ask(self._job._replace(values=tuple(self._results), timed=True))

    def _ask(self, job: _Job) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._sweep(job, self._work.drop())
        else:
            self._work.ask(job)

    def stop(self) -> None:
        """End a sweep in progress; what was run stays in sight."""
        self._work.drop()

    def wait(self, seconds: float | None = None) -> bool:
        """Until no sweep is in progress; False if that takes longer than `seconds`."""
        return self._work.wait(seconds)

    def _build(self, sweep: Sweep, control: str) -> None:
        style = {"description_width": "initial"}
        self._over = widgets.Dropdown(
            description="over", options=tuple(self._values), value=control, style=style
        ).add_class("lk-sweep-over")
        self._measure = widgets.Dropdown(
            description="measure",
            options=[(MEASURES[key].label, key) for key in sweep.measures],
            style=style,
        ).add_class("lk-sweep-measure")
        self._start = widgets.Button(description="Run the sweep", layout={"width": "auto"})
        self._stop = widgets.Button(description="Stop", disabled=True, layout={"width": "auto"})
        self._measure_button = widgets.Button(
            description="Measure on this GPU",
            tooltip="Time each of these launches at full size",
            disabled=True,
            layout={"width": "auto"},
        )
        self._progress = widgets.HTML()
        self._picture = widgets.HTML(scoped('<p class="lk-sentence">Nothing was run yet.</p>'))
        self._start.on_click(lambda _: self.run())
        self._stop.on_click(lambda _: self.stop())
        self._measure_button.on_click(lambda _: self.measure())
        self._measure.observe(lambda _: self._draw(), names="value")
        timed = [self._measure_button] if devices.current() == "gpu" else []
        row = [self._over, self._measure, self._start, *timed, self._stop, self._progress]
        controls = widgets.Box(row).add_class("lk-controls").add_class("lk-options")
        head = widgets.HTML(scoped(f"<h4>{html.escape(sweep.title)}</h4>"))
        self.widget = widgets.VBox([head, controls, self._picture])

    def _sweep(self, job: _Job, cancelled: Callable[[], bool]) -> None:
        if not job.timed:
            self._job, self._results, self._failures = job, {}, {}
        self._measured = {}
        self._stop.disabled = False
        done = 0
        try:
            for value in job.values:
                self._tell(done, len(job.values))
                if cancelled():
                    raise Unwanted
                self._one(job, value, cancelled)
                done += 1
            self._tell(done, len(job.values))
        except (Unwanted, Cancelled):
            self._progress.value = scoped(
                f'<span role="status">stopped after {done} of {len(job.values)}</span>'
            )
        self._stop.disabled = True
        self._measure_button.disabled = not self._results
        self._draw()

    def _one(self, job: _Job, value: Value, cancelled: Callable[[], bool]) -> None:
        try:
            if job.timed:
                self._measured[value] = measured(
                    self._results[value], self._engine.problem, self._same(value)
                )
            else:
                result = self._engine.result({**job.state, job.control: value}, False, cancelled)
                self._results[value] = bare(result)
        except (Unwanted, Cancelled):
            raise
        except Exception as failure:
            self._failures[value] = explain(failure).text.splitlines()[-1]

    def _same(self, value: Value) -> set[str]:
        """What the control itself sets: a size that is swept over is not another one in the times."""
        return set(self._engine.settings({self._job.control: value})) if self._job else set()

    def _times(self, value: Value) -> list[Clocked]:
        times = [clocked for clocked, _ in recorded(self._results[value], self._same(value))]
        return times + [each for each in (self._measured.get(value),) if each is not None]

    def _tell(self, done: int, of: int) -> None:
        bar = f'<progress value="{done}" max="{of}" aria-label="values run"></progress>'
        self._progress.value = scoped(f'<span class="lk-progress" role="status">{bar} {done} of {of}</span>')

    def _draw(self) -> None:
        """The chosen measure of what was run; nothing is run again for another measure."""
        if self._job is None:
            return
        job = self._job
        others = [
            shown(value) if isinstance(value, str) else f"{name} {value}"
            for name, value in job.state.items()
            if name != job.control
        ]
        values = [shown(value) for value in job.values]
        samples = {shown(value): (each.sample, each.baseline) for value, each in self._results.items()}
        figure = sweep_bars(job.control, samples, self._measure.value, values, ", ".join(others))
        times = times_table(job.control, {shown(value): self._times(value) for value in self._results})
        failed = " ".join(f"{job.control} {shown(value)}: {told}" for value, told in self._failures.items())
        self.figure = Figure(
            f"{figure.sentence} {failed}".strip(),
            figure.html + (_TIMES.format(times.html) if times else _NO_TIMES),
            figure.text + (f"\n\n{times.text}" if times else ""),
        )
        self._picture.value = scoped(
            f'<p class="lk-sentence">{html.escape(self.figure.sentence)}</p>{self.figure.html}'
        )
