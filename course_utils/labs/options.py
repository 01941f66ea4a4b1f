"""A view's own controls: which warp, which access, which step of a film. They redraw, and run nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import ipywidgets as widgets

from .controls import Value


@dataclass(frozen=True)
class Option:
    """What a view lets the learner choose of a run: one of `values`, from a list.

    name: the keyword under which the view's `draw` gets it. `start`: what is chosen at first (default: the
    first value). `stepper`: the values are the numbers 1 to n, to step through one by one.
    """

    name: str
    values: Sequence[Value]
    label: str = ""
    start: Value | None = None
    stepper: bool = False

    @classmethod
    def steps(cls, name: str, count: int, label: str = "", start: int = 1) -> Option:
        """A stepper from 1 to `count`."""
        return cls(name, range(1, max(count, 1) + 1), label, start, stepper=True)

    def settled(self, wanted: Value | None) -> Value:
        """What is wanted, if there is such a value; else the last step, the start, or the first."""
        if wanted in self.values:
            return wanted  # type: ignore[return-value]
        if self.stepper and isinstance(wanted, int):
            return min(max(wanted, 1), self.values[-1])  # type: ignore[type-var, return-value]
        return self.start if self.start in self.values else self.values[0]  # type: ignore[return-value]


class Steering:
    """The widgets of one view's options, in a `box`; `moved` is called when the learner changes one.

    `wanted` holds what the learner chose, and keeps it while a run has no such value.
    """

    def __init__(self, moved: Callable[[], None]) -> None:
        self._moved = moved
        self.wanted: dict[str, Value] = {}
        self.box = widgets.Box().add_class("lk-controls").add_class("lk-options")
        self._controls: dict[str, _List | _Stepper] = {}

    @property
    def names(self) -> set[str]:
        """Of the options that were offered so far."""
        return set(self._controls)

    def offer(self, options: Sequence[Option], picked: Mapping[str, Value]) -> None:
        """Show these options with what is picked of each. Nothing counts as moved by that."""
        for option in options:
            if option.name not in self._controls:
                kind = _Stepper if option.stepper else _List
                self._controls[option.name] = kind(option, self._take)
        for option in options:
            self._controls[option.name].offer(option, picked[option.name])
        children = tuple(self._controls[option.name].widget for option in options)
        if children != self.box.children:
            self.box.children = children

    def _take(self, name: str, value: Value) -> None:
        self.wanted[name] = value
        self._moved()


class _List:
    """A drop-down list."""

    def __init__(self, option: Option, take: Callable[[str, Value], None]) -> None:
        self._name, self._take = option.name, take
        self._shown: tuple[tuple[Value, ...], Value] | None = None
        self.widget = widgets.Dropdown(
            description=option.label or option.name, style={"description_width": "initial"}
        ).add_class(f"lk-option-{option.name}")
        self.widget.observe(self._changed, names="value")

    def offer(self, option: Option, picked: Value) -> None:
        values = tuple(option.values)
        if self._shown == (values, picked):
            return
        options = tuple((str(value), value) for value in values)
        if options != self.widget.options:
            self._shown = None  # the widget goes to the first of its new options, which nobody chose
            self.widget.options = options
        self._shown = (values, picked)
        self.widget.value = picked

    def _changed(self, change: Mapping[str, Value]) -> None:
        shown = self._shown
        if shown is not None and change["new"] in shown[0] and change["new"] != shown[1]:
            self._shown = (shown[0], change["new"])
            self._take(self._name, change["new"])


class _Stepper:
    """A slider over 1 to n with a button for one step back and one for the next."""

    def __init__(self, option: Option, take: Callable[[str, Value], None]) -> None:
        self._name, self._take = option.name, take
        label = option.label or option.name
        self._back, self._next = (
            widgets.Button(description=told, tooltip=f"{label}: {what}", layout={"width": "auto"})
            for told, what in (("‹ back", "one back"), ("next ›", "the next"))  # noqa: RUF001
        )
        self._slider = widgets.IntSlider(
            description=label, min=1, max=1, continuous_update=False, layout={"width": "230px"},
            style={"description_width": "initial"},
        )  # fmt: skip
        self._of = widgets.Label()
        self._shown = 1
        self._back.on_click(lambda _: self._step(-1))
        self._next.on_click(lambda _: self._step(1))
        self._slider.observe(self._changed, names="value")
        self.widget = widgets.Box([self._back, self._slider, self._of, self._next]).add_class("lk-stepper")
        self.widget.add_class(f"lk-option-{option.name}")

    def offer(self, option: Option, picked: Value) -> None:
        last = len(option.values)
        self._shown = int(picked)
        self._slider.max = max(last, self._slider.max)  # before the value, which it would clip
        self._slider.value = self._shown
        self._slider.max = last
        self._of.value = f"of {last:,}"
        self._back.disabled, self._next.disabled = self._shown <= 1, self._shown >= last

    def _step(self, by: int) -> None:
        self._slider.value = min(max(self._slider.value + by, 1), self._slider.max)

    def _changed(self, change: Mapping[str, int]) -> None:
        if change["new"] != self._shown:
            self._shown = change["new"]
            self._take(self._name, change["new"])
