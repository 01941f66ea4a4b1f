"""The simulator counts what Nsight Compute counted on a real GPU, in every launch that was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_utils import kernels, metrics, recordings
from course_utils.recordings import agreement
from course_utils.recordings.agreement import KNOWN, PAGE, Agreement, Compared
from course_utils.recordings.launches import Launch, all_launches
from course_utils.recordings.recording import digest, new
from tests.recordings.test_recording import ABOUT


@pytest.fixture(scope="module")
def h200() -> Agreement:
    return Agreement(recordings.load()[0])


def test_every_count_is_the_gpus(h200: Agreement) -> None:
    assert not h200.unexplained, "\n".join(map(str, h200.unexplained[:20]))


def test_every_result_is_the_gpus(h200: Agreement) -> None:
    assert not h200.other_results
    assert {launch.split("/")[0] for launch in h200.last_bits} == {"flash_attention"}


@pytest.mark.parametrize(
    ("ptx", "wanted"),
    [
        ("\tex2.approx.ftz.f32 \t%f1, %f2;", True),
        ("\t@%p1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1};", True),
        ("\tfma.rn.f32 \t%f1, %f2, %f3, %f4;\n\tdiv.rn.f32 %f1, %f2, %f3;", False),
    ],
)
def test_approximate_instructions(ptx: str, wanted: bool) -> None:
    assert agreement.approximate(ptx) == wanted


def test_what_is_known_to_differ_does(h200: Agreement) -> None:
    """A launch that agrees has no place among the exceptions."""
    assert {number.launch for number in h200.differences} == set(KNOWN)
    inexact = {name.split()[0] for name in KNOWN if not name.startswith("generated/")}
    assert inexact == {
        "memory_hierarchy/batch_product",
        "memory_hierarchy/variance",
        *(f"spmv/csr_{way}" for way in ("add", "merge", "scalar", "vector")),
    }


def test_enough_was_recorded(h200: Agreement) -> None:
    counted = h200.recording.counted
    assert sum(not each.kernel.startswith("generated/") for each in counted) >= 60
    assert sum(each.kernel.startswith("generated/") for each in counted) >= 20
    assert sum(bool(each.lines) for each in counted) >= 60


def test_the_sources_are_those_that_were_counted(h200: Agreement) -> None:
    stale = [
        each.kernel
        for each in h200.recording.counted
        if Launch(each.kernel, each.tunables, each.sizes).digest != each.source
    ]
    assert not stale, "record these again: python3 -m course_utils record"


def test_all_launches_were_counted(h200: Agreement) -> None:
    """Whatever a kernel's head and its problem name. The page names kernels that were never counted."""
    there = {str(Launch(each.kernel, each.tunables, each.sizes)) for each in h200.recording.counted}
    missing = [
        str(launch)
        for launch in all_launches()
        if launch.kernel not in h200.not_counted and str(launch) not in there
    ]
    assert not missing, "count them: python3 -m course_utils record --only counted"


def test_the_page_has_these_numbers(h200: Agreement) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert agreement.page(text, h200.markdown()) == text, (
        "python -m course_utils.recordings.agreement --write"
    )


def test_local_sectors_of_a_kernel_that_spills_are_not_compared() -> None:
    """The simulator has no number for them, and says so."""
    name = "memory_hierarchy/variance"
    recording = new({**ABOUT, "profiler": "a profiler"})
    recording.document["metrics"] = [metrics.names.REGISTERS, metrics.names.LOCAL_LOAD_SECTORS]
    for blocks, registers, local in ((1, 72, 0), (8, 32, 800)):
        recording.document["counted"].append(
            {
                "kernel": name,
                "source": digest(kernels.load(name).source),
                "tunables": {"VALUES": 64, "MIN_BLOCKS": blocks},
                "sizes": {"n": 256},
                "values": [registers, local],
                "result": 0,
            }
        )
    found = Agreement(recording)
    assert [(number.metric, number.agrees) for number in found.numbers] == [
        (metrics.names.REGISTERS, True),
        (metrics.names.LOCAL_LOAD_SECTORS, True),
        (metrics.names.REGISTERS, True),
    ]
    assert found.spilling == {"memory_hierarchy/variance VALUES=64 MIN_BLOCKS=8 n=256"}
    assert "In 1 of them ptxas spills registers" in found.markdown()


def test_a_difference_is_told() -> None:
    number = Compared("tiling/naive N=64", None, "some.sum", 100, 104, 130)
    assert not number.agrees
    assert number.off == 0.25
    assert str(number) == "tiling/naive N=64, some.sum: the GPU counted 100 to 104, the simulator 130"
    assert Compared("a", None, "m", 100, 104, 102).agrees
    assert Compared("a", None, "m", 0, 0, 3).off == float("inf")
    assert "line 7" in str(Compared("a", 7, "m", 1, 1, None))


def test_a_page_without_a_place(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no place for the tables"):
        agreement.page("# Something else", "tables")
