"""A counted run."""

from __future__ import annotations

import pytest

from course_utils import devices, kernels, metrics, notebook


@pytest.fixture(scope="module")
def naive() -> notebook.Counted:
    return notebook.count("tiling/naive", N=64, TILE=32)


def test_counts_are_those_of_the_simulator(naive: notebook.Counted) -> None:
    """In a round of the loop a warp makes two requests, which touch 1 sector of A and 4 of B."""
    warp_rounds = 64 * 64 // 32 * 64
    assert (naive.requests, naive.sectors) == (2 * warp_rounds, 5 * warp_rounds)
    assert naive.sectors == naive.run.metrics[metrics.names.GLOBAL_LOAD_SECTORS]
    assert naive.bytes_per_multiply_add == 5.0
    assert naive.wavefronts == 0
    assert naive.run.device == devices.SIMULATOR


def test_count_states_settings_and_verdict(naive: notebook.Counted) -> None:
    told = repr(naive)
    assert told.startswith("tiling/naive, N = 64, TILE = 32: 2 x 2 blocks of 32 x 32 threads.\n")
    assert "equals NumPy's" in told


@pytest.mark.parametrize("settings", [{"N": 64, "TILE": 7}, {"N": 64, "WIDTH": 8}, {}])
def test_count_refuses_what_the_kernel_does_not_have(settings: dict[str, int]) -> None:
    with pytest.raises(kernels.KernelError):
        notebook.count("tiling/tiled", **settings)
