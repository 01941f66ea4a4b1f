"""Attention of one head: softmax(Q K^T / sqrt(HEAD)) V, whole and in its parts."""

from __future__ import annotations

from math import sqrt

import numpy as np

from .problem import HALF_TOLERANCE, Problem, Setting, Sizes, empty

_HEAD = 32
"""The kernels' default HEAD."""


def attention(sizes: Sizes, random: np.random.Generator) -> Problem:
    """O for N queries, keys and values of HEAD (default 32) floats, all standard normal.

    CAUSAL: a query sees the keys up to its own place only. `operations`: the multiply-adds of the two
    products, with CAUSAL only those with keys that are seen.
    """
    return _attention(sizes, random, np.float32)


def attention_half(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The same with float16 for Q, K, V and O; the right O is that of the rounded Q, K and V, in float64."""
    return _attention(sizes, random, np.float16)


def _attention(sizes: Sizes, random: np.random.Generator, dtype: type[np.floating]) -> Problem:
    n, head, causal = sizes["N"], sizes.get("HEAD", _HEAD), bool(sizes.get("CAUSAL"))
    q, k, v = (random.standard_normal((n, head), np.float32).astype(dtype) for _ in range(3))
    pairs = n * (n + 1) // 2 if causal else n * n
    return Problem(
        arrays={"Q": q, "K": k, "V": v, "O": np.full((n, head), np.nan, dtype)},
        scalars={"N": np.int32(n)},
        expected={"O": attend(q, k, v, causal)},
        told="softmax(Q @ K.T / sqrt(HEAD)) @ V" + ", causal" * causal,
        operations=2 * pairs * head,
        moved=4 * n * head * q.itemsize,
        tolerance=TOLERANCES[dtype],
    )


TOLERANCES: dict[type[np.floating], float] = {np.float32: 1e-5, np.float16: HALF_TOLERANCE}
"""Of the largest element of O, by the type of Q, K, V and O."""

_ROWS = 512
"""Queries that are computed at a time, so that many of them take little memory."""


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool = False) -> np.ndarray:
    """softmax(q k^T / sqrt(head)) v in float64, for q, k and v of N x head."""
    q, k, v = (each.astype(np.float64) for each in (q, k, v))
    out = np.empty(q.shape)
    for start in range(0, len(q), _ROWS):
        rows = slice(start, min(start + _ROWS, len(q)))
        scores = q[rows] @ k.T / sqrt(q.shape[1])
        if causal:
            scores[np.arange(len(k)) > np.arange(rows.start, rows.stop)[:, None]] = -np.inf
        out[rows] = softmax(scores) @ v
    return out


def softmax(scores: np.ndarray) -> np.ndarray:
    """exp(scores), each row divided by its sum."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def scores(sizes: Sizes, random: np.random.Generator) -> Problem:
    """S = Q K^T / sqrt(HEAD) for N queries and keys."""
    n, head = sizes["N"], sizes.get("HEAD", _HEAD)
    q, k = (random.standard_normal((n, head), np.float32) for _ in range(2))
    right = q.astype(np.float64) @ k.T.astype(np.float64) / sqrt(head)
    arrays = {"Q": q, "K": k, "S": empty(n, n)}
    told, moved = "Q @ K.T / sqrt(HEAD)", 4 * (2 * n * head + n * n)
    return Problem(arrays, {"N": np.int32(n)}, {"S": right}, told, n * n * head, moved)


def weights(sizes: Sizes, random: np.random.Generator) -> Problem:
    """P = softmax(S), row by row, for N x N standard normal scores."""
    n = sizes["N"]
    s = random.standard_normal((n, n), np.float32)
    right = softmax(s.astype(np.float64))
    return Problem(
        {"S": s, "P": empty(n, n)}, {"N": np.int32(n)}, {"P": right}, "softmax(S)", moved=8 * n * n
    )


def weighted(sizes: Sizes, random: np.random.Generator) -> Problem:
    """O = P V for N x N weights and N values of HEAD floats."""
    n, head = sizes["N"], sizes.get("HEAD", _HEAD)
    p = softmax(random.standard_normal((n, n), np.float32))
    v = random.standard_normal((n, head), np.float32)
    right = p.astype(np.float64) @ v.astype(np.float64)
    arrays = {"P": p, "V": v, "O": empty(n, head)}
    return Problem(
        arrays, {"N": np.int32(n)}, {"O": right}, "P @ V", n * n * head, 4 * (n * n + 2 * n * head)
    )


def online_steps(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The running numbers of an online softmax over N standard normal scores."""
    given = random.standard_normal(sizes["N"], np.float32)
    arrays = {"scores": given, **{name: empty(given.size) for name in ("largest", "rescale", "sum")}}
    return Problem(arrays, {"N": np.int32(given.size)}, _running(given), "running softmax")


def _running(given: np.ndarray) -> dict[str, np.ndarray]:
    wide = given.astype(np.float64)
    largest = np.maximum.accumulate(wide)
    before = np.concatenate([[-np.inf], largest[:-1]])
    sums = [np.exp(wide[: step + 1] - largest[step]).sum() for step in range(wide.size)]
    return {"largest": largest, "rescale": np.exp(before - largest), "sum": np.array(sums)}


_TIMED: tuple[Sizes, ...] = tuple({"N": n} for n in (1024, 2048, 4096, 8192))
_COUNTED: tuple[Sizes, ...] = ({"N": 96}, {"N": 70})
_WHOLE = Setting(attention, _TIMED, _COUNTED, by_tunables=True)
SETTINGS = {
    # A row of scores for each of 128 threads takes 48 KB for 96 keys, so it is not timed.
    "flash_attention/naive": Setting(attention, (), _COUNTED, by_tunables=True, faulty={"PRIVATE": 0}),
    "flash_attention/two_pass": _WHOLE,
    "flash_attention/online": _WHOLE,
    "flash_attention/online_steps": Setting(online_steps, (), ({"N": 50},)),
    "flash_attention/scores": Setting(scores, _TIMED, _COUNTED, by_tunables=True),
    "flash_attention/softmax": Setting(weights, _TIMED, _COUNTED),
    "flash_attention/weighted": Setting(weighted, _TIMED, _COUNTED, by_tunables=True),
    "flash_attention/fused": _WHOLE,
    "flash_attention/fused_half": Setting(attention_half, _TIMED, _COUNTED, by_tunables=True),
}
