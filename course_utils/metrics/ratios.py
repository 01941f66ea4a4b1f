"""Figures derived from counted metrics.

Every function takes the metrics of a run, by their exact names, and gives None where a metric that it needs
is absent or None, or where it would divide by zero: a table shows that as a blank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from . import names

Metrics = Mapping[str, int | None]
Op = Literal["ld", "st"]

SECTOR_BYTES = 32

_REQUESTS = {"ld": names.GLOBAL_LOAD_REQUESTS, "st": names.GLOBAL_STORE_REQUESTS}
_SECTORS = {"ld": names.GLOBAL_LOAD_SECTORS, "st": names.GLOBAL_STORE_SECTORS}
_WAVEFRONTS = {"ld": names.SHARED_LOAD_WAVEFRONTS, "st": names.SHARED_STORE_WAVEFRONTS}
_CONFLICTS = {"ld": names.SHARED_LOAD_CONFLICTS, "st": names.SHARED_STORE_CONFLICTS}


def sectors_per_request(metrics: Metrics, op: Op) -> float | None:
    """Sectors that one global request touches on average: 4 where 32 lanes want 32 consecutive floats."""
    return _quotient(metrics.get(_SECTORS[op]), metrics.get(_REQUESTS[op]))


def global_bytes(metrics: Metrics, op: Op) -> int | None:
    """Bytes of the sectors that global requests touch, 32 each, whichever cache or memory serves them."""
    sectors = metrics.get(_SECTORS[op])
    return None if sectors is None else SECTOR_BYTES * sectors


def sector_efficiency(metrics: Metrics, op: Op, useful_bytes: int) -> float | None:
    """The share of the sectors' bytes that the kernel asked for; above 1 where lanes want the same bytes."""
    return _quotient(useful_bytes, global_bytes(metrics, op))


def bytes_per_multiply_add(metrics: Metrics, multiply_adds: int) -> float | None:
    """Bytes of global load sectors for one multiply-add; a product of N x N matrices has N^3 of them."""
    return _quotient(global_bytes(metrics, "ld"), multiply_adds)


def wavefronts_per_ideal(metrics: Metrics, op: Op) -> float | None:
    """Wavefronts of shared memory taken for each one needed: 1 without bank conflicts, 32 where all clash.

    Wavefronts / (wavefronts - bank conflicts).
    """
    return _quotient(metrics.get(_WAVEFRONTS[op]), _ideal_wavefronts(metrics, op))


def bank_conflicts_per_request(metrics: Metrics, op: Op) -> float | None:
    """Bank conflicts of a shared request on average, for accesses of at most 4 bytes a lane.

    Bank conflicts / (wavefronts - bank conflicts): such a request needs one wavefront, so the divisor counts
    the requests. A wider request needs up to four.
    """
    return _quotient(metrics.get(_CONFLICTS[op]), _ideal_wavefronts(metrics, op))


def active_lanes(metrics: Metrics) -> float | None:
    """Lanes active in a warp's instruction on average, at PTX level: 32 where nothing diverges."""
    return _quotient(metrics.get(names.THREAD_INSTRUCTIONS), metrics.get(names.WARP_INSTRUCTIONS))


def _ideal_wavefronts(metrics: Metrics, op: Op) -> int | None:
    wavefronts, conflicts = metrics.get(_WAVEFRONTS[op]), metrics.get(_CONFLICTS[op])
    return None if wavefronts is None or conflicts is None else wavefronts - conflicts


def _quotient(dividend: int | None, divisor: int | None) -> float | None:
    return None if dividend is None or not divisor else dividend / divisor
