"""What a learner may vary: discrete choices, as widgets that work by keyboard and show label and value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ipywidgets as widgets

from ..figures.numbers import TIMES
from ..kernels import Kernel
from ..kernels.errors import listed
from ..problems import shaping

KERNEL = "kernel"
"""The control that chooses among a lab's kernels."""

Value = int | str
ControlWidget = widgets.SelectionSlider | widgets.ToggleButtons


@dataclass(frozen=True)
class Choice:
    """A control over `name`: a tunable of a kernel, a size or another parameter, or "kernel".

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

    def widget(self) -> ControlWidget:
        """The control itself; its `value` is the chosen one."""
        return _widget(self.name, self.label, self.values, self.start, bool(self.buttons))

    def settings(self, value: Value) -> Mapping[str, Value]:
        """What a chosen value sets."""
        return {self.name: value}


@dataclass(frozen=True)
class Preset:
    """A control that sets several values together: a shape of the block, an access pattern, an element type.

    `meanings`: what is shown -> the tunables and parameters that it sets, which must be those of a kernel.

        Preset("pattern", {"side by side": {"stride": 1}, "every second": {"stride": 2}})
    """

    name: str
    meanings: Mapping[str, Mapping[str, int]]
    start: str = ""
    label: str = ""
    buttons: bool = True

    def completed(self, kernels: Sequence[Kernel]) -> Preset:
        """With start and label filled in; ValueError where no kernel knows what is to be set."""
        known = {name for kernel in kernels for name in (*kernel.tunables, *_parameters(kernel))}
        set_ = {name for meaning in self.meanings.values() for name in meaning}
        if unknown := sorted(set_ - known):
            raise ValueError(
                f"the control {self.name} sets {listed(unknown)}, which no kernel of this lab has"
            )
        start = self.start or next(iter(self.meanings), "")
        if start not in self.meanings:
            raise ValueError(
                f"the control {self.name} cannot start at {start!r}: it has {tuple(self.meanings)}"
            )
        return Preset(self.name, self.meanings, start, self.label or self.name, self.buttons)

    def widget(self) -> ControlWidget:
        """The control itself; its `value` is what is shown of the chosen one."""
        return _widget(self.name, self.label, tuple(self.meanings), self.start, self.buttons)

    def settings(self, value: Value) -> Mapping[str, Value]:
        """What a chosen value sets."""
        return self.meanings[str(value)]


def block_shapes(x: str, y: str, *shapes: tuple[int, int], start: tuple[int, int] | None = None) -> Preset:
    """A control over the shape of the block: `block_shapes("BLOCK_X", "BLOCK_Y", (32, 8), (16, 16))`.

    x, y: the tunables that hold its extents.
    """
    first = start or shapes[0]
    meanings = {_shape(shape): dict(zip((x, y), shape, strict=True)) for shape in shapes}
    return Preset("block", meanings, _shape(first), "threads of a block")


Control = Choice | Preset


def _parameters(kernel: Kernel) -> set[str]:
    """Those of the kernel, and those that shape its inputs."""
    return {parameter.name for parameter in kernel.entry.parameters} | shaping(kernel)


def shown(value: Value) -> str:
    """tiling/tiled -> tiled; numbers as they are."""
    return value.rsplit("/", 1)[-1] if isinstance(value, str) else str(value)


def _shape(shape: tuple[int, int]) -> str:
    return f" {TIMES} ".join(map(str, shape))


def _widget(
    name: str, label: str, values: Sequence[Value], start: Value | None, buttons: bool
) -> ControlWidget:
    options = [(shown(value), value) for value in values]
    style = {"description_width": "initial"}
    if buttons:
        made = widgets.ToggleButtons(
            options=options, value=start, description=label, style={**style, "button_width": "auto"}
        )
    else:
        made = widgets.SelectionSlider(
            options=options,
            value=start,
            description=label,
            continuous_update=False,
            style=style,
            layout={"width": "250px"},
        )
    made.add_class(f"lk-control-{name}")
    return made


def _stated(name: str, kernels: Sequence[Kernel]) -> tuple[tuple[Value, ...], Value]:
    if name == KERNEL:
        names = tuple(kernel.name for kernel in kernels)
        return names, names[0]
    for kernel in kernels:
        if name in kernel.tunables:
            tunable = kernel.tunables[name]
            return tunable.values, tunable.default
    raise ValueError(f"no kernel of this lab states values of {name}: give them, Choice({name!r}, (1, 2, 4))")
