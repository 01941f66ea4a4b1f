"""What threads know of each other, as plain data."""

from __future__ import annotations

from course_utils.simulator.checks.clocks import BlockClocks, Flags, joined, knows


def test_joining_keeps_the_larger_bound_and_changes_nothing() -> None:
    a = {0: {None: 3, (1, 2): 9}}
    b = {0: {None: 5, (1, 2): 4}, 7: {None: 1}}
    assert joined(a, b) == {0: {None: 5, (1, 2): 9}, 7: {None: 1}}
    assert a == {0: {None: 3, (1, 2): 9}}
    assert joined(a, {}) is a
    assert joined({}, b) is b


def test_a_bound_is_of_a_block_a_warp_or_a_thread() -> None:
    known = {4: {None: 2, 1: 5, (1, 3): 8}}
    assert knows(known, (4, 0, 0), 1)
    assert not knows(known, (4, 0, 0), 2)
    assert knows(known, (4, 1, 0), 4)
    assert knows(known, (4, 1, 3), 7)
    assert not knows(known, (4, 1, 3), 8)
    assert not knows(known, (5, 1, 3), 0)


def test_a_barrier_of_some_warps_hands_on_what_each_knew() -> None:
    clocks = BlockClocks()
    clocks.join({0: 4, 1: 6})
    assert clocks.warps[0, 1] == 7
    assert clocks.warps[1, 0] == 5
    clocks.join({1: 9, 2: 0})
    assert clocks.warps[2, 0] == 5
    assert (0, 2) not in clocks.warps


def test_who_only_arrives_learns_nothing() -> None:
    clocks = BlockClocks()
    clocks.join({0: 4, 1: 6}, leaving=[0])
    assert clocks.warps[1, 0] == 5
    assert (0, 1) not in clocks.warps


def test_flags_tell_the_grid_or_the_block() -> None:
    flags = Flags()
    flags.tell(64, 3, {3: {None: 2}}, {3: {None: 4}})
    assert flags.hear(64, 5) == {3: {None: 2}}
    assert flags.hear(64, 3) == {3: {None: 4}}
    assert flags.hear(68, 3) == {}
    count = flags.count
    flags.tell(64, 3, {3: {None: 1}}, {})
    assert flags.count == count, "nothing new was told"
