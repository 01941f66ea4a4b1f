"""Work in the background of which only the newest counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Calls `do(wanted, cancelled)` for the newest thing asked for, in a thread that lives while there is
    work.

    What comes after a rest begins at once. Of what comes in quick succession, less than `pause` seconds
    apart, only the last is done. `cancelled()` is True once something newer is wanted.
    """

    def __init__(self, do: Callable[[T, Callable[[], bool]], None], pause: float = 0.1) -> None:
        self._do, self._pause = do, pause
        self._changed = threading.Condition()
        self._asked: tuple[int, float, T] | None = None  # (number, when it is due, what)
        self._number = 0
        self._last = -pause
        self._thread: threading.Thread | None = None

    def ask(self, wanted: T) -> None:
        """Do this next, and nothing that was asked for before."""
        with self._changed:
            self._number += 1
            now = time.monotonic()
            due = now + self._pause if now - self._last < self._pause else now
            self._last = now
            self._asked = (self._number, due, wanted)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lab", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def drop(self) -> Callable[[], bool]:
        """Nothing that was asked for before is wanted; says whether something newer than this call is."""
        with self._changed:
            self._number += 1
            self._asked = None
            number = self._number
            self._changed.notify_all()
        return lambda: self._number != number

    def wait(self, seconds: float | None = None) -> bool:
        """Until there is no work left; False if that takes longer than `seconds`."""
        end = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while self._thread is not None:
                if end is not None and time.monotonic() > end:
                    return False
                self._changed.wait(0.05)  # short, so that Ctrl-C gets through on every system
        return True

    def _work(self) -> None:
        while (job := self._next()) is not None:
            number, wanted = job
            self._do(wanted, lambda number=number: self._number != number)

    def _next(self) -> tuple[int, T] | None:
        with self._changed:
            while self._asked is not None:
                number, due, wanted = self._asked
                left = due - time.monotonic()
                if left <= 0:
                    self._asked = None
                    return number, wanted
                self._changed.wait(left)
            self._thread = None
            self._changed.notify_all()
            return None
