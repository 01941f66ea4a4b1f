"""Large type and a clean view for a projector: one switch for a lab, or one for all labs of a notebook."""

from __future__ import annotations

from weakref import WeakSet

import ipywidgets as widgets

_CLASS = "lk-projector"
_switches: WeakSet[Switch] = WeakSet()
_on = False


class Switch:
    """Turns the large view of a `box` on and off; `button` is for the learner.

    Large: half as large again, one picture below the other, without the exact names of the metrics.
    """

    def __init__(self, box: widgets.Box) -> None:
        self._box = box
        self.button = widgets.ToggleButton(
            description="Large view", tooltip="Large type, for a projector", layout={"width": "auto"}
        ).add_class("lk-switch")
        self.button.observe(self._changed, names="value")
        self.button.value = _on
        _switches.add(self)

    def _changed(self, _change: object) -> None:
        (self._box.add_class if self.button.value else self._box.remove_class)(_CLASS)


def projector(on: bool = True) -> None:
    """Show every lab and question of this notebook in the large view, also those made later; or no longer."""
    global _on
    _on = on
    for switch in list(_switches):
        switch.button.value = on
