"""The kit as in a notebook, where an event loop runs and changes are worked off in the background."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import tracemalloc
from collections.abc import Callable, Mapping

import numpy as np

from course_utils.labs import AccessMap, BankGrid, Choice, Lab, TileFilm, WarpFilm
from course_utils.problems import Problem
from course_utils.problems.tiling import matmul

MakeLab = Callable[..., Lab]


class Slow:
    """Makes inputs slowly for the sizes given, and notes for which sizes it was asked."""

    def __init__(self, seconds: Mapping[int, float]) -> None:
        self.seconds, self.asked = seconds, []

    def __call__(self, sizes: Mapping[str, int], random: np.random.Generator) -> Problem:
        self.asked.append(sizes["N"])
        time.sleep(self.seconds.get(sizes["N"], 0))
        return matmul(sizes, random)


def in_a_loop(act: Callable[[], None]) -> None:
    """Do something while an event loop runs in this thread, as in a notebook's cell."""

    async def main() -> None:
        act()

    asyncio.run(main())


def lab_threads() -> int:
    return sum(thread.name == "lab" for thread in threading.enumerate())


def test_a_moved_control_returns_at_once_and_is_shown_later(make_lab: MakeLab) -> None:
    returned, waited = threading.Event(), []

    def held(sizes: Mapping[str, int], random: np.random.Generator) -> Problem:
        if sizes["N"] == 32:
            waited.append(returned.wait(20))
        return matmul(sizes, random)

    lab = make_lab(problem=held)
    assert lab.result.state["N"] == 24
    in_a_loop(lambda: setattr(lab.controls["N"], "value", 32))
    returned.set()
    assert lab.wait(30)
    assert waited, "nothing was computed"
    assert all(waited), "the change was worked off before the control returned"
    assert lab.result.state["N"] == 32
    assert lab_threads() == 0


def test_busy_sign_while_it_takes_long(make_lab: MakeLab) -> None:
    lab = make_lab(problem=Slow({32: 0.6}))
    signs: list[str] = []
    _ = lab.widget
    lab._frame.busy.observe(lambda change: signs.append(change["new"]), "value")
    lab.set(TILE=8)
    assert signs == []  # known already: nothing to wait for
    lab.set(N=32)
    assert len(signs) == 2
    assert "computing" in signs[0]
    assert signs[1] == ""


def test_the_last_picture_stays_while_computing(make_lab: MakeLab) -> None:
    lab = make_lab(problem=Slow({32: 0.4}))
    panel = lab.widget.children[-1].children[1]
    before = panel.value
    in_a_loop(lambda: setattr(lab.controls["N"], "value", 32))
    time.sleep(0.1)
    assert panel.value == before
    lab.wait(20)
    assert panel.value != before


def test_a_newer_change_supersedes(make_lab: MakeLab) -> None:
    slow = Slow({32: 0.4})
    lab = make_lab(problem=slow)
    status = lab.widget.children[2]
    told: list[str] = []
    status.observe(lambda change: told.append(change["new"]), "value")

    def act() -> None:
        lab.controls["N"].value = 32
        time.sleep(0.1)  # it is being computed now
        lab.controls["N"].value = 40

    in_a_loop(act)
    assert lab.wait(20)
    assert lab.result.state["N"] == 40
    assert len(told) == 1
    assert "N 40" in told[0]


def test_of_quick_changes_only_the_last_is_computed(make_lab: MakeLab) -> None:
    slow = Slow({})
    lab = make_lab(problem=slow, baseline=None)
    lab.wait()
    assert lab.result.state["N"] == 24
    slow.asked.clear()

    def act() -> None:
        for size in (32, 24, 32, 24, 32, 24, 32, 40):
            lab.controls["N"].value = size

    in_a_loop(act)
    assert lab.wait(20)
    assert lab.result.state["N"] == 40
    assert slow.asked[-1] == 40
    assert len(slow.asked) <= 2  # the first begins at once


def test_set_supersedes_what_runs_in_the_background(make_lab: MakeLab) -> None:
    lab = make_lab(problem=Slow({32: 0.5}))
    _ = lab.widget
    in_a_loop(lambda: setattr(lab.controls["N"], "value", 32))
    lab.set(N=40)
    assert lab.wait(20)
    assert lab.result.state["N"] == 40


def test_500_changes_leave_nothing_behind(make_lab: MakeLab) -> None:
    lab = make_lab()

    def change(times: int) -> None:
        for number in range(times):
            lab.controls["TILE"].value = (4, 8)[number % 2]
            lab.controls["N"].value = (24, 32, 40)[number % 3]

    change(12)
    gc.collect()
    threads = threading.active_count()
    tracemalloc.start()
    try:
        change(20)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        change(250)
        in_a_loop(lambda: change(10))
        assert lab.wait(20)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 200_000
    assert threading.active_count() == threads


def test_500_moves_of_options_leave_nothing_behind(make_lab: MakeLab) -> None:
    lab = make_lab(
        kernels=["tiling/tiled"],
        controls=[Choice("TILE", (4, 8), 8), Choice("N", (24, 32))],
        views=[TileFilm(), AccessMap(), BankGrid(), WarpFilm()],
        baseline=None,
    )

    def move(times: int) -> None:
        for number in range(times):
            lab.set(step=1 + number % 9, warp=0)
            if number % 10 == 0:
                lab.controls["N"].value = (24, 32)[number // 10 % 2]

    move(40)
    gc.collect()
    tracemalloc.start()
    try:
        move(20)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        move(230)
        in_a_loop(lambda: move(10))
        assert lab.wait(20)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 200_000
    assert lab_threads() == 0
