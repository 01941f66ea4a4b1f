"""Single accesses of one warp: the simulator's counters against those that Nsight Compute read on an H200.

519 launches: atomics of all kinds in global and shared memory, ldmatrix, cp.async, over 52 patterns of
indices.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from course_utils import simulator

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "data" / "single_warp_h200.json").read_text(encoding="utf-8"))
TYPES = {"u32": np.uint32, "s32": np.int32, "f32": np.float32, "f64": np.float64, "u64": np.uint64}
# The GPU's own noise: the one launch of a pattern counted a sector more than another launch of the same
# pattern.
ONE_MORE = {("g_atom_add_u32", 30): 31, ("g_red_add_u64", 27): 28, ("g_red_add_u64", 30): 31}
NO_RULE = ("s_add_u64", "s_add_f64")

LAUNCHES = defaultdict(list)
for _kernel, _pattern, _numbers in RECORDED["launches"]:
    LAUNCHES[_kernel].append(
        (RECORDED["patterns"][_pattern], dict(zip(RECORDED["metrics"], _numbers, strict=True)))
    )


@pytest.fixture(scope="module")
def program() -> simulator.Program:
    path = HERE / "kernels" / "single_warp.cu"
    return simulator.compile(path.read_text(encoding="utf-8"), name=path.name)


def launch(program: simulator.Program, kernel: str, index: list[int]) -> simulator.Run:
    if kernel.startswith("ldm"):
        return program.launch(kernel, 1, 32, [np.array(index, np.uint32), np.zeros(32, np.uint32)])
    if kernel == "cpa4":
        arrays = [np.zeros(4096, np.float32), np.array(index, np.int32), np.zeros(32, np.float32)]
        return program.launch(kernel, 1, 32, arrays)
    element = TYPES[kernel.rsplit("_", 1)[1]]
    arrays = [np.zeros(4096, element), np.array(index, np.int32), np.zeros(32, element)]
    return program.launch(kernel, 1, 32, [*arrays, element(1)])


@pytest.mark.parametrize("kernel", [name for name in LAUNCHES if name not in NO_RULE])
def test_every_pattern_counts_as_on_the_gpu(program: simulator.Program, kernel: str) -> None:
    wrong = []
    for index, recorded in LAUNCHES[kernel]:
        metrics = launch(program, kernel, index).metrics
        for name, number in recorded.items():
            found = metrics[name]
            if found != number and ONE_MORE.get((kernel, found)) != number:
                wrong.append(f"{name}: {found}, on the GPU {number}, for {index}")
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("kernel", NO_RULE)
def test_where_no_rule_is_known_no_number_is_shown(program: simulator.Program, kernel: str) -> None:
    """These become loops on the GPU, with loads of their own: neither loads nor atomics can be told."""
    run = launch(program, kernel, list(range(32)))
    missing = set(RECORDED["metrics"]) - set(run.metrics)
    assert missing == {name for name in RECORDED["metrics"] if "mem_shared" in name}
    assert run.notes == [
        f"uncounted: the memory traffic of atom.shared.add.{'f64' if 'f64' in kernel else 'u64'}"
    ]


def test_counting_in_shared_memory_has_an_instruction_of_its_own() -> None:
    """Adding 1 to a word counts lanes with one address together: as on an H200 for a histogram in shared
    memory."""
    source = """
    extern "C" __global__ void tally(const int* index, unsigned* out) {
        __shared__ unsigned words[64];
        words[threadIdx.x] = words[threadIdx.x + 32] = 0;
        __syncwarp();
        atomicAdd(words + index[threadIdx.x], 1u);
        __syncwarp();
        out[threadIdx.x] = words[threadIdx.x];
    }"""
    index = np.array([0] * 16 + [32] * 8 + [5] * 8, np.int32)  # words 0 and 32 share a bank
    out = np.zeros(32, np.uint32)
    run = simulator.compile(source).launch("tally", 1, 32, [index, out])
    assert out[0] == 16
    assert out[5] == 8
    assert run.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"] == 2
    assert run.metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"] == 1


@pytest.mark.parametrize(("spread", "told"), [(1, False), (8, True)], ids=["side by side", "scattered"])
def test_scattered_reductions_are_a_lower_bound(spread: int, told: bool) -> None:
    """A histogram whose lanes are at random words has 1.7 % more sectors on an H200 than the rule gives."""
    source = f"""
    extern "C" __global__ void add(unsigned* out) {{ atomicAdd(&out[{spread} * threadIdx.x], threadIdx.x); }}
    """
    run = simulator.compile(source).launch("add", 1, 32, [np.zeros(32 * spread, np.uint32)])
    bound = "a lower bound: the sectors of scattered global atomics; a GPU may count 2 % more"
    assert run.notes == ([bound] if told else [])
