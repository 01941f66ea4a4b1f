"""The playground driven from Python, and as in a notebook where an event loop runs."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import ipywidgets as widgets
import pytest

from course_utils import playground, simulator
from course_utils.labs import Playground
from course_utils.metrics import names

SCALE = """\
#include <cstdio>
__global__ void scale(const float* x, float* y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = factor * x[i];
    }
}

template <typename T>
__global__ void fill(T* data, T value, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = value;
}

int main() {
    int n = 300;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scale<<<(n + 63) / 64, 64>>>(x, y, 3.0f, n);
    fill<float><<<1, 32>>>(y, 2.5f, n);
}
"""


def shown(lab: Playground) -> str:
    """All HTML that the playground shows."""

    def parts(widget: widgets.Widget) -> list[str]:
        if isinstance(widget, widgets.Box):
            return [text for child in widget.children for text in parts(child)]
        hidden = widget.layout.display == "none"
        return [widget.value] if isinstance(widget, widgets.HTML) and not hidden else []

    return "\n".join(parts(lab.widget))


def in_a_loop(act: Callable[[], None]) -> None:
    """Do something while an event loop runs in this thread, as in a notebook's cell."""

    async def main() -> None:
        act()

    asyncio.run(main())


def fields(lab: Playground) -> dict[str, str]:
    said = {name: field.value for name, field in lab.inputs.items()}
    return {"grid": lab.grid.value, "block": lab.block.value, **said}


def test_a_program_fills_the_fields_and_runs() -> None:
    lab = Playground(SCALE)
    assert fields(lab) == {
        "grid": "5", "block": "64", "x": "random n", "y": "unwritten n", "factor": "3", "n": "300",
    }  # fmt: skip
    assert [label for label, _ in lab.kernel.options] == ["scale", "fill"]
    assert "Host code is set aside: main." in shown(lab)
    assert "The kernel changed all 300 elements of y." in shown(lab)
    direct = simulator.compile(SCALE.split("int main")[0]).launch(
        "scale", 5, 64, [simulator.fresh(300, "f4"), simulator.fresh(300, "f4"), 3.0, 300]
    )
    sectors = direct.metrics[names.GLOBAL_LOAD_SECTORS]
    assert lab.outcome.run.metrics[names.GLOBAL_LOAD_SECTORS] == sectors
    assert f'data-measure="sectors" data-column="chosen">{sectors}<' in shown(lab)
    assert 'data-line="5"' in shown(lab)


def test_every_field_has_its_effect() -> None:
    lab = Playground(SCALE)
    lab.set(grid=2, block="32, 2", n=100, x="counting n", factor="n / 50")
    assert lab.outcome.run.grid == (2, 1, 1)
    assert lab.outcome.run.block == (32, 2, 1)
    assert lab.outcome.buffers[1].after[:4] == ("0", "2", "4", "6")
    lab.set(kernel="fill", instance="fill<double>", value="0.25", n=40)
    assert lab.outcome.buffers[0].after == ("0.25",) * 8
    assert lab.outcome.instance == "fill<double>"
    assert lab.instance.layout.display is None
    lab.set(kernel="scale")
    assert lab.instance.layout.display == "none"
    with pytest.raises(ValueError, match="no field 'stride'; the kernel's are x, y, factor, n"):
        lab.set(stride=3)
    with pytest.raises(ValueError, match="kernel cannot be 'other': there is scale, fill"):
        lab.set(kernel="other")


def test_what_was_typed_stays_while_the_kernel_is_edited() -> None:
    lab = Playground(SCALE)
    lab.set(n=10, x="counting 10", grid=1)
    lab.set(source=SCALE.replace("factor * x[i]", "factor + x[i]"))
    assert fields(lab)["x"] == "counting 10"
    assert lab.outcome.buffers[1].after[:3] == ("3", "4", "5")
    lab.set(source=SCALE.replace("int n)", "int m, int n)"))
    assert "m" in lab.inputs
    assert fields(lab)["x"] != "counting 10"


def test_a_compile_error_is_shown_with_its_line() -> None:
    lab = Playground(SCALE)
    panels = [panel.value for panel in lab.widget.children[-1].children]
    lab.set(source=SCALE.replace("factor * x[i]", "factr * x[i]"))
    assert lab.report().splitlines() == [
        "The kernel does not compile.",
        'line 5: identifier "factr" is undefined',
        "    y[i] = factr * x[i];",
    ]
    assert 'role="alert"' in shown(lab)
    assert [panel.value for panel in lab.widget.children[-1].children] == panels  # the last good ones, dimmed
    assert "lk-stale" in lab.widget.children[-1]._dom_classes
    with pytest.raises(RuntimeError, match="does not compile"):
        _ = lab.outcome
    lab.set(source=SCALE)
    assert "does not compile" not in shown(lab)
    assert "lk-stale" not in lab.widget.children[-1]._dom_classes


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("i < n", "i <= n", r"memory at line 5(.|\n)*reads x\[300\] at line 5 .*, but x has 300"),
        ("y[i] =", "while (x[0] < 2) { } y[i] =", "Hang: the kernel did not end"),
        (
            "if (i < n)",
            "if (i < 40) __syncthreads(); else if (i < 50) return; if (i < n)",
            r"\(changed|Hang|kernel",
        ),
        (
            "factor * x[i]",
            "factor * x[i]; assert(i != 7)",
            r"ended itself.*\nline 5: assertion failed .*\n    y\[i\] =",
        ),
        ("y[i] = factor", "y[i] = helper() * factor", r"line 5: identifier \"helper\" is undefined"),
        ("__global__ void scale", "void scale", r"The kernel changed .* of data"),
    ],
)
def test_what_goes_wrong_is_told_in_plain_words(old: str, new: str, expected: str) -> None:
    lab = Playground(SCALE.replace(old, new))
    assert re.search(expected, lab.report())


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"n": "many"}, "One of the fields cannot be used.\nn: the value 'many' is no number"),
        ({"x": "random"}, "x: the length is missing"),
        ({"grid": "0"}, "The launch was refused, as a GPU would refuse it.\ngrid.x is 0"),
        ({"block": "2048"}, "2048 threads|block.x is 2048"),
        ({"grid": "a, b"}, "grid: 'a, b' is not one to three whole numbers"),
        ({"grid": "3000000", "block": "1024"}, "would take minutes here"),
        ({"shared": "99999999"}, "bytes of shared memory"),
        ({"x": "none"}, "reads through a null pointer|[Nn]ull pointer"),
        ({"kernel": "fill", "instance": "fill"}, "it is a template: write fill<T>"),
        ({"kernel": "fill", "instance": "fill<flot>"}, "value: the type T (T = flot) is not known here"),
    ],
)
def test_fields_that_cannot_be_used(texts: dict[str, str], expected: str) -> None:
    lab = Playground(SCALE)
    lab.set(**texts)
    assert re.search(expected.replace("(", r"\(").replace(")", r"\)"), lab.report())


def test_buffers_are_named_where_the_simulator_does_not_know_them() -> None:
    lab = Playground("template <typename T> __global__ void t(T* data, int n) { data[n + threadIdx.x] = 1; }")
    assert "writes data[1024] at line 1" in lab.report()
    lab.paste("struct P { float* in; int n; }; __global__ void s(P p) { p.in[p.n + threadIdx.x] = 1; }")
    assert "writes p.in[1024] at line 1" in lab.report()


def test_sources_that_are_no_kernel() -> None:
    lab = Playground()
    assert lab.report() == "Nothing has run yet."
    assert repr(lab) == "<Playground no kernel yet>"
    lab.paste("int main() { return 0; }")
    assert lab.report().startswith("This cannot be run yet.\nthere is no kernel")
    lab.paste("__global__ void k(float* x) {\n  x[0] = (1;\n}")
    assert lab.report().startswith("This cannot be run yet.\nline 3: this } closes nothing")
    lab.paste(SCALE)
    assert lab.error is None


def test_what_the_kernel_prints_is_shown() -> None:
    lab = Playground(SCALE.replace("y[i] =", 'if (i == 3) printf("<%d>\\n", i); y[i] ='))
    assert "Printed:\n<3>" in lab.report()
    assert "&lt;3&gt;" in shown(lab)
    lab.set(source=SCALE)
    assert "Printed" not in shown(lab)


def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIVE_KERNELS_MY", str(tmp_path))
    (tmp_path / "own.cu").write_text("\ufeff" + SCALE, encoding="utf-8")
    (tmp_path / "latin.cu").write_bytes(b"// \xe4\n")
    assert {"my/own.cu", "kernels/tiling/tiled.cu", "examples/row_sums.cu"} <= set(playground.files())
    lab = Playground(file="my/own.cu")
    assert lab.outcome.instance == "scale"
    lab.set(file="kernels/tiling/tiled.cu")
    assert lab.outcome.instance == "matmul_tiled"
    for name, words in {
        "/etc/passwd": "is not under my/",
        "my/../secret.cu": "leads out of my/",
        "my/none.cu": "there is no file",
        "my/latin.cu": "is no UTF-8 text",
    }.items():
        with pytest.raises(ValueError, match=words):
            playground.read_file(name)
    (tmp_path.parent / "secret.cu").write_text("secret")
    lab.file.value = "my/../secret.cu"
    assert "leads out of my/" in shown(lab)
    assert "secret" not in lab.source.value


def test_widgets_stay_in_place() -> None:
    lab = Playground(SCALE)
    before = lab.widget.children
    panels = before[-1].children
    boxes = lab._fields.children
    lab.set(n=20)
    lab.set(source=SCALE.replace("3.0f", "4.0f"))
    assert lab.widget.children == before
    assert before[-1].children == panels
    assert lab._fields.children == boxes


def test_changes_in_a_notebook_are_worked_off_in_the_background() -> None:
    lab = Playground(SCALE)
    _ = lab.widget
    in_a_loop(lambda: setattr(lab.inputs["n"], "value", "64"))
    assert lab.wait(20)
    assert lab.outcome.buffers[1].count == 64

    def act() -> None:
        for number in range(20, 40):
            lab.inputs["n"].value = str(number)
        lab.run_button.click()

    in_a_loop(act)
    assert lab.wait(20)
    assert lab.outcome.buffers[1].count == 39


def test_many_changes_leave_nothing_behind() -> None:
    lab = Playground(SCALE)
    _ = lab.widget

    def change(times: int) -> None:
        for number in range(times):
            lab.inputs["n"].value = str(100 + number % 7)
            lab.source.value = SCALE.replace("3.0f", f"{number % 5}.0f")

    change(10)
    gc.collect()
    threads = threading.active_count()
    tracemalloc.start()
    try:
        change(10)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        change(100)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 400_000
    assert threading.active_count() == threads
