"""Graphs and shared data structures against plain Python."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, blocks, rng

family = Family("graphs")


def graph(nodes: int, edges: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random simple graph: its edges (u < v), and its neighbour lists as offsets and sorted targets."""
    pairs = np.sort(rng(seed).integers(0, nodes, (edges, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    offsets = np.concatenate([[0], np.bincount(both[:, 0], minlength=nodes).cumsum()])
    return pairs.astype(np.int32), offsets.astype(np.int32), both[:, 1].astype(np.int32).copy()


@family.case("a frontier queue by atomicCAS and atomicAdd, one launch a level")
def bfs_queue(program: Program) -> None:
    n = 200
    _, offsets, targets = graph(n, 240)
    depth, frontier = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    source = int(np.diff(offsets).argmax())
    depth[source], frontier[0], size, level = 0, source, 1, 0
    while size:
        level += 1
        found, count = np.zeros(n, np.int32), np.zeros(1, np.int32)
        program.launch(
            "bfs_queue", blocks(size, 32), 32, [offsets, targets, depth, frontier, size, found, count, level]
        )
        frontier, size = found, int(count[0])
    expected, queue = {source: 0}, [source]
    for v in queue:
        for u in targets[offsets[v] : offsets[v + 1]].tolist():
            if u not in expected:
                expected[u] = expected[v] + 1
                queue.append(u)
    assert_array_equal(depth, [expected.get(v, -1) for v in range(n)])
    assert level > 5


@family.case("atomicMin whose old value decides, a flag that all may set")
def sssp_relax(program: Program) -> None:
    n = 120
    pairs, _, _ = graph(n, 200)
    src, dst = np.concatenate([pairs, pairs[:, ::-1]]).T.copy()
    weight = np.tile(rng(2).integers(1, 50, len(pairs)), 2).astype(np.uint32)
    dist = np.full(n, 0xFFFFFFFF, np.uint32)
    dist[0] = 0
    for _ in range(n):
        changed = np.zeros(1, np.int32)
        program.launch("sssp_relax", 2, 96, [src, dst, weight, dist, changed, src.size])
        if not changed[0]:
            break
    best, heap = {}, [(0, 0)]
    while heap:
        length, v = heapq.heappop(heap)
        if v in best:
            continue
        best[v] = length
        for e in np.flatnonzero(src == v).tolist():
            heapq.heappush(heap, (length + int(weight[e]), int(dst[e])))
    assert_array_equal(dist, [best.get(v, 0xFFFFFFFF) for v in range(n)])


@family.case("pointer chasing in a device function, a CAS loop with break and a flag, int2 loads")
def union_find(program: Program) -> None:
    n = 300
    pairs, _, _ = graph(n, 240)
    parent = np.arange(n, dtype=np.int32)
    program.launch("union_edges", blocks(len(pairs), 64), 64, [pairs, parent, len(pairs)])
    program.launch("flatten", 3, 100, [parent, n])
    label = np.arange(n)
    for _ in range(n):
        low = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
        before = label.copy()
        np.minimum.at(label, pairs[:, 0], low)
        np.minimum.at(label, pairs[:, 1], low)
        if (label == before).all():
            break
    assert_array_equal(parent, label)


@family.case("gathers through two indices, __fdividef")
def pagerank_pull(program: Program) -> None:
    n = 90
    pairs, offsets, targets = graph(n, 300)
    degree = np.diff(offsets).astype(np.int32)
    rank = np.full(n, 1 / n, np.float32)
    for _ in range(3):
        out = np.zeros_like(rank)
        program.launch("pagerank_pull", 3, 32, [offsets, targets, degree, rank, out, 0.85, n])
        adjacent = np.zeros((n, n))
        adjacent[pairs[:, 0], pairs[:, 1]] = adjacent[pairs[:, 1], pairs[:, 0]] = 1
        expected = 0.15 / n + 0.85 * adjacent @ (rank / np.maximum(degree, 1))
        assert_allclose(out, expected, rtol=1e-5)
        rank = out


@family.case("two cursors that merge, __reduce_add_sync after divergence")
def count_triangles(program: Program) -> None:
    n = 60
    pairs, offsets, targets = graph(n, 500)
    count = np.zeros(1, np.uint64)
    program.launch(
        "count_triangles", blocks(len(pairs), 64), 64, [offsets, targets, pairs, count, len(pairs)]
    )
    adjacent = np.zeros((n, n), int)
    adjacent[pairs[:, 0], pairs[:, 1]] = adjacent[pairs[:, 1], pairs[:, 0]] = 1
    assert count[0] == np.trace(adjacent @ adjacent @ adjacent) // 2  # each is seen from its three edges


@family.case("64-bit atomicCAS, 64-bit multiplications, an endless for left by return")
def hash_insert(program: Program) -> None:
    items = rng().integers(0, 60, 500).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys, counts = np.full(128, 0xFFFFFFFFFFFFFFFF, np.uint64), np.zeros(128, np.uint32)
    program.launch("hash_insert", 4, 128, [keys, counts, items, items.size, np.uint32(128)])
    used = counts > 0
    found = dict(zip(keys[used].tolist(), counts[used].tolist(), strict=True))
    assert found == dict(zip(*(each.tolist() for each in np.unique(items, return_counts=True)), strict=True))


@family.case("a lock object on a __device__ word, spun on by one thread of each block")
def locked_append(program: Program) -> None:
    values = rng().integers(-1000, 1000, (9, 64), dtype=np.int32)
    found, size = np.zeros(9, np.int32), np.zeros(1, np.int32)
    program.launch("locked_append", 9, 64, [values, found, size, 64])
    assert size[0] == 9
    assert_array_equal(np.sort(found), np.sort(values.max(1)))


@family.case("a lock that all lanes of a warp want, released inside the loop")
def locked_per_thread(program: Program) -> None:
    total, mutex = np.zeros(1), np.zeros(1, np.int32)
    program.launch("locked_per_thread", 3, 48, [total, mutex, 2])
    assert total[0] == 0.5 * 3 * 48 * 2


@family.case("warps of a block that spin on each other's volatile shared flags")
def producer_consumer(program: Program) -> None:
    data = rng().integers(-99, 99, 50, dtype=np.int32)
    out = np.zeros_like(data)
    program.launch("producer_consumer", 1, 64, [data, out, 50])
    assert_array_equal(out, data * 3 + 1)
