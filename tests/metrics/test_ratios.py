"""Ratios of metrics, and blanks where they cannot be had."""

import inspect

import pytest

from course_utils.metrics import names, ratios

# The global loads of a product of 256 x 256 matrices by tiles of 16: 16 steps, 2 loads of each of 2048 warps.
# The shared loads of a transpose of 512 x 512 whose warps read columns of an unpadded tile.
TILED = {names.GLOBAL_LOAD_REQUESTS: 65536, names.GLOBAL_LOAD_SECTORS: 262144}
TRANSPOSE = {names.SHARED_LOAD_WAVEFRONTS: 262144, names.SHARED_LOAD_CONFLICTS: 253952}


def test_global_traffic() -> None:
    assert ratios.sectors_per_request(TILED, "ld") == 4
    assert ratios.global_bytes(TILED, "ld") == 32 * 262144
    assert ratios.bytes_per_multiply_add(TILED, 256**3) == 0.5
    assert ratios.sector_efficiency(TILED, "ld", useful_bytes=65536 * 128) == 1


def test_shared_memory() -> None:
    assert ratios.wavefronts_per_ideal(TRANSPOSE, "ld") == 32
    assert ratios.bank_conflicts_per_request(TRANSPOSE, "ld") == 31
    no_conflicts = {names.SHARED_STORE_WAVEFRONTS: 8, names.SHARED_STORE_CONFLICTS: 0}
    assert ratios.wavefronts_per_ideal(no_conflicts, "st") == 1
    assert ratios.bank_conflicts_per_request(no_conflicts, "st") == 0


def test_lanes() -> None:
    assert ratios.active_lanes({names.WARP_INSTRUCTIONS: 10, names.THREAD_INSTRUCTIONS: 240}) == 24


@pytest.mark.parametrize(
    "function",
    [
        function
        for _, function in inspect.getmembers(ratios, inspect.isfunction)
        if function.__name__[0] != "_"
    ],
)
@pytest.mark.parametrize("value", ["absent", None, 0])
def test_what_cannot_be_had_is_blank(function: object, value: object) -> None:
    metrics = (
        {}
        if value == "absent"
        else dict.fromkeys(
            (value for key, value in vars(names).items() if key.isupper() and isinstance(value, str)), value
        )
    )
    arguments = {"op": "ld", "useful_bytes": 64, "multiply_adds": 8}
    wanted = list(inspect.signature(function).parameters)[1:]  # type: ignore[arg-type]
    result = function(metrics, **{name: arguments[name] for name in wanted})  # type: ignore[operator]
    assert result is None or (value == 0 and result == 0)
