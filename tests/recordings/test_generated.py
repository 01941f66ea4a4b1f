from __future__ import annotations

import numpy as np

from course_utils.recordings import generated
from course_utils.recordings.launches import GENERATED, Launch, checksum


def test_a_seed_makes_the_same_kernel_and_another_seed_another() -> None:
    assert generated.make(3) == generated.make(3)
    assert len({generated.make(seed).source for seed in GENERATED}) == len(GENERATED)


def test_the_kernels_differ_in_what_they_use() -> None:
    made = [generated.make(seed) for seed in GENERATED]
    assert {each.element for each in made} == set(generated.TYPES)
    for part in (
        "__shared__ Element",
        "atomicAdd",
        "Element own",
        "for (int k",
        "index[i] & 1",
        "in[index[i]]",
    ):
        assert any(part in each.source for each in made), part


def test_each_element_is_written_by_one_thread() -> None:
    """Or the result would depend on the order of blocks, which is not that of a GPU."""
    for seed in GENERATED[:8]:
        made = generated.make(seed)
        before = made.arguments()[2]
        first, second = (Launch(made.name).run("simulator")[1] for _ in range(2))
        assert first == second
        assert not np.any(before)


def test_checksum() -> None:
    arrays = [np.arange(4), np.int32(3), np.ones(2)]
    assert checksum(arrays) == checksum(iter(arrays)) != checksum(arrays[:2])
