"""Finding kernels, their tunables, sizes and launches, and what is said when something is wrong."""

import re
from pathlib import Path

import numpy as np
import pytest

from course_utils import kernels
from course_utils.kernels import Geometry, Kernel, KernelError

SOURCE = """\
// Adds one. It is short.
//
// tunable TILE: 2, 4   (default 4)  edge of the tile
// launch BLOCKS: 1, 8   (default 8)  blocks
// block: (TILE, 32)
// grid: (BLOCKS, ceil(n / TILE))
// shared: 4 * TILE * TILE   dynamic
#ifndef TILE
#define TILE 4
#endif

extern "C" __global__ void add_one(float* x, int n, int unused) { x[n] += 1; }
"""


def kernel(source: str = SOURCE) -> Kernel:
    return Kernel("topic/add_one", Path("add_one.cu"), source)


def test_find_lists_names_that_load() -> None:
    names = kernels.find()
    assert names == tuple(sorted(names))
    assert {kernels.load(name).name for name in names} == set(names)
    assert kernels.load("tiling/tiled.cu").path.name == "tiled.cu"


def test_what_a_file_states() -> None:
    tiled = kernels.load("tiling/tiled")
    assert tiled.topic == "tiling"
    assert re.fullmatch(r"Tiled matrix product: .*\.", tiled.summary)
    assert tiled.entry.name == "matmul_tiled"
    assert tiled.tunables["TILE"].values == (4, 8, 16, 32)
    assert tiled.tunables["TILE"].default == 16
    assert tiled.sizes == ("N",)
    assert tiled.geometry(N=256) == Geometry((16, 16), (16, 16), 0)
    assert tiled.geometry({"TILE": 32}, N=257) == Geometry((9, 9), (32, 32), 0)


def test_one_choice_drives_naive_and_tiled_but_only_tiled_is_recompiled() -> None:
    naive, tiled = kernels.load("tiling/naive"), kernels.load("tiling/tiled")
    assert naive.geometry({"TILE": 8}, N=100) == tiled.geometry({"TILE": 8}, N=100)
    assert (naive.defines({"TILE": 8}), tiled.defines({"TILE": 8})) == ({}, {"TILE": 8})


def test_tunables_launch_choices_and_sizes() -> None:
    add_one = kernel()
    assert add_one.summary == "Adds one."
    assert add_one.sizes == ("n",)
    assert add_one.values({"BLOCKS": 1}) == {"TILE": 4, "BLOCKS": 1}
    assert add_one.defines({"TILE": np.int64(2), "BLOCKS": 1}) == {"TILE": 2}
    assert add_one.geometry({"TILE": 2}, n=np.int32(5), unused=3) == Geometry((8, 3), (2, 32), 16)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kernels.load("tilling/tild"), r"no kernel 'tilling/tild'; the nearest: tiling/tiled"),
        (lambda: kernels.load("tiled"), r"the nearest: tiling/tiled"),
        (lambda: kernels.load("zzzz"), r"there are bank_conflicts/.* and tiling/vectorised\."),
        (lambda: kernels.find("tile"), r"no topic 'tile'; the nearest: tiling"),
        (lambda: kernel().values({"TILE": 3}), r"TILE cannot be 3 in topic/add_one: use 2 or 4\."),
        (lambda: kernel().values({"BLOCKS": True}), r"BLOCKS cannot be True"),
        (lambda: kernel().values({"PAD": 1}), r"no tunable PAD; it has TILE and BLOCKS\."),
        (lambda: kernel().geometry(), r"needs n: n is missing\."),
        (lambda: kernel().geometry(N=3), r"no parameter N; its launch needs n\."),
        (lambda: kernel().geometry(n=0), r"n cannot be 0: use a positive integer\."),
        (lambda: kernel().geometry(n=2.5), r"n cannot be 2\.5"),
        (lambda: kernel().geometry(n=2**20), r"no GPU accepts a grid of \(8, 262144\)"),
        (lambda: kernel().show(3, 99), r"has lines 1 to 12; 3 to 99"),
        (lambda: kernel(SOURCE.replace("(TILE, 32)", "(64, 32)")).geometry(n=1), r"block of 2048 threads"),
    ],
)
def test_errors_say_what_to_do(call: object, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("// Adds one. It is short.", "// no sentence", r"add_one\.cu: the head comment must begin with"),
        ("// block: (TILE, 32)\n", "", r"must state 'block:' once, and does so 0 times"),
        ("// shared", "// grid: (1)\n// shared", r"must state 'grid:' once, and does so 2 times"),
        ("(default 4)", "(default 3)", r"default of TILE, 3, is none of its values"),
        ("#define TILE 4", "#define TILE 2", r"TILE needs its default, 4, under #ifndef"),
        ("tunable TILE: 2, 4", "tunable TILE: 2 to 4", r"write 'tunable NAME: 1, 2, 4"),
        ("BLOCKS, ceil(n", "BLOCKS, ceil(m", r"grid uses m, neither a tunable nor a parameter"),
        ("shared: 4", "shared: 1, 4", r"shared has 2 parts; 1 is the most"),
        ("(TILE, 32)", "(TILE, 1, 1, 1)", r"block has 4 parts; 3 is the most"),
        ("(TILE, 32)", "(TILE, open(32))", r"may not hold 'open\(32\)'"),
        ('extern "C" ', "", r"there is no entry point"),
    ],
)
def test_a_file_that_does_not_fit_its_head_is_refused(old: str, new: str, message: str) -> None:
    assert old in SOURCE
    with pytest.raises(KernelError, match=message):
        kernel(SOURCE.replace(old, new))


def test_a_macro_that_breaks_nvrtc_is_refused() -> None:
    with pytest.raises(KernelError, match="a macro named T"):
        kernel(SOURCE.replace("TILE", "T"))


def test_several_entry_points_must_be_named() -> None:
    both = kernel(SOURCE + 'extern "C" __global__ void add_two(float* x, int n) { x[n] += 2; }\n')
    assert [entry.name for entry in both.entry_points] == ["add_one", "add_two"]
    with pytest.raises(KernelError, match="add_one and add_two"):
        _ = both.entry


def test_a_learners_copy_takes_precedence_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, own = tmp_path / "kernels", tmp_path / "my" / "kernels"
    for folder, source in ((course, SOURCE), (own, SOURCE.replace("Adds one", "Adds more"))):
        (folder / "topic").mkdir(parents=True)
        (folder / "topic" / "add_one.cu").write_text(source, encoding="utf-8")
    (course / "topic" / "other.cu").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(kernels, "_KERNELS", course)
    monkeypatch.setattr(kernels, "_OWN_KERNELS", own)
    assert kernels.load("topic/add_one").summary == "Adds one."
    assert kernels.load("topic/add_one", own=True).summary == "Adds more."
    assert kernels.load("topic/other", own=True).path == course / "topic" / "other.cu"


def test_parameters_that_the_launch_does_not_need_may_be_anything() -> None:
    strided = kernels.load("coalescing/strided_copy")
    assert strided.geometry(n=512, stride=0, offset=0) == strided.geometry(n=512)


def test_shapes_of_shared_arrays() -> None:
    assert kernels.load("tiling/tiled").shared_shapes({"TILE": 8}) == {"a_tile": (8, 8), "b_tile": (8, 8)}
    assert kernels.load("coalescing/transpose_shared").shared_shapes() == {"tile": (32, 33)}
    assert kernels.load("execution_model/reverse").shared_shapes({"BLOCK": 64}) == {"segment": (64,)}
    assert kernels.load("tiling/naive").shared_shapes() == {}
    unknown = kernel(SOURCE.replace("{", "{ __shared__ float x[sizeof(int)]; __shared__ double y[4];", 1))
    assert unknown.shared_shapes() == {}
