from __future__ import annotations

import pytest

from course_utils import kernels, simulator
from course_utils.compiler import CompilerFailed
from course_utils.labs.explain import explain

KERNEL = kernels.load("tiling/naive")


def test_every_error_of_a_source_with_its_line() -> None:
    with pytest.raises(simulator.CompileError) as raised:
        simulator.compile("__device__ int a = b;\n\n__device__ int c = d;\n", name="two.cu")
    told = explain(raised.value).text.splitlines()
    assert told[0] == "The kernel does not compile."
    assert [line.split(":")[0] for line in told[1:]] == ["line 1", "line 3"]


def test_the_line_itself_is_shown_escaped() -> None:
    line = next(n for n, text in enumerate(KERNEL.source.splitlines(), 1) if "k < N" in text)
    error = simulator.Unsupported("no such instruction", "foo.bar", line)
    explanation = explain(error, KERNEL)
    assert explanation.text.splitlines()[1] == f"line {line}: no such instruction"
    assert "for (int k = 0; k < N; ++k)" in explanation.text
    assert "k &lt; N" in explanation.html
    assert "k < N" not in explanation.html


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CompilerFailed("out of memory"), "The compiler failed.\nout of memory"),
        (simulator.Hang("too long"), "The kernel would not end; the run was stopped.\ntoo long"),
        (simulator.LaunchError("too big"), "The launch was refused, as a GPU would refuse it.\ntoo big"),
        (kernels.KernelError("no kernel"), "The lab cannot show this.\nno kernel"),
        (TypeError("bad"), "The lab cannot show this.\nTypeError: bad"),
    ],
)
def test_headlines(error: Exception, told: str) -> None:
    assert explain(error).text == told
