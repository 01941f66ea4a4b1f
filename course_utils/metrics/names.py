"""The metrics that a run reports: their exact names, what they count, and on what level.

Names without the prefix ``ptx__`` are Nsight Compute's own. Their meaning is that of its documentation:
https://docs.nvidia.com/nsight-compute/ProfilingGuide/ ("Metrics Guide", "Memory Tables").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """On what level a metric counts; the value is what is shown beside the number."""

    HARDWARE = "counted at hardware level"
    PTX = "PTX-level"


@dataclass(frozen=True)
class Metric:
    """One metric: its exact ``name``, a ``label`` for tables, its ``unit``, its ``meaning`` as a sentence."""

    name: str
    label: str
    unit: str
    meaning: str
    level: Level


GLOBAL_LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
GLOBAL_STORE_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
GLOBAL_LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
GLOBAL_STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
SHARED_LOAD_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
SHARED_STORE_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
SHARED_LOAD_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
SHARED_STORE_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
LOCAL_LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"
LOCAL_STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"
REGISTERS = "launch__registers_per_thread"
STATIC_SHARED = "launch__shared_mem_per_block_static"
LIMIT_REGISTERS = "launch__occupancy_limit_registers"
LIMIT_WARPS = "launch__occupancy_limit_warps"
LIMIT_BLOCKS = "launch__occupancy_limit_blocks"
LIMIT_SHARED = "launch__occupancy_limit_shared_mem"
WARP_INSTRUCTIONS = "ptx__warp_inst_executed.sum"
THREAD_INSTRUCTIONS = "ptx__thread_inst_executed.sum"
DIVERGENT_BRANCHES = "ptx__branches_divergent.sum"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            GLOBAL_LOAD_REQUESTS,
            "global load requests",
            "request",
            "Loads from global memory, one whenever a warp executes one, however many lanes take part.",
            Level.HARDWARE,
        ),
        Metric(
            GLOBAL_STORE_REQUESTS,
            "global store requests",
            "request",
            "Stores to global memory, one whenever a warp executes one, however many lanes take part.",
            Level.HARDWARE,
        ),
        Metric(
            GLOBAL_LOAD_SECTORS,
            "global load sectors",
            "sector",
            "32-byte sectors of global memory that each load request touches, summed over the requests.",
            Level.HARDWARE,
        ),
        Metric(
            GLOBAL_STORE_SECTORS,
            "global store sectors",
            "sector",
            "32-byte sectors of global memory that each store request touches, summed over the requests.",
            Level.HARDWARE,
        ),
        Metric(
            SHARED_LOAD_WAVEFRONTS,
            "shared load wavefronts",
            "wavefront",
            "Passes through shared memory for loads: one pass serves a 4-byte word of each of the 32 banks.",
            Level.HARDWARE,
        ),
        Metric(
            SHARED_STORE_WAVEFRONTS,
            "shared store wavefronts",
            "wavefront",
            "Passes through shared memory for stores: one pass serves a 4-byte word of each of the 32 banks.",
            Level.HARDWARE,
        ),
        Metric(
            SHARED_LOAD_CONFLICTS,
            "shared load bank conflicts",
            "wavefront",
            "Load wavefronts beyond those needed if no two lanes wanted different words of one bank.",
            Level.HARDWARE,
        ),
        Metric(
            SHARED_STORE_CONFLICTS,
            "shared store bank conflicts",
            "wavefront",
            "Store wavefronts beyond those needed if no two lanes wanted different words of one bank.",
            Level.HARDWARE,
        ),
        Metric(
            LOCAL_LOAD_SECTORS,
            "local load sectors",
            "sector",
            "Sectors read from local memory: spilled registers, and arrays that have no place in registers.",
            Level.HARDWARE,
        ),
        Metric(
            LOCAL_STORE_SECTORS,
            "local store sectors",
            "sector",
            "Sectors written to local memory: spilled registers, and arrays that have no place in registers.",
            Level.HARDWARE,
        ),
        Metric(
            REGISTERS,
            "registers a thread",
            "register",
            "32-bit registers that the compiled kernel gives each thread.",
            Level.HARDWARE,
        ),
        Metric(
            STATIC_SHARED,
            "static shared memory a block",
            "byte",
            "Shared memory that the kernel's own declarations take in each block.",
            Level.HARDWARE,
        ),
        Metric(
            LIMIT_REGISTERS,
            "blocks an SM by registers",
            "block",
            "Blocks that one SM could hold if only its registers limited them.",
            Level.HARDWARE,
        ),
        Metric(
            LIMIT_WARPS,
            "blocks an SM by warps",
            "block",
            "Blocks that one SM could hold if only its places for warps limited them.",
            Level.HARDWARE,
        ),
        Metric(
            LIMIT_BLOCKS,
            "blocks an SM by blocks",
            "block",
            "Blocks that one SM can hold at most, whatever they need.",
            Level.HARDWARE,
        ),
        Metric(
            LIMIT_SHARED,
            "blocks an SM by shared memory",
            "block",
            "Blocks that one SM could hold if only shared memory of the stated carve-out limited them.",
            Level.HARDWARE,
        ),
        Metric(
            WARP_INSTRUCTIONS,
            "warp instructions",
            "instruction",
            "PTX instructions executed, each counted once for a warp.",
            Level.PTX,
        ),
        Metric(
            THREAD_INSTRUCTIONS,
            "thread instructions",
            "instruction",
            "PTX instructions executed, each counted once for every active lane.",
            Level.PTX,
        ),
        Metric(
            DIVERGENT_BRANCHES,
            "divergent branches",
            "branch",
            "PTX branches executed at which the active lanes of a warp went different ways.",
            Level.PTX,
        ),
    )
}
