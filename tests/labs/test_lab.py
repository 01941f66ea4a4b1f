"""The kit driven from Python, where no event loop runs: what a control is set to is shown at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import ipywidgets as widgets
import numpy as np
import pytest

from course_utils import compiler, kernels, simulator
from course_utils.compiler import disassembly
from course_utils.kernels import Kernel
from course_utils.labs import AccessMap, Choice, Counters, Lab, Preset, SourceView, block_shapes
from course_utils.metrics import names
from course_utils.problems import Problem

MakeLab = Callable[..., Lab]
Edited = Callable[[str, str, str], Kernel]


def door(name: str, tile: int, size: int) -> dict[str, int]:
    """What the simulator counts, without the kit."""
    kernel = kernels.load(name)
    geometry = kernel.geometry({"TILE": tile}, N=size)
    program = simulator.compile(kernel.source, defines=kernel.defines({"TILE": tile}), name=kernel.path.name)
    buffers = [np.ones((size, size), np.float32) for _ in range(3)]
    arguments = [*buffers, np.int32(size)]
    return program.launch(kernel.entry.name, geometry.grid, geometry.block, arguments).metrics


def shown(lab: Lab) -> str:
    """All HTML that the lab shows."""

    def parts(widget: widgets.Widget) -> list[str]:
        if isinstance(widget, widgets.Box):
            return [text for child in widget.children for text in parts(child)]
        return [widget.value] if isinstance(widget, widgets.HTML) else []

    return "\n".join(parts(lab.widget))


def cell(lab: Lab, measure: str, column: str = "chosen") -> str:
    (found,) = re.findall(rf'data-measure="{measure}" data-column="{column}">([^<]*)<', shown(lab))
    return found


@pytest.mark.parametrize("tile", [4, 8])
@pytest.mark.parametrize("name", ["tiling/tiled", "tiling/naive", "tiling/swapped"])
def test_numbers_are_the_simulators(make_lab: MakeLab, name: str, tile: int) -> None:
    lab = make_lab()
    lab.controls["kernel"].value = name
    lab.controls["TILE"].value = tile
    lab.controls["N"].value = 40
    counted = door(name, tile, 40)
    assert lab.result.run.metrics == counted
    assert lab.result.baseline is not None
    assert lab.result.baseline.run.metrics == door("tiling/naive", tile, 40)
    assert cell(lab, "sectors") == f"{counted[names.GLOBAL_LOAD_SECTORS]:,}"
    assert f"{counted[names.GLOBAL_LOAD_SECTORS]:,}" in lab.report()


def test_set_moves_controls_and_shows(make_lab: MakeLab) -> None:
    lab = make_lab()
    lab.set(TILE=4, kernel="tiling/swapped")
    assert lab.controls["TILE"].value == 4
    assert lab.state == {"kernel": "tiling/swapped", "TILE": 4, "N": 24}
    assert lab.result.state == lab.state
    assert "swapped, TILE 4, N 24: a grid of 6 × 6 blocks of 4 × 4 threads" in shown(lab)  # noqa: RUF001


def test_every_number_is_labelled_and_the_result_checked(make_lab: MakeLab) -> None:
    lab = make_lab()
    assert "counted (simulator)" in shown(lab)
    assert "C equals NumPy's A @ B within 1e-5" in shown(lab).replace("&#x27;", "'")
    assert lab.report().splitlines()[:2] == [
        "tiled, TILE 8, N 24: a grid of 3 × 3 blocks of 8 × 8 threads; counted (simulator)",  # noqa: RUF001
        "C equals NumPy's A @ B within 1e-5",
    ]


def test_displayed_it_is_complete(make_lab: MakeLab) -> None:
    lab = make_lab()
    bundle = lab._repr_mimebundle_()
    assert bundle["text/plain"] == "<Lab tiled, TILE 8, N 24>"
    model = bundle["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert model == lab.widget.model_id
    assert 'role="img"' in shown(lab)


def test_report_is_repeatable(make_lab: MakeLab) -> None:
    first, second = make_lab(), make_lab()
    second.set(TILE=4)
    second.set(TILE=8)
    assert first.report() == second.report()


def test_unknown_controls_and_values_are_refused(make_lab: MakeLab) -> None:
    lab = make_lab()
    with pytest.raises(ValueError, match="no control 'STRIDE'; it has kernel, TILE, N"):
        lab.set(STRIDE=4)
    with pytest.raises(ValueError, match="TILE cannot be 16: this lab has 4, 8"):
        lab.set(N=32, TILE=16)
    assert lab.state["N"] == 24  # nothing was moved
    with pytest.raises(ValueError, match="baseline 'tiling/best' is none"):
        make_lab(baseline="tiling/best")
    with pytest.raises(ValueError, match="needs a kernel"):
        make_lab(kernels=[])


def test_sweep(make_lab: MakeLab) -> None:
    lab = make_lab()
    table = lab.sweep("TILE", ("sectors",), N=40)
    for row, tile in zip(table.rows, (4, 8), strict=True):
        counts = [
            door(name, tile, 40)[names.GLOBAL_LOAD_SECTORS] for name in ("tiling/tiled", "tiling/naive")
        ]
        assert row[:3] == (str(tile), *(f"{count:,}" for count in counts))
    assert lab.state["TILE"] == 8
    with pytest.raises(ValueError, match="no control 'STRIDE'"):
        lab.sweep("STRIDE")


def test_views_are_drawn_in_place(make_lab: MakeLab) -> None:
    lab = make_lab()
    before = lab.widget.children
    panels = before[-1].children
    lab.set(TILE=4)
    assert lab.widget.children == before
    assert before[-1].children == panels
    assert len(panels) == 3


def test_error_in_the_source(make_lab: MakeLab, edited: Edited) -> None:
    broken = edited("tiling/naive", "C[row * N + col] = sum;", "C[row * N + col] = total;")
    line = broken.source[: broken.source.index("= total")].count("\n") + 1
    lab = make_lab(kernels=["tiling/tiled", broken], baseline=None)
    picture = lab.widget.children[-1].children[0].value
    lab.set(kernel="tiling/mine")
    told = shown(lab)
    assert "The kernel does not compile." in told
    assert f"line {line}: identifier &quot;total&quot; is undefined" in told
    assert "C[row * N + col] = total;" in told
    assert lab.report().splitlines()[1] == f'line {line}: identifier "total" is undefined'
    assert lab.widget.children[-1].children[0].value == picture  # the last good one, dimmed
    assert "lk-stale" in lab.widget.children[-1]._dom_classes
    with pytest.raises(RuntimeError, match="does not compile"):
        _ = lab.result
    lab.set(kernel="tiling/tiled")
    assert "does not compile" not in shown(lab)
    assert "lk-stale" not in lab.widget.children[-1]._dom_classes
    assert lab.error is None


def test_index_out_of_bounds(make_lab: MakeLab, edited: Edited) -> None:
    wrong = edited("tiling/naive", "C[row * N + col] = sum;", "C[row * N + col + N * N] = sum;")
    lab = make_lab(kernels=[wrong], baseline=None)
    line = wrong.source[: wrong.source.index("C[row * N + col + N")].count("\n") + 1
    report = lab.report()
    assert report.startswith("The kernel used memory that is not its own; the run was stopped.")
    assert re.search(rf"line {line}: illegal store .*C\[\d+\] is out of bounds; C has 576 elements", report)
    assert re.search(r"block \(\d, \d, 0\), thread \(\d, \d, 0\)", report)


def test_wrong_result_is_shown_as_wrong(make_lab: MakeLab, edited: Edited) -> None:
    wrong = edited("tiling/naive", "C[row * N + col] = sum;", "if (col) C[row * N + col] = sum;")
    lab = make_lab(kernels=[wrong], baseline=None)
    assert not lab.result.correct
    assert (
        lab.report()
        .splitlines()[1]
        .startswith(
            "wrong: 24 of 576 elements of C differ from NumPy's A @ B; C[0, 0] is not written, NumPy has "
        )
    )
    assert 'class="lk-bad"' in shown(lab)


def test_an_edited_file_is_what_runs(
    make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "tiling" / "tiled.cu"
    file.parent.mkdir()
    original = kernels.load("tiling/tiled").source
    file.write_text(original, encoding="utf-8")
    monkeypatch.setattr("course_utils.kernels._KERNELS", tmp_path)
    lab = make_lab(kernels=["tiling/tiled"], controls=[Choice("N", (24, 32))], baseline=None)
    assert lab.result.correct
    file.write_text(original.replace("= sum;", "= 2 * sum;"), encoding="utf-8")
    lab.set(N=24)
    assert not lab.result.correct


def test_kernel_that_never_ends(make_lab: MakeLab, edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_utils.labs.engine.BUDGET", 200_000)
    endless = edited("tiling/naive", "k < N; ++k)", "k < N; k += C[0] > 0.0f ? 0 : 0)")
    lab = make_lab(kernels=[endless], baseline=None)
    assert lab.report().startswith("The kernel would not end; the run was stopped.")


def test_what_no_learner_did_is_named_by_its_kind(make_lab: MakeLab) -> None:
    class Broken:
        title, traced, wide = "Broken", False, False

        def draw(self, result: object) -> None:
            raise KeyError("no such thing")

    lab = make_lab(views=[Broken()])
    assert lab.report() == "The lab cannot show this.\nKeyError: 'no such thing'"


def test_options_of_views_reach_them(make_lab: MakeLab) -> None:
    seen = []

    class Watching(Counters):
        def draw(self, result):  # noqa: ANN001, ANN202
            seen.append(result.state["detail"])
            return super().draw(result)

    lab = make_lab(controls=[Choice("N", (24,)), Choice("detail", ("low", "high"))], views=[Watching()])
    lab.set(detail="high")
    assert seen == ["high"]
    assert lab.report().startswith("N 24") or lab.report().startswith("24")


SHAPES = """// Copies elements of one type, a thread an element, in blocks of any shape.
//
// tunable WIDTH: 1, 2, 4   (default 1)  floats an element
// launch X: 8, 16, 32   (default 32)  threads across
// launch Y: 1, 4, 8   (default 8)  threads down
// block: (X, Y)
// grid: (ceil(n / (X * Y)))
// shared: 0
#ifndef WIDTH
#define WIDTH 1
#endif
template <int width> struct Element;
template <> struct Element<1> { typedef float type; };
template <> struct Element<2> { typedef float2 type; };
template <> struct Element<4> { typedef float4 type; };
typedef Element<WIDTH>::type element;

extern "C" __global__ void copy(const element* in, element* out, int n) {
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
"""


def copy(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    given = random.uniform(-1, 1, (values["n"], values["WIDTH"])).astype(np.float32)
    return Problem(
        {"in": given, "out": np.full_like(given, np.nan)},
        {"n": np.int32(values["n"])},
        {"out": given.astype(np.float64)},
        "in",
    )


def _sectors(width: int) -> float:
    """A request of 300 elements in warps of 32: nine full warps, and 12 elements."""
    return (9 * 4 * width + -(-12 * 4 * width // 32)) / 10


def test_block_shape_and_element_type() -> None:
    lab = Lab(
        kernels=[Kernel("shapes/copy", Path("copy.cu"), SHAPES)],
        controls=[
            block_shapes("X", "Y", (32, 8), (8, 4)),
            Preset("element", {"float": {"WIDTH": 1}, "float2": {"WIDTH": 2}, "float4": {"WIDTH": 4}}),
            Choice("n", (300,), label="elements"),
        ],
        views=[AccessMap(), Counters(measures=("sectors_per_request",))],
        problem=copy,
    )
    assert lab.report().startswith("32 × 8, float, n 300: a grid of 2 blocks of 32 × 8 threads")  # noqa: RUF001
    for element, width in (("float", 1), ("float2", 2), ("float4", 4)):
        lab.set(element=element, block="8 × 4")  # noqa: RUF001
        assert lab.result.correct
        assert lab.result.run.block == (8, 4, 1)
        report = " ".join(lab.report().split())
        assert f"32 lanes of {4 * width} bytes each want {128 * width} bytes in all" in report
        assert cell(lab, "sectors_per_request") == f"{_sectors(width):.1f}"


def test_a_control_over_what_shapes_the_inputs_alone() -> None:
    orders = {"sorted": {"run": 256}, "pairs": {"run": 2}}
    lab = Lab(
        kernels=["coalescing/gather"],
        controls=[Preset("order", orders), Choice("n", (1024,))],
        views=[Counters(measures=("sectors",))],
    )
    assert cell(lab, "sectors") == f"{2 * 1024 // 8:,}"
    lab.set(order="pairs")
    assert lab.result.correct
    index, pairs = 1024 // 8, int(cell(lab, "sectors").replace(",", "")) - 1024 // 8
    assert 3 * index < pairs <= 4 * index


def test_the_machine_code_of_a_line_where_a_disassembler_is(
    make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def instructions(compiled: compiler.Compiled, entry: str) -> tuple[tuple[int, str], ...]:
        assert (compiled.arch, entry) == ("sm_90", "matmul_naive")
        return (22, "FFMA R1, R2, R3, R1"), (23, "EXIT")

    monkeypatch.setattr(disassembly, "instructions", instructions)
    monkeypatch.setattr(disassembly, "find", lambda: None)
    lab = make_lab(kernels=["tiling/naive"], baseline=None, views=[SourceView()])
    lab.set(ptx=22)
    assert "PTX of line 22" in shown(lab)
    monkeypatch.setattr(disassembly, "find", lambda: "nvdisasm")
    lab = make_lab(kernels=["tiling/naive"], baseline=None, views=[SourceView()])
    lab.set(ptx=22, code="machine code")
    assert "Machine code of line 22: 1 instruction<" in shown(lab)
    assert "FFMA R1, R2, R3, R1" in shown(lab)
