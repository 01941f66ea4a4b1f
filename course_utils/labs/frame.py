"""What surrounds a lab: its look, status line, busy sign, box for errors, and the switch for a projector."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import ipywidgets as widgets

from ..figures import STYLE
from ..figures.style import NARROW, scoped
from .explain import Explanation
from .look import LAB_STYLE
from .projector import Switch

BUSY_AFTER = 0.2
"""Seconds after which a lab says that it is computing."""


class Frame:
    """The parts that every lab has: `status`, `busy`, `failure`, `switch`, and `box` with all of it.

    `word`: what the lab is said to be doing while it is busy.
    """

    def __init__(self, word: str) -> None:
        self._word = word
        self.status, self.busy, self.failure = (widgets.HTML() for _ in range(3))
        self.failure.layout.display = "none"
        self.busy.add_class("lk-busy-place")
        self.box = widgets.VBox().add_class("lk-lab")
        self.switch = Switch(self.box)

    def fill(self, *parts: widgets.Widget, style: str = "") -> None:
        """Put the parts into the box, from top to bottom; `style`: of their own."""
        look = f"<style>{STYLE}{NARROW}{LAB_STYLE}{style}</style>"
        self.box.children = (widgets.HTML(look, layout={"display": "none"}), *parts)

    def tell(self, error: Explanation | None, *shown: widgets.Widget) -> None:
        """Show an error above what was `shown` last, which is dimmed; or take both away."""
        told = f'<div class="lk-error" role="alert">{error.html}</div>' if error else ""
        self.failure.value = scoped(told) if error else ""
        self.failure.layout.display = None if error else "none"
        for part in shown:
            (part.add_class if error else part.remove_class)("lk-stale")

    @contextmanager
    def working(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Say so, where the work within takes long."""

        def show() -> None:
            if not cancelled():
                self.busy.value = scoped(f'<span class="lk-busy" role="status">{self._word}</span>')

        timer = threading.Timer(BUSY_AFTER, show)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            self.busy.value = ""
