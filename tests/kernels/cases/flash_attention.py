"""Cases of the kernels on flash attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .case import GUARD, Case, Maker, floats, out_of

LENGTHS = (1, 7, 32, 33, 70, 96)
ROUNDING = 2.0**-24
"""Half the distance between neighbouring floats, as a share of them."""
HALF_ROUNDING = 2.0**-11


def _weights(q: np.ndarray, k: np.ndarray, causal: bool) -> tuple[np.ndarray, np.ndarray]:
    """(weights in float64, rows of sum 1; the largest sum of magnitudes behind a score of each row)"""
    q, k = q.astype(np.float64), k.astype(np.float64)
    scores, magnitudes = (a @ b.T / np.sqrt(q.shape[1]) for a, b in ((q, k), (abs(q), abs(k))))
    if causal:
        unseen = np.triu(np.ones(scores.shape, bool), 1)
        scores[unseen], magnitudes[unseen] = -np.inf, 0
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True), magnitudes.max(axis=1, keepdims=True)


def _attention(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    head, causal = values["HEAD"], bool(values.get("CAUSAL"))
    for n in LENGTHS:
        q, k, v = (floats(rng, n * head).reshape(n, head) for _ in range(3))
        out, whole = out_of(n * head)
        weights, largest = _weights(q, k, causal)
        # A score is off by at most (HEAD + 2) roundings of its products, a weight by as much of itself, and
        # by a few roundings more for the exponential functions; each of up to N steps adds a few.
        share = ((head + 2) * 2 * largest + 8 * n + 20) * ROUNDING
        bound = share * (weights @ abs(v.astype(np.float64)))
        expected = weights @ v.astype(np.float64)
        yield Case([q, k, v, out, n], {"N": n}, out, whole, expected.reshape(-1), bound.reshape(-1))


def _attention_half(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    head, causal = values["HEAD"], bool(values["CAUSAL"])
    for n in LENGTHS:
        q, k, v = (floats(rng, n * head).reshape(n, head).astype(np.float16) for _ in range(3))
        _, whole = out_of(n * head // 2)
        out = whole[GUARD:-GUARD].view(np.float16)
        weights, largest = _weights(q, k, causal)
        # Beside what the floats are off by, a weight and an element of O are each rounded to half.
        share = ((head + 2) * 8 * largest + 8 * n + 20) * ROUNDING + 2 * HALF_ROUNDING
        bound = share * (weights @ abs(v.astype(np.float64))) + n * 2.0**-24
        expected = weights @ v.astype(np.float64)
        yield Case([q, k, v, out, n], {"N": n}, out, whole, expected.reshape(-1), bound.reshape(-1))


def _scores(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    head = values["HEAD"]
    for n in LENGTHS:
        q, k = (floats(rng, n * head).reshape(n, head) for _ in range(2))
        out, whole = out_of(n * n)
        right, magnitudes = (
            a.astype(np.float64) @ b.T.astype(np.float64) / np.sqrt(head)
            for a, b in ((q, k), (abs(q), abs(k)))
        )
        bound = (head + 4) * ROUNDING * magnitudes
        yield Case([q, k, out, n], {"N": n}, out, whole, right.reshape(-1), bound.reshape(-1))


def _softmax(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        s, (out, whole) = 3 * floats(rng, n * n).reshape(n, n), out_of(n * n)
        weights = np.exp(s.astype(np.float64) - s.max(axis=1, keepdims=True))
        right = (weights / weights.sum(axis=1, keepdims=True)).reshape(-1)
        yield Case([s, out, n], {"N": n}, out, whole, right, (n + 40) * ROUNDING * right)


def _weighted(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    head = values["HEAD"]
    for n in LENGTHS:
        p, v = rng.random((n, n), np.float32), floats(rng, n * head).reshape(n, head)
        out, whole = out_of(n * head)
        wide = p.astype(np.float64)
        bound = 1.001 * n * ROUNDING * (wide @ abs(v.astype(np.float64)))
        right = wide @ v.astype(np.float64)
        yield Case([p, v, out, n], {"N": n}, out, whole, right.reshape(-1), bound.reshape(-1))


def _online_steps(written: int) -> Callable[[dict[str, int], np.random.Generator], Iterator[Case]]:
    """Launches that compare one of the three outputs."""

    def make(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
        for n in LENGTHS:
            scores = 3 * floats(rng, n)
            outs = [out_of(n) for _ in range(3)]
            largest = np.maximum.accumulate(scores.astype(np.float64))
            rescale = np.exp(np.concatenate([[-np.inf], largest[:-1]]) - largest)
            sums = np.array([np.exp(scores[: i + 1] - largest[i], dtype=np.float64).sum() for i in range(n)])
            right = (largest, rescale, sums)[written]
            args = [scores, *(out for out, _ in outs), n]
            yield Case(args, {}, *outs[written], right, (8 * n + 40) * ROUNDING * abs(right))

    return make


def _every_step(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for written in range(3):
        yield from _online_steps(written)(values, rng)


MAKERS: dict[str, Maker] = {
    "flash_attention/naive": _attention,
    "flash_attention/two_pass": _attention,
    "flash_attention/online": _attention,
    "flash_attention/online_steps": _every_step,
    "flash_attention/scores": _scores,
    "flash_attention/softmax": _softmax,
    "flash_attention/weighted": _weighted,
    "flash_attention/fused": _attention,
    "flash_attention/fused_half": _attention_half,
}
