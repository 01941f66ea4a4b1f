"""A GPU without a GPU: NVRTC's own PTX, run on the processor and counted as Nsight Compute counts.

    program = simulator.compile(source, defines={"TILE": 16}, name="tiled.cu")
    run = program.launch("matmul_tiled", grid=(16, 16), block=(16, 16), args=[A, B, C, np.int32(256)])
    run.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]

In the order data flows: ptx (text -> instructions), controlflow, kinds (what is alike in all lanes), plan,
semantics and exchange and access, tensor and async_copy with helpers (instructions -> LLVM), codegen with
fast and masked (the two ways to run a warp), machine (LLVM -> code), runtime.ll (blocks and warps), arguments
and memory, launch, counters, program, compare with differences (why values are wrong). The checks, with a
second half in Python, are in checks.
"""

from ..compiler import CompileError
from .compare import Comparison, Difference, compare
from .errors import ArgumentError, Error, Hang, IllegalAccess, LaunchError, Place, PtxError, Trap, Unsupported
from .findings import Access, Finding
from .memory import fresh
from .program import CHECKS, Program, Run, compile, load_ptx

__all__ = [
    "CHECKS",
    "Access",
    "ArgumentError",
    "Comparison",
    "CompileError",
    "Difference",
    "Error",
    "Finding",
    "Hang",
    "IllegalAccess",
    "LaunchError",
    "Place",
    "Program",
    "PtxError",
    "Run",
    "Trap",
    "Unsupported",
    "compare",
    "compile",
    "fresh",
    "load_ptx",
]
