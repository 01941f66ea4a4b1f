"""The pattern that wrong elements make, which often gives the mistake away.

Knows nothing of kernels but the grid's and the block's size. What it says of warps and blocks supposes that
element i belongs to thread i of the grid, or, for a matrix and a block of two axes, element [y][x] to thread
(x, y), and is only said where the sizes allow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .errors import Index
from .kinds import LANES

UNWRITTEN = 0xCD  # each byte of memory that nothing was written to, see memory.fresh
MOST = 0.95  # of the wrong elements: as many as a pattern of values must explain
TERMS = 32  # of a sum, that may have been unwritten memory
SAMPLE = 20_000  # wrong elements that are looked at for a shift
NAMED = 6  # rows, warps or blocks listed by number, at most


@dataclass(frozen=True)
class Pattern:
    """What the wrong elements have in common.

    kind: of the values "never written", "nan", "zero", "unwritten sum", "shifted", "transposed", "factor" or
    "offset"; of the places "all", "rows", "columns", "border", "blocks", "tail", "head", "warps", "lanes",
    "stride" or "edges". sentence: the same for a reader.
    """

    kind: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Wrong:
    """A buffer beside what it should hold, of the same shape. `mask`: which elements are wrong, at least one.
    `close`: tells whether values are near enough."""

    got: np.ndarray
    right: np.ndarray
    mask: np.ndarray
    rtol: float
    atol: float

    def close(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.isclose(a, b, rtol=self.rtol, atol=self.atol)


def patterns(wrong: Wrong, grid: Index, block: Index) -> list[Pattern]:
    """One pattern of the values, if there is one, and one or two of the places."""
    found = [next(_values(wrong), None), next(_places(wrong.mask, grid, block), None)]
    if found[1] is None or found[1].kind not in ("all", "rows", "columns", "border", "tail", "head"):
        found.append(next(_strides(wrong.mask, grid, block), None))
    return [each for each in found if each is not None]


# Values


def _values(wrong: Wrong) -> Iterator[Pattern]:
    got, right = wrong.got[wrong.mask], wrong.right[wrong.mask]
    raw = np.ascontiguousarray(got).view(np.uint8).reshape(got.size, -1)
    for kind, which, what in (
        ("never written", (raw == UNWRITTEN).all(1), "the bytes 0xCD, as memory that was never written to"),
        ("nan", np.isnan(got) & ~np.isnan(right), "NaN"),
        ("zero", (got == 0) & (right != 0), "0"),
    ):
        count = np.count_nonzero(which)
        if count == got.size:
            yield Pattern(kind, f"All wrong elements hold {what}." if count > 1 else f"It holds {what}.")
        elif 2 * count >= got.size:
            yield Pattern(kind, f"{count:,} of the {got.size:,} wrong elements hold {what}.")
    if got.dtype.kind in "iuf" and _sums_of_unwritten(got, right):
        yield Pattern(
            "unwritten sum",
            "The wrong elements look like sums in which bytes 0xCD stand, those of memory that was never "
            'written to: launch with checks=("initialisation",).',
        )
    yield from _shifted(wrong)
    yield from _transposed(wrong)
    yield from _scaled(wrong, got, right)


def _sums_of_unwritten(got: np.ndarray, right: np.ndarray) -> bool:
    """Are values a small number times that of the bytes 0xCD, but for what a right value may be?"""
    size = got.dtype.itemsize
    unwritten = np.full(size, UNWRITTEN, np.uint8).view(got.dtype)[0]
    largest = np.abs(right[np.isfinite(right)].astype(np.float64)).max(initial=1)
    if 1000 * TERMS * largest > abs(float(unwritten)):
        return False  # large values would look so by accident
    if got.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            terms = got.astype(np.float64) / float(unwritten)
            like = (terms > 0.9) & (np.abs(terms - np.round(terms)) < 0.01)
    else:  # integers wrap around
        given = got.astype(f"u{size}")
        sums = np.arange(1, TERMS).astype(given.dtype) * unwritten.astype(given.dtype)
        rests = given[:, None] - sums
        like = (np.minimum(rests, -rests) <= 4 * largest).any(1)
    return bool(like.mean() >= MOST)


def _shifted(wrong: Wrong) -> Iterator[Pattern]:
    """got[i] is right[i + by], along one axis."""
    places = np.argwhere(wrong.mask)
    if len(places) < 3:
        return
    places = places[:: len(places) // SAMPLE + 1]
    for axis in reversed(range(wrong.right.ndim)):
        for by in (1, -1, 2, -2, 3, -3, 4, -4, LANES, -LANES):
            moved = places.copy()
            moved[:, axis] += by
            inside = (moved[:, axis] >= 0) & (moved[:, axis] < wrong.right.shape[axis])
            if 2 * np.count_nonzero(inside) < len(places):
                continue
            given, there = wrong.got[tuple(places[inside].T)], wrong.right[tuple(moved[inside].T)]
            if wrong.close(given, there).mean() >= MOST:
                unit = _axis_name(axis, wrong.right.ndim)
                many = f"{abs(by)} {unit}s" if abs(by) > 1 else f"one {unit}"
                side = "behind" if by > 0 else "before"
                yield Pattern(
                    "shifted", f"The wrong elements hold the right values of the places {many} {side} them."
                )
                return


def _axis_name(axis: int, ndim: int) -> str:
    return {(0, 1): "element", (0, 2): "row", (1, 2): "column"}.get((axis, ndim), f"step along axis {axis}")


def _transposed(wrong: Wrong) -> Iterator[Pattern]:
    if wrong.right.ndim != 2 or 1 in wrong.right.shape or np.count_nonzero(wrong.mask) < 3:
        return
    turned = wrong.right.T.reshape(wrong.right.shape)
    if wrong.close(wrong.got, turned)[wrong.mask].mean() >= MOST:
        yield Pattern("transposed", "The matrix is transposed: rows and columns have changed places.")


def _scaled(wrong: Wrong, got: np.ndarray, right: np.ndarray) -> Iterator[Pattern]:
    """got is right times a factor, or plus a number."""
    if got.size < 3 or got.dtype.kind not in "iuf" or np.unique(right).size < 2:
        return
    given, wanted = got.astype(np.float64), right.astype(np.float64)
    known = np.isfinite(given) & np.isfinite(wanted)
    usable = known & (wanted != 0)
    if np.count_nonzero(usable) >= MOST * got.size:
        factor = float(np.median(given[usable] / wanted[usable]))
        if factor and wrong.close(given[usable], factor * wanted[usable]).mean() >= MOST:
            yield Pattern("factor", f"The wrong elements are {_number(factor)} times the right values.")
    if np.count_nonzero(known) >= MOST * got.size:
        offset = float(np.median(given[known] - wanted[known]))
        if offset and wrong.close(given[known], wanted[known] + offset).mean() >= MOST:
            size = "large" if offset > 0 else "small"
            yield Pattern("offset", f"The wrong elements are too {size} by {_number(abs(offset))}.")


def _number(value: float) -> str:
    return f"{value:.4g}"


# Places. Elements may be right by accident, so a pattern need not be filled entirely.


def _filled(wrong: np.ndarray, of: np.ndarray) -> np.ndarray | None:
    """Which groups are wrong, where `wrong` of `of` elements of each are; None where one is so in part."""
    which = wrong >= MOST * of
    return which if ((wrong == 0) | which).all() and not which.all() else None


def _nearly(wrong: int, of: int) -> str:
    right = of - wrong
    return f" (except {right:,} that {'is' if right == 1 else 'are'} right)" if right else ""


def _places(mask: np.ndarray, grid: Index, block: Index) -> Iterator[Pattern]:
    count = np.count_nonzero(mask)
    if mask.all():
        yield Pattern("all", "Every element is wrong." if mask.size > 1 else "It is the only element.")
        return
    if count == 1:
        for kind, place, there in (("tail", -1, "last"), ("head", 0, "first")):
            if mask.flat[place]:
                yield Pattern(kind, f"It is the {there} element.")
        return
    if mask.ndim == 2 and 1 not in mask.shape:
        yield from _lines(mask)
        yield from _tiles(mask, block)
    flat = mask.ravel()
    threads = block[0] * block[1] * block[2]
    one_each = mask.ndim == 1 and _one_each(flat.size, grid, block)
    if one_each and threads > 1:
        yield from _groups(flat, threads, "blocks", "block")
    first, last = int(flat.argmax()), flat.size - 1 - int(flat[::-1].argmax())
    for kind, length, there in (("tail", flat.size - first, "last"), ("head", last + 1, "first")):
        if length < flat.size and count >= MOST * length:
            yield Pattern(kind, f"They are the {there} {length:,} elements{_nearly(count, length)}.")
    if one_each and threads > LANES:
        yield from _groups(flat, LANES, "warps", "warp")
    if count >= MOST * mask.size:
        yield Pattern("all", "Nearly every element is wrong.")


def _one_each(size: int, grid: Index, block: Index) -> bool:
    """May element i belong to thread i? As many elements as threads, the last block not full at most."""
    threads = block[0] * block[1] * block[2]
    blocks = grid[0] * grid[1] * grid[2]
    return -(-size // threads) == blocks and size > blocks


def _lines(mask: np.ndarray) -> Iterator[Pattern]:
    """Whole rows, whole columns, or the border."""
    for axis, unit in ((1, "row"), (0, "column")):
        counts = mask.sum(axis)
        whole = _filled(counts, np.full(counts.size, mask.shape[axis]))
        if whole is not None:
            named = _listed(np.flatnonzero(whole), whole.size, unit)
            nearly = _nearly(int(counts.sum()), int(whole.sum()) * mask.shape[axis])
            yield Pattern(f"{unit}s", f"They are {named}{nearly}.")
    border = np.ones_like(mask)
    border[1:-1, 1:-1] = False
    if not mask[~border].any() and np.count_nonzero(mask) >= MOST * np.count_nonzero(border):
        yield Pattern("border", "They are the border: the first and last rows and columns.")


def _tiles(mask: np.ndarray, block: Index) -> Iterator[Pattern]:
    """Whole tiles of a block's shape, the last of each axis perhaps cut off."""
    width, height, depth = block
    if depth > 1 or height == 1 or width == 1:
        return
    rows, columns = (np.arange(size) // step for size, step in zip(mask.shape, (height, width), strict=True))
    across = int(columns[-1]) + 1
    tile = rows[:, None] * across + columns
    counts = np.bincount(tile.ravel())
    whole = _filled(np.bincount(tile[mask], minlength=counts.size), counts)
    if whole is None:
        return
    places = [(int(each % across), int(each // across)) for each in np.flatnonzero(whole)]
    if len(places) == 1:
        told = f"the whole tile of block {places[0]}"
    elif len(places) <= NAMED:
        told = f"the whole tiles of the blocks {', '.join(map(str, places))}"
    else:
        told = f"the whole tiles of {len(places):,} of {counts.size:,} blocks"
    yield Pattern("blocks", f"They are {told}{_nearly(np.count_nonzero(mask), int(counts[whole].sum()))}.")


def _groups(flat: np.ndarray, size: int, kind: str, unit: str) -> Iterator[Pattern]:
    """Groups of `size` elements that are wrong as a whole while all others are right as a whole."""
    counts = np.add.reduceat(flat.astype(np.int64), np.arange(0, flat.size, size))
    full = np.full(counts.size, size)
    full[-1] = flat.size - size * (counts.size - 1)
    whole = _filled(counts, full)
    if whole is not None:
        named = _listed(np.flatnonzero(whole), counts.size, unit)
        nearly = _nearly(int(counts.sum()), int(full[whole].sum()))
        yield Pattern(kind, f"They are all elements of {named}{nearly}, if element i is thread i's.")


def _listed(numbers: np.ndarray, total: int, unit: str) -> str:
    """The last row; rows 3 and 4; 20 of the 64 rows."""
    last = total - 1
    if numbers.size == 1:
        return {0: f"the first {unit}", last: f"the last {unit}"}.get(int(numbers[0]), f"{unit} {numbers[0]}")
    if numbers.size == 2 and (numbers == (0, last)).all():
        return f"the first and the last {unit}"
    if numbers.size > 2 and (np.diff(numbers) == 1).all():
        return f"the {unit}s {numbers[0]} to {numbers[-1]}"
    if numbers.size <= NAMED:
        return f"the {unit}s {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
    return f"{numbers.size:,} of the {total:,} {unit}s"


# What repeats


def _strides(mask: np.ndarray, grid: Index, block: Index) -> Iterator[Pattern]:
    flat = mask.ravel()
    wrong = np.flatnonzero(flat)
    if wrong.size < 3:
        return
    step = int(np.gcd.reduce(np.diff(wrong)))
    if step > 1:
        yield from _every(wrong, step, flat.size, grid, block)
    one_each = _one_each(flat.size, grid, block)
    if one_each:
        yield from _lanes(flat)
        yield from _edges(wrong, flat.size, block)
    if mask.ndim == 2:
        yield from _tile_edges(mask, block)


def _every(wrong: np.ndarray, step: int, size: int, grid: Index, block: Index) -> Iterator[Pattern]:
    first = int(wrong[0]) % step
    if wrong.size < MOST * -(-(size - first) // step):
        return
    told = f"They are every {_ordinal(step)} element, from element {first}"
    threads = block[0] * block[1] * block[2]
    if _one_each(size, grid, block):
        if step == threads:
            told += f": thread {first} of each block, if element i is thread i's"
        elif step == LANES:
            told += f": lane {first} of each warp, if element i is thread i's"
    yield Pattern("stride", told + ".")


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number:,}{ending}"


def _lanes(flat: np.ndarray) -> Iterator[Pattern]:
    """The same lanes of every warp."""
    lanes = np.arange(flat.size) % LANES
    present = np.bincount(lanes, minlength=LANES)
    wrong = np.bincount(lanes[flat], minlength=LANES)
    whole = _filled(wrong, present)
    if flat.size < 2 * LANES or whole is None:
        return
    told = _listed(np.flatnonzero(whole), LANES, "lane")
    yield Pattern("lanes", f"They are {told} of every warp, if element i is thread i's.")


def _edges(wrong: np.ndarray, size: int, block: Index) -> Iterator[Pattern]:
    """Only near the first or the last threads of the blocks, in several blocks."""
    threads = block[0] * block[1] * block[2]
    place = wrong % threads
    near = np.minimum(place, threads - 1 - place)
    if size > 2 * threads and near.max() < threads // 8 and np.unique(wrong // threads).size > 1:
        reach = int(near.max())
        at = "at the edges" if reach == 0 else f"within {reach + 1} of the edges"
        yield Pattern(
            "edges",
            f"They all lie {at} of the blocks of {threads}: look at what a block takes from its neighbours.",
        )


def _tile_edges(mask: np.ndarray, block: Index) -> Iterator[Pattern]:
    """Only near the edges, or only at the corners, of the tiles of several blocks."""
    (width, height, depth), places = block, np.argwhere(mask)
    if depth > 1 or min(width, height) < 4 or mask.shape[0] < 2 * height or mask.shape[1] < 2 * width:
        return
    sides = np.array([height, width])
    near = np.minimum(places % sides, sides - 1 - places % sides)
    if np.unique(places // sides, axis=0).shape[0] < 2:
        return
    for within, where in ((near.max(1), "corner"), (near.min(1), "edge")):
        reach = int(within.max())
        if reach <= (min(width, height) - 1) // 8:
            at = f"at the {where}s" if reach == 0 else f"within {reach + 1} of the {where}s"
            yield Pattern(
                "edges",
                f"They all lie {at} of the blocks' tiles of {width} x {height}: look at what a block takes "
                "from its neighbours.",
            )
            return
