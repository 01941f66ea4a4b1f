"""NVRTC in a worker process: CUDA C++ in, PTX, machine code and its facts out. Needs no GPU.

    program = compile(source, defines={"TILE": 16}, name="matmul.cu")
    program.ptx, program.cubin, program.resources["matmul_tiled"].registers_per_thread

Counting always compiles for sm_90 with the locked NVRTC, so that counts are the same on every machine. What
an include can reach is said in `includes`, what bounds the worker in `worker`, and how an interrupt ends a
compile in `pool`. The files in standard/ stand in for the standard C and C++ headers, of which NVRTC brings
none: what kernels use of them is there, and what only hosts use is not.
"""

from .cache import DiskCache
from .cubin import Resources
from .errors import Cancelled, CompileError, CompilerFailed
from .options import AS_NVCC
from .program import Compiled, close, compile, warm
from .toolchain import ToolchainMissing, include_folders, version

__all__ = [
    "AS_NVCC",
    "Cancelled",
    "CompileError",
    "Compiled",
    "CompilerFailed",
    "DiskCache",
    "Resources",
    "ToolchainMissing",
    "close",
    "compile",
    "include_folders",
    "version",
    "warm",
]
