"""What a learner may vary: discrete choices, as widgets that work by keyboard and show label and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ipywidgets as widgets

from ..kernels import Kernel

KERNEL = "kernel"
"""The control that chooses among a lab's kernels."""

Value = int | str


@dataclass(frozen=True)
class Choice:
    """A control over `name`: a tunable of a kernel, a size (a parameter), an option of a view, or "kernel".

    `values` and `start` default to what the kernels state; `label` to the name. As `buttons` all values are
    in sight, otherwise it is a slider; by default names are buttons and numbers a slider.
    """

    name: str
    values: tuple[Value, ...] = ()
    start: Value | None = None
    label: str = ""
    buttons: bool | None = None

    def completed(self, kernels: Sequence[Kernel]) -> Choice:
        """With values and start filled in; ValueError where no kernel states them, or they do not fit."""
        values, start = self.values, self.start
        if not values:
            values, stated = _stated(self.name, kernels)
            start = stated if start is None else start
        if start is None:
            start = values[0]
        if len(set(values)) < len(values):
            raise ValueError(f"the control {self.name} has the same value twice: {values}")
        if start not in values:
            raise ValueError(f"the control {self.name} cannot start at {start!r}: it has {values}")
        buttons = isinstance(values[0], str) if self.buttons is None else self.buttons
        return Choice(self.name, values, start, self.label or self.name, buttons)

    def widget(self) -> widgets.SelectionSlider | widgets.ToggleButtons:
        """The control itself; its `value` is the chosen one."""
        options = [(shown(value), value) for value in self.values]
        style = {"description_width": "initial"}
        if self.buttons:
            made = widgets.ToggleButtons(
                options=options,
                value=self.start,
                description=self.label,
                style={**style, "button_width": "auto"},
            )
        else:
            made = widgets.SelectionSlider(
                options=options,
                value=self.start,
                description=self.label,
                continuous_update=False,
                style=style,
                layout={"width": "250px"},
            )
        made.add_class(f"lk-control-{self.name}")
        return made


def shown(value: Value) -> str:
    """tiling/tiled -> tiled; numbers as they are."""
    return value.rsplit("/", 1)[-1] if isinstance(value, str) else str(value)


def _stated(name: str, kernels: Sequence[Kernel]) -> tuple[tuple[Value, ...], Value]:
    if name == KERNEL:
        names = tuple(kernel.name for kernel in kernels)
        return names, names[0]
    for kernel in kernels:
        if name in kernel.tunables:
            tunable = kernel.tunables[name]
            return tunable.values, tunable.default
    raise ValueError(f"no kernel of this lab states values of {name}: give them, Choice({name!r}, (1, 2, 4))")
