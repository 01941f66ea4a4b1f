from __future__ import annotations

import threading
import time
from collections.abc import Callable

from course_utils.labs.latest import Latest


def test_the_first_begins_at_once_and_the_last_is_done() -> None:
    done: list[int] = []
    begun = threading.Event()
    go_on = threading.Event()

    def do(wanted: int, cancelled: Callable[[], bool]) -> None:
        begun.set()
        go_on.wait(10)
        done.append(-wanted if cancelled() else wanted)

    latest = Latest(do, pause=0.05)
    latest.ask(1)
    assert begun.wait(10)
    for wanted in (2, 3, 4):
        latest.ask(wanted)
    go_on.set()
    assert latest.wait(10)
    assert done == [-1, 4]


def test_after_a_rest_there_is_no_pause() -> None:
    times: list[float] = []
    latest = Latest(lambda _wanted, _cancelled: times.append(time.monotonic()), pause=5)
    asked = time.monotonic()
    latest.ask(1)
    assert latest.wait(10)
    assert times[0] - asked < 2


def test_dropped_work_is_not_done() -> None:
    done: list[int] = []
    latest = Latest(lambda wanted, _cancelled: done.append(wanted), pause=0.2)
    latest.ask(1)
    assert latest.wait(10)
    latest.ask(2)
    superseded = latest.drop()
    assert not superseded()
    assert latest.wait(10)
    assert done == [1]
    latest.ask(3)
    assert superseded()
    assert latest.wait(10)
    assert done == [1, 3]


def test_wait_gives_up() -> None:
    end = threading.Event()
    latest = Latest(lambda _wanted, _cancelled: end.wait(10), pause=0)
    latest.ask(1)
    assert not latest.wait(0.05)
    end.set()
    assert latest.wait(10)


def test_the_thread_ends_with_the_work() -> None:
    latest = Latest(lambda _wanted, _cancelled: None, pause=0)
    for wanted in range(50):
        latest.ask(wanted)
    assert latest.wait(10)
    assert not any(thread.name == "lab" and thread.is_alive() for thread in threading.enumerate())
