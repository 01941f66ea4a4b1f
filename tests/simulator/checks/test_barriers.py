"""Barriers: who is missing, who waits elsewhere, and masks of lanes that are not there."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.checks.checked import HEAD, floats, found, launch, quiet, zeros


def kernel(body: str) -> str:
    return HEAD + "k(float *x, int n) { __shared__ float s[64]; int t = threadIdx.x;\n" + body + "\n}"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("if (t >= n) return; s[t] = x[t];\n__syncthreads();\nx[t] = s[n - 1 - t];", {3}),
        ("if (t < n)\n__syncthreads();\nx[t] = t;", {3}),
        ("for (int i = t; i < n; i += 16) { s[t] = i;\n__syncthreads();\n} x[t] = 1.0f;", {3}),
        ("if (t < 32)\n__syncthreads();\nelse\n__syncthreads();\nx[t] = 1.0f;", {3, 5}),
        ("if (t % 2)\n__syncthreads();\nelse { x[t] = 2.0f;\n__syncthreads(); }\nx[t] += 1.0f;", {3, 5}),
    ],
    ids=["early return", "in an if", "uneven loop", "two barriers, by warp", "two barriers, by lane"],
)
def test_not_all_come_to_one_barrier(body: str, lines: set[int]) -> None:
    run = launch(kernel(body), [floats(64), 40])
    kinds = [(kind, found_lines) for kind, found_lines in found(run) if kind == "barriers"]
    assert kinds
    assert kinds[0][1] == lines


@pytest.mark.parametrize(
    "body",
    [
        "for (int b = 0; b < n; b += 64) { s[t] = b;\n__syncthreads();\nx[t] += s[63 - "
        "t];\n__syncthreads(); }",
        "if (n > 8) { s[t] = x[t];\n__syncthreads();\nx[t] = s[63 - t]; }",
        "#pragma unroll 4\nfor (int b = 0; b < n; b++) {\n__syncthreads(); if (t == b % 64) x[t] += 1.0f; }",
        'if (t / 32 == 0) asm volatile("bar.sync 1, 32;"); else asm volatile("bar.sync 2, '
        '32;");\n__syncthreads();',
        "if (t < n) s[t] = x[t];\n__syncthreads();\nif (t < n) x[t] = s[n - 1 - t];",
        "for (int i = 0; i < t; i++) x[t] += 1.0f;\n__syncthreads();\nx[t] += 1.0f;",
        "for (int b = 0; b < 4; b++) { if (t % 3 == b) continue; x[t] += 1.0f; }\n__syncthreads();",
        '#pragma unroll 1\nfor (int i = 0; i < 64; i++)\nif (i == t) asm volatile("barrier.sync 0;");',
    ],
    ids=[
        "loop",
        "same for all",
        "unrolled",
        "a barrier for each warp",
        "guarded accesses",
        "behind loops of unequal length",
        "behind a loop with continue",
        "not aligned",
    ],
)
def test_all_come(body: str) -> None:
    quiet(launch(kernel(body), [floats(64), 40]))


@pytest.mark.parametrize("unroll", [1, 4], ids=["one barrier", "unrolled"])
def test_all_come_but_the_lanes_of_a_warp_apart(unroll: int) -> None:
    """Each thread in a round of its own: the values are right, and the rule is broken."""
    body = (
        f"#pragma unroll {unroll}\nfor (int i = 0; i < n; i++)\nif (i == t)\n__syncthreads();\nx[t] = 1.0f;"
    )
    run = launch(kernel(body), [floats(64), 64])
    (finding,) = run.findings
    assert (finding.kind, finding.lines) == ("barriers", (5,))
    assert "reached in pieces" in finding.message
    before, behind = (thread for _, thread in finding.threads)
    assert before != behind


def test_a_message_names_the_missing_threads() -> None:
    body = "if (t >= n) return;\n__syncthreads();\nx[t] = 1.0f;"
    (finding, *_) = launch(kernel(body), [floats(64), 40]).findings
    assert "24 of the block's 64 threads" in finding.message
    assert [each.action for each in finding.accesses] == ["waits", "leaves"]
    assert finding.threads[1] == ((0, 0, 0), (40, 0, 0))


def test_a_count_that_does_not_fit() -> None:
    source = (
        HEAD
        + 'k(float *x) { if (threadIdx.x < 96)\nasm volatile("bar.sync 1, 64;");\nx[threadIdx.x] = 1.0f; }'
    )
    run = launch(source, [zeros(128)], 128)
    assert ("barriers", {2}) in found(run)
    quiet(launch(source.replace("64;", "96;"), [zeros(128)], 128))


def test_a_hang_is_a_finding() -> None:
    source = (
        HEAD
        + 'k(float *x) { if (threadIdx.x < 32)\nasm volatile("bar.sync 1, 64;");\nx[threadIdx.x] = 1.0f; }'
    )
    run = launch(source, [zeros(64)])
    assert ("barriers", {2}) in found(run)
    assert run.findings[0].message.startswith("Hang")
    with pytest.raises(simulator.Hang):
        launch(source, [zeros(64)], checks=("memory",))


def test_an_endless_loop_is_a_finding() -> None:
    source = HEAD + "k(volatile int *flag) {\nwhile (*flag == 0);\n*flag = 2; }"
    run = launch(source, [zeros(1, np.int32)], 32, budget=100_000)
    assert found(run)[0] == ("barriers", {2})


MASKS = {
    "branch": ("if (t % 32 < 16) v += __shfl_xor_sync(0xffffffff, v, 1);", 0),
    "left": ("if (t >= n) return; v += __shfl_down_sync(0xffffffff, v, 1);", 40),
    "vote": ("if (t >= n) return; v += __all_sync(0xffffffff, v > 0.0f);", 40),
    "syncwarp": ("if (t % 32 < 8) { s[t] = v; __syncwarp(); v = s[t ^ 1]; }", 0),
    "outside": ("v += __shfl_xor_sync(0x0000ffff, v, 1);", 0),
}


@pytest.mark.parametrize("name", MASKS)
def test_masks_that_name_others(name: str) -> None:
    body, n = MASKS[name]
    run = launch(kernel(f"float v = x[t];\n{body}\nx[t] = v;"), [floats(64), n])
    assert ("barriers", {3}) in found(run)
    assert run.findings[0].message.startswith("Wrong lanes")


@pytest.mark.parametrize(
    "body",
    [
        "if (t % 32 < 16) v += __shfl_xor_sync(0x0000ffff, v, 1);",
        "unsigned m = __ballot_sync(0xffffffff, t < n); if (t < n) v += __shfl_sync(m, v, 0);",
        "float w = t < n ? v : 0.0f; for (int d = 16; d > 0; d /= 2) w += "
        "__shfl_down_sync(0xffffffff, w, d); v = w;",
        "if (t / 32 == 1) { for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d); }",
        "if (t / 32 == 0) return; v += __shfl_xor_sync(0xffffffff, v, 1);",
    ],
)
def test_masks_that_fit(body: str) -> None:
    quiet(launch(kernel(f"float v = x[t];\n{body}\nx[t] = v;"), [floats(64), 40]))


def test_lanes_that_never_were_may_be_named() -> None:
    quiet(
        launch(
            kernel("x[t] += __shfl_down_sync(0xffffffff, x[t], 1);"),
            [floats(64), 0],
            50,
            checks=("barriers",),
        )
    )
