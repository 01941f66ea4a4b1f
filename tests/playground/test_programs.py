"""Whole programs, pasted as they are: they are read, compiled and run, and their results are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_utils import playground
from course_utils.playground import EXAMPLES, Launch, Outcome, Pasted, inputs, read, starts, suggestions

PROGRAMS = Path(__file__).parent / "programs"
FILES = sorted([*PROGRAMS.glob("*.cu"), *EXAMPLES.glob("*.cu")])


def pasted(name: str) -> Pasted:
    return read((PROGRAMS / f"{name}.cu").read_text(encoding="utf-8"))


def outcome(source: Pasted, kernel: str, number: int = 0, **texts: str) -> Outcome:
    """A kernel run from one of its starting points, some inputs changed."""
    found = source.kernel(kernel)
    start = starts(source, found)[number]
    launch = Launch.of(found, start, suggestions.variables(source))
    names = [each.name for each in start.inputs]
    said = [texts.get(name, text) for name, text in zip(names, launch.texts, strict=True)]
    changed = Launch(**{**launch.__dict__, "texts": tuple(said)})
    return playground.run(source, source.compile(), changed)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_kernel_of_every_program_runs_from_every_starting_point(file: Path) -> None:
    source = read(file.read_text(encoding="utf-8"))
    program = source.compile()
    if file.stem == "moving_average":  # it has a mistake on purpose
        return
    assert source.launches
    for kernel in source.kernels:
        for start in starts(source, kernel):
            launch = Launch.of(kernel, start, suggestions.variables(source))
            result = playground.run(source, program, launch)
            assert result.run.metrics["ptx__warp_inst_executed.sum"] > 0
            assert any(buffer.changed for buffer in result.buffers), start.label


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_lines_keep_their_numbers(file: Path) -> None:
    """Every line that the compiler gets is the source's own or blank, but for what is put in front."""
    source = read(file.read_text(encoding="utf-8"))
    before, after = source.source.split("\n"), source.code.split("\n")
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        kept = new.replace("__host__ __device__ ", "").strip()
        assert kept in old.replace("__host__ __device__ ", "")


def arguments(source: Pasted, kernel: str, number: int = 0) -> dict[str, object]:
    """The arrays and values of a starting point, by name."""
    given = starts(source, source.kernel(kernel))[number].inputs
    return dict(zip([each.name for each in given], inputs.make(given), strict=True))


def test_vector_addition_in_chinese() -> None:
    source = pasted("vector_add")
    start = starts(source, source.kernels[0])[0]
    assert (start.grid, start.block) == ((196,), (256,))
    assert [each.text for each in start.inputs] == [
        "random numElements",
        "random numElements",
        "unwritten numElements",
        "50000",
    ]
    given = arguments(source, "vectorAdd")
    result = outcome(source, "vectorAdd")
    (buffer,) = [each for each in result.buffers if each.changed]
    assert (buffer.name, buffer.changed, buffer.unwritten) == ("C", 50000, 0)
    right = given["A"][:8] + given["B"][:8]
    assert [float(text) for text in buffer.after] == pytest.approx(right, rel=1e-3)


def test_templates_in_namespaces_for_three_types() -> None:
    source = pasted("softmax")
    labels = [start.instance for start in starts(source, source.kernels[0])]
    assert labels == [
        "nn::softmax_rows<half, 4>",
        "nn::softmax_rows<float, 4>",
        "nn::softmax_rows<__nv_bfloat16, 4>",
    ]
    found = [outcome(source, "softmax_rows", number).buffers[0].after for number in range(3)]
    for texts in zip(*found, strict=True):
        numbers = [float(text) for text in texts]
        assert numbers == pytest.approx([numbers[1]] * 3, rel=0.01)


def test_sparse_matrix() -> None:
    source = pasted("sparse")
    given = arguments(source, "spmv_csr_scalar")
    rows, columns = given["row_ptr"], given["col_idx"]
    assert (len(rows), len(columns), given["rows"]) == (1001, 12000, 1000)
    assert rows[-1] == len(columns) == 12 * 1000
    assert columns.max() < len(given["x"]) == 800
    right = [
        given["values"][rows[i] : rows[i + 1]] @ given["x"][columns[rows[i] : rows[i + 1]]] for i in range(8)
    ]
    for kernel in ("spmv_csr_scalar", "spmv_csr_vector"):
        buffer = outcome(source, kernel).buffers[-1]
        assert [float(text) for text in buffer.after] == pytest.approx(right, rel=1e-3)


def test_classes_keep_what_is_for_the_device() -> None:
    source = pasted("mandelbrot")
    assert "std::string str()" not in source.code
    assert "friend" not in source.code
    assert "double norm() const" in source.code
    assert outcome(source, "mandel").buffers[0].after[0] == "{5, 3, 9}"


def test_cooperative_launch_by_the_runtime() -> None:
    source = pasted("groups")
    (start,) = starts(source, source.kernel("two_phase"))
    assert (start.grid, start.block, start.cooperative) == ((8,), (256,), True)
    given = arguments(source, "two_phase")
    result = next(each for each in outcome(source, "two_phase").buffers if each.name == "result")
    assert float(result.after[0]) == pytest.approx(given["x"].sum(), rel=1e-3)


def test_kernels_and_launches_that_macros_make() -> None:
    source = pasted("macros")
    names = [kernel.name for kernel in source.kernels]
    assert names == ["square_float", "negate_double", "inc_int32_t", "gelu_kernel", "dropout"]
    (start,) = starts(source, source.kernel("square_float"))
    assert (start.grid, start.block, start.inputs[-1].text) == ((24,), (128,), "3000")
    given = arguments(source, "inc_int32_t")
    assert outcome(source, "inc_int32_t").buffers[1].after == tuple(map(str, given["in"][:8] + 1))


def test_conditions_decide_what_counts() -> None:
    source = pasted("conditions")
    start = starts(source, source.kernels[0])[0]
    assert [each.text for each in start.inputs] == ["random 2048", "random 2048", "zeros 1"]
    assert source.types.element("DTYPE").name == "float"
    given = arguments(source, "dot")
    total = float(outcome(source, "dot").buffers[2].after[0])
    assert total == pytest.approx(float(given["a"] @ given["b"]), rel=1e-3)


def test_structures_by_value_have_a_field_for_each_member() -> None:
    source = pasted("heat")
    start = starts(source, source.kernels[0])[0]
    assert [each.name for each in start.inputs][:6] == ["g.nx", "g.ny", "g.nz", "g.dx", "g.dt", "c"]
    texts = {"g.nx": "6", "g.ny": "5", "g.nz": "3", "c": "zeros"}
    result = outcome(source, "heat3d", **texts)
    assert [(each.count, each.changed) for each in result.buffers] == [(90, 0), (90, 90)]
    assert result.buffers[0].before == result.buffers[1].after  # the boundary is copied
    assert "max" not in source.code


def test_constants_that_the_host_would_copy() -> None:
    source = pasted("convolution")
    (variable,) = suggestions.variables(source)
    assert (variable.name, variable.told, variable.text) == ("d_filter", "__constant__ float", "random 25")
    assert source.headers == ((5, "helper_cuda.h"), (6, "../common/image.h"))
    found = source.kernels[0]
    start = starts(source, found)[0]
    program = source.compile()
    results = {}
    for text in ("zeros 25", "random 25", "as it is"):
        launch = Launch.of(found, start, suggestions.variables(source))
        said = Launch(**{**launch.__dict__, "variables": (text,)})
        results[text] = playground.run(source, program, said).buffers[1].after
    assert set(results["zeros 25"]) == {"0"}
    assert set(results["random 25"]) != {"0"}


def test_a_program_of_windows() -> None:
    text = (PROGRAMS / "vector_add.cu").read_text(encoding="utf-8")
    windows = read("\ufeff" + text.replace("\n", "\r\n"))
    assert windows.code == pasted("vector_add").code
    assert windows.kernels == pasted("vector_add").kernels
