"""Makes triton_matmul.ptx: run it where Triton 3.9 is installed. It needs no GPU and no PyTorch."""

from __future__ import annotations

import re
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def matmul(  # noqa: ANN201
    a_ptr,  # noqa: ANN001
    b_ptr,  # noqa: ANN001
    c_ptr,  # noqa: ANN001
    M,  # noqa: ANN001
    N,  # noqa: ANN001
    K,  # noqa: ANN001
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """C = A * B, all of them f16, row by row; sums in f32."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * K + k[None, :]
    b = b_ptr + k[:, None] * N + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a, mask=(m[:, None] < M) & (k[None, :] + first < K), other=0.0)
        right = tl.load(b, mask=(k[:, None] + first < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
        a += BK
        b += BK * N
    c = c_ptr + m[:, None] * N + n[None, :]
    tl.store(c, total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


def main() -> None:
    kinds = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    sizes = {"BM": 64, "BN": 64, "BK": 32}
    signature = kinds | dict.fromkeys(sizes, "constexpr")
    multiples = {(index,): [["tt.divisibility", 16]] for index in range(6)}
    source = ASTSource(matmul, signature, sizes, multiples)
    target, options = GPUTarget("cuda", 80, 32), {"num_warps": 4, "num_stages": 3}
    ptx = triton.compile(source, target=target, options=options).asm["ptx"]
    ptx = re.sub(r'(\.file\s+1 ").*/', r"\1", ptx)
    ptx = re.sub(r"\t\.section\t\.debug_(abbrev|info)\n\t\{.*?\n\t\}\n", "", ptx, flags=re.DOTALL)
    Path(__file__).with_suffix(".ptx").write_text(ptx, encoding="utf-8")


if __name__ == "__main__":
    main()
