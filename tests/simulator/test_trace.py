"""Traces: each step of a block with its line, lanes, addresses and costs; asking for one changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import kernels, simulator
from course_utils.simulator import sectors as rules
from tests.simulator.counted import counted

SOURCE = """
extern "C" __global__ void turn(const float *a, float *out, int n) {
    __shared__ float tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = a[i];
    __syncthreads();
    if (i < n)
        out[i] = tile[(threadIdx.x * 2) % 64];
}
"""
PROGRAM = simulator.compile(SOURCE, name="trace.cu")


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def launch(n: int, trace: dict[str, object] | None, **options: object) -> tuple[simulator.Run, np.ndarray]:
    out = np.zeros(192, np.float32)
    a = np.arange(192, dtype=np.float32)
    return PROGRAM.launch("turn", 3, 64, [a, out, np.int32(n)], trace=trace, **options), out  # type: ignore[arg-type]


def test_the_steps_of_one_block() -> None:
    run, out = launch(150, {"block": (2, 0)})  # threads 0..21 of block 2 are in range
    assert run.trace is not None
    assert run.trace.block == (2, 0, 0)
    assert run.trace.complete
    memory = [step for step in run.trace.steps if step.space in ("global", "shared")]
    described = [(step.warp, step.space, step.load, step.store, step.buffer, step.line) for step in memory]
    load, store = line_of("= a[i]"), line_of("out[i] =")
    assert described == [
        (0, "global", True, False, "a", load),
        (0, "shared", False, True, "tile", load),
        (0, "shared", True, False, "tile", store),
        (0, "global", False, True, "out", store),
    ]
    active = (1 << 22) - 1
    assert [step.active for step in memory] == [active] * 4
    lanes = np.arange(32)
    inside = lanes < 22
    for step, index in zip(memory, (128 + lanes, lanes, lanes * 2 % 64, 128 + lanes), strict=True):
        assert step.size == 4
        assert step.index.tolist() == np.where(inside, index, -1).tolist()
        assert (np.diff(step.address[inside]) == np.diff(4 * index[inside])).all()
    assert [step.sectors for step in memory] == [3, None, None, 3]  # 22 floats from a sector's beginning
    assert [step.wavefronts for step in memory] == [None, 1, 2, None]
    assert [step.ideal for step in memory] == [None, 1, 1, None]
    assert out[150:].sum() == 0


def test_warps_in_turn_between_barriers() -> None:
    run, _ = launch(192, {"block": 0})
    assert run.trace is not None
    steps = [
        (step.warp, step.opcode)
        for step in run.trace.steps
        if step.opcode.startswith(("ld.shared", "st.shared", "bar"))
    ]
    assert [warp for warp, _ in steps] == [0, 0, 1, 1, 0, 1]
    assert [opcode.split(".")[0] for _, opcode in steps] == ["st", "bar", "st", "bar", "ld", "ld"]


def test_one_warp_of_a_block() -> None:
    everything, _ = launch(192, {"block": 1})
    one, _ = launch(192, {"block": 1, "warp": 1})
    assert everything.trace is not None
    assert one.trace is not None
    assert [step.opcode for step in one.trace.steps] == [
        step.opcode for step in everything.trace.steps if step.warp == 1
    ]
    assert {step.warp for step in one.trace.steps} == {1}


@pytest.mark.parametrize("n", [192, 150, 65, 0])
@pytest.mark.parametrize("block", [0, 1, 2])
def test_a_trace_changes_nothing(n: int, block: int) -> None:
    plain, values = launch(n, None)
    traced, again = launch(n, {"block": block}, workers=1)
    assert plain.trace is None
    assert (values == again).all()
    assert plain.metrics == traced.metrics
    assert plain.by_line == traced.by_line


def test_the_steps_cost_what_the_counters_say() -> None:
    """With a single block the trace is the whole launch."""
    out, a = np.zeros(64, np.float32), np.arange(64, dtype=np.float32)
    run = PROGRAM.launch("turn", 1, 64, [a, out, np.int32(50)], trace={"block": 0})
    steps = run.trace.steps
    assert (
        sum(step.sectors for step in steps if step.space == "global" and step.load)
        == counted(run, "ld_sectors")[0]
    )
    assert (
        sum(step.wavefronts for step in steps if step.space == "shared" and step.load)
        == counted(run, "shared_ld")[0]
    )
    assert sum(step.active.bit_count() for step in steps) <= counted(run, "thread_inst")[0]
    for step in steps:
        if step.space == "global":
            lanes = [
                int(address) if step.active >> lane & 1 else None for lane, address in enumerate(step.address)
            ]
            assert step.sectors == rules.sectors(lanes, step.size)


def test_merged_accesses_say_what_the_hardware_moves() -> None:
    kernel = kernels.load("tiling/tiled")
    program = simulator.compile(kernel.source, defines={"TILE": 8})
    buffers = [np.ones((8, 8), np.float32) for _ in range(3)]
    run = program.launch("matmul_tiled", 1, (8, 8), [*buffers, np.int32(8)], trace={"block": 0, "warp": 0})
    of_a = [
        step for step in run.trace.steps if step.space == "shared" and step.load and step.buffer == "a_tile"
    ]
    assert [(step.size, step.moved) for step in of_a] == [(4, 16), (4, 0), (4, 0), (4, 0)] * 2
    assert [step.wavefronts > 0 for step in of_a] == [True, False, False, False] * 2


def test_a_step_has_its_instruction() -> None:
    run, _ = launch(192, {"block": 0})
    lines = PROGRAM.ptx.splitlines()
    for step in run.trace.steps:
        assert step.instruction.opcode == step.opcode
        assert step.opcode in lines[step.instruction.ptx_line - 1]


def test_a_warp_is_read_alone_and_a_step_is_one_object() -> None:
    first, second = (launch(192, {"block": 0})[0].trace for _ in range(2))
    assert first.warps() == first.warps("global") == first.warps("shared") == [0, 1]
    assert first.warps("local") == []
    alone = first.of(1)
    assert "_all" not in first.steps.__dict__
    assert [step for step in first.steps if step.warp == 1] == alone
    assert second.steps[:] == list(second.steps)
    assert [id(step) for step in second.of(1)] == [id(step) for step in second.steps if step.warp == 1]
    assert [step.opcode for step in alone] == [step.opcode for step in second.of(1)]
    assert launch(0, {"block": 0})[0].trace.warps("global") == []


def test_a_trace_that_is_full_ends_with_its_last_whole_step(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = launch(192, {"block": 0})[0].trace
    for room in range(0, 120, 7):
        monkeypatch.setattr(simulator.trace, "ROOM", room)
        cut = launch(192, {"block": 0})[0].trace
        assert not cut.complete
        known = [(step.warp, step.opcode, step.active) for step in whole.steps]
        assert [(step.warp, step.opcode, step.active) for step in cut.steps] == known[: len(cut.steps)]
