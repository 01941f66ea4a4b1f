"""Variables and their lifetimes, tables of constants, memories, intensity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from course_utils import devices, metrics, notebook, recordings

LIFETIMES = "memory_hierarchy/lifetimes"


@pytest.fixture(scope="module")
def naive() -> notebook.Counted:
    return notebook.count("tiling/naive", N=64, TILE=16)


def test_a_variable_of_the_program_outlives_a_launch_and_the_others_do_not() -> None:
    rows = notebook.lifetimes(launches=3, n=128).content.rows
    assert rows == (("1", "1", "64", "128"), ("2", "1", "64", "256"), ("3", "1", "64", "384"))
    assert notebook.lifetimes(1, 100).content.rows == (("1", "1", "36 or 64", "100"),)


def test_without_the_line_that_sets_a_shared_variable_it_is_read_unwritten(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notebook.without_line(LIFETIMES, 21, "initialisation", n=128)
    told = capsys.readouterr().out
    assert told.startswith("Without line 21: if (threadIdx.x == 0) in_block = 0;\n")
    assert "reads in_block[0] at line 26" in told
    notebook.without_line(LIFETIMES, 1, "initialisation", n=128)
    assert "The check found nothing." in capsys.readouterr().out


def test_words_of_constant_memory_and_sectors_of_global_memory() -> None:
    # Places 0 to 3, or 0 to 31, and the same one further on: all are in one sector, or in all four.
    rows = notebook.table_reads((1, 4, 32), n=64, rounds=1).content.rows
    assert rows == (("1", "1.0", "1.0"), ("4", "4.0", "1.0"), ("32", "32.0", "4.0"))


def test_memory_instructions_by_the_memory_that_they_name() -> None:
    kernels = {
        "bins_registers": {"n": 64},
        "bins_shared": {"n": 64},
        "table_constant": {"n": 64, "rounds": 2},
    }
    counted = [notebook.count(f"memory_hierarchy/{name}", **sizes) for name, sizes in kernels.items()]
    none = "\N{EN DASH}"
    assert notebook.memory_instructions(*counted).content.rows == (
        ("bins_registers", "ld, st", none, none, none),
        ("bins_shared", "ld, st", none, "ld, st", none),
        ("table_constant", "ld, st", none, none, "ld"),
    )


def test_latency_curve_is_the_recorded_one() -> None:
    text = repr(notebook.latency_curve())
    for x, y in recordings.load()[0].curves["latency"].points[-3:]:
        assert f"{x / (1 << 20):g} MiB" in text
        assert f"{y:.1f}" in text


def test_memories_have_recorded_latencies_and_rates() -> None:
    h200 = recordings.load()[0]
    rows = {row[0]: row[1:] for row in notebook.memories().content.rows}
    points = dict(h200.curves["latency"].points)
    assert rows["registers"][:2] == ("256 KB", "33 MB")
    assert rows["L2 cache"][2] == f"{points[1 << 20]:.1f}"
    assert rows["global memory (DRAM)"][2] == f"{points[1 << 28]:.1f}"
    sum_ = h200.time("bank_conflicts/strided_sum", {}, stride=1, rounds=1024, n=270336)
    assert rows["shared memory, at most"][3] == f"{270336 * 1024 * 32 / sum_.seconds.median / 1e12:.1f} TB/s"


def test_gpus_says_where_both_limits_meet() -> None:
    (row,) = notebook.gpus("H100 SXM").content.rows
    gpu = metrics.GPUS["H100 SXM"]
    assert row[:4] == ("H100 SXM", "132", "65,536", "228 KB")
    assert float(row[-1]) == pytest.approx(gpu.fp32_flops / gpu.dram_bytes_per_second, abs=0.05)
    assert [each[0] for each in notebook.gpus().content.rows] == list(metrics.GPUS)


def test_intensity_is_two_operations_by_the_bytes_of_a_multiply_add(naive: notebook.Counted) -> None:
    assert notebook.intensity_of_loads(naive).content.rows == (("naive", "4.00", "0.50"),)
    with pytest.raises(ValueError, match="no multiply-adds"):
        notebook.intensity_of_loads(notebook.count("execution_model/vector_add", n=64))


def test_roof_has_a_point_for_each_run(naive: notebook.Counted) -> None:
    text = repr(notebook.roof(naive, gpu="A100 SXM 80 GB", told=["TILE"]))
    assert text.startswith("A100 SXM 80 GB\n")
    assert "naive (TILE 16)" in text


def test_asked_per_second(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.asked_per_second("tiling/naive", 5, {"TILE": 32}, N=4096)
    seconds = recordings.load()[0].time("tiling/naive", {"TILE": 32}, N=4096).seconds.median
    told = capsys.readouterr().out
    assert f"{5 * 4096**3 / seconds / 1e12:.1f} TB/s" in told
    notebook.asked_per_second("tiling/naive", 5, {"TILE": 32}, N=7)
    assert "No recording has a time of tiling/naive" in capsys.readouterr().out


def test_chase_without_a_gpu_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    if devices.current() != devices.SIMULATOR:
        pytest.skip("this machine has a GPU")
    notebook.chase(4)
    assert capsys.readouterr().out.strip() == devices.describe()


def test_chase_launches_the_kernel_for_each_size(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the simulator in place of a GPU; what its clock says is no time."""
    launch = devices.launch
    sizes = []

    def launched(
        kernel: object, entry: None, grid: object, block: object, args: list, **options: object
    ) -> devices.Run:
        sizes.append(args[0].nbytes)
        return launch(kernel, entry, grid, block, args, device=devices.SIMULATOR, **options)

    monkeypatch.setattr(devices, "current", lambda: "gpu")
    monkeypatch.setattr(devices, "launch", launched)
    notebook.chase(1, 4)
    assert sizes == [1024, 4096]
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["1", "4"]


@pytest.mark.parametrize("batch", [1, 8, 32])
def test_a_batch_shares_what_it_fetches(batch: int) -> None:
    counted = notebook.count("memory_hierarchy/batch_product", rows=512, cols=64, BATCH=batch)
    assert counted.bytes_per_multiply_add == 4 / batch + 4 / 256


@pytest.mark.parametrize(
    ("values", "blocks", "spills"), [(16, 1, False), (64, 1, False), (64, 8, True), (256, 1, True)]
)
def test_a_kernel_spills_where_its_registers_do_not_do(values: int, blocks: int, spills: bool) -> None:
    sizes = {"n": 256, "VALUES": values, "MIN_BLOCKS": blocks}
    table = notebook.over(
        "n", (256,), "memory_hierarchy/variance", measures=("spill_stores", "local_sectors"),
        VALUES=values, MIN_BLOCKS=blocks,
    ).content  # fmt: skip
    _, stored, sectors = table.rows[0]
    assert (int(stored) > 0) == spills
    assert sectors == ("\N{EN DASH}" if spills else "0")
    run = notebook.count("memory_hierarchy/variance", **sizes).run
    assert any("spills registers" in note for note in run.notes) == spills


CASES: list[tuple[str, Callable[[notebook.Counted], bool]]] = [
    ("local", lambda counted: counted.run.metrics[metrics.names.LOCAL_LOAD_SECTORS] > 0),
    ("registers", lambda counted: counted.run.metrics[metrics.names.LOCAL_LOAD_SECTORS] == 0),
    ("shared", lambda counted: counted.wavefronts > 0),
]


@pytest.mark.parametrize(("place", "holds"), CASES)
def test_where_the_bins_lie(place: str, holds: Callable[[notebook.Counted], bool]) -> None:
    counted = notebook.count(f"memory_hierarchy/bins_{place}", n=256)
    assert "equals NumPy's" in counted.verdict
    assert holds(counted)


def test_lanes_that_agree_on_an_element_share_its_sectors() -> None:
    alike, own = (notebook.count("memory_hierarchy/bins_local", n=32, alike=each) for each in (1, 0))
    loads = metrics.names.LOCAL_LOAD_SECTORS
    words = sum(step.size // 4 for step in alike.run.trace.steps if step.space == "local" and step.load)
    assert alike.run.metrics[loads] == 4 * words
    assert own.run.metrics[loads] > 2 * alike.run.metrics[loads]
