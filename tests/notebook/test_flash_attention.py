"""What the lesson on flash attention calls."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, metrics, notebook
from course_utils.notebook.flash_attention import LAUNCHES, sectors_of
from course_utils.problems.flash_attention import attend
from course_utils.recordings.jobs import TimeLibrary
from course_utils.recordings.libraries import LibraryMissing


def cells(shown: notebook.Shown) -> list[list[str]]:
    return [list(row) for row in shown.content.rows]  # type: ignore[union-attr]


def test_steps_of_an_online_softmax() -> None:
    scores = [1.0, 3.0, 2.0, 5.0]
    rows = cells(notebook.online_steps(scores))
    assert [row[2] for row in rows] == ["1", "3", "3", "5"]
    assert [row[3] for row in rows] == ["0.0000", f"{np.exp(-2):.4f}", "1.0000", f"{np.exp(-2):.4f}"]
    assert rows[-1][4] == f"{np.exp(np.array(scores) - 5).sum():.4f}"


def test_scores_that_rise_and_fall_end_with_the_same_sum() -> None:
    rising, falling = (cells(notebook.online_steps(order)) for order in ([1, 2, 3], [3, 2, 1]))
    assert rising[-1][4] == falling[-1][4]
    assert [row[3] for row in falling[1:]] == ["1.0000", "1.0000"]


@pytest.mark.parametrize("scores", [[], [1.0, np.inf], [[1.0]]])
def test_scores_that_are_none(scores: list) -> None:
    with pytest.raises(ValueError, match="needs one finite score or more"):
        notebook.online_steps(scores)


@pytest.mark.parametrize("head", [32, 64])
def test_three_launches_hand_on_their_matrices(head: int) -> None:
    launches = notebook.materialised(N=70, HEAD=head)
    assert tuple(launches) == LAUNCHES
    assert launches["softmax"].arrays["S"] is launches["scores"].arrays["S"]
    assert launches["weighted"].arrays["P"] is launches["softmax"].arrays["P"]
    assert launches["weighted"].verdict.startswith("O equals")
    q, k = (launches["scores"].arrays[name] for name in "QK")
    v, out = (launches["weighted"].arrays[name] for name in "VO")
    assert np.abs(out - attend(q, k, v)).max() < 1e-5


def test_sectors_of_buffers_add_up_to_all() -> None:
    found = [*notebook.materialised(N=70).values(), notebook.count("flash_attention/fused", N=70)]
    for run in found:
        stored = run.run.metrics[metrics.names.GLOBAL_STORE_SECTORS]
        assert sectors_of(run, "SP") + sectors_of(run, "QKVO") == run.sectors + stored
    assert sectors_of(found[1], "QKVO") == 0


def test_buffers_of_one_line_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match=r"line \d+ of flash_attention/softmax names P, S: count them"):
        sectors_of(notebook.materialised(N=32)["softmax"], "S")


def test_traffic_over_the_length_of_the_sequence() -> None:
    short, long = (
        [int(cell.replace(",", "")) for cell in row] for row in cells(notebook.traffic_over((64, 128)))
    )
    growth = [after / before for before, after in zip(short, long, strict=True)]
    assert growth[1:4] == [4, 2, 4]  # bytes of S and P, bytes of Q, K, V and O, sectors of S and P
    assert growth[5:] == [4, 2]  # of the fused kernel: sectors of K and V, sectors of Q and O
    (row,) = cells(notebook.traffic_over((128,), TILE_Q=128))
    assert int(row[5].replace(",", "")) == long[5] // 2


def test_the_race_of_the_naive_kernel_is_found() -> None:
    told = repr(notebook.checked("flash_attention/naive", "races", N=32, PRIVATE=0))
    assert "Race on scores[0]" in told
    assert "wrong: 992 of 1,024 elements of O" in told
    told = repr(notebook.checked("flash_attention/naive", N=32))
    assert "found nothing" in told
    assert "O equals" in told


def test_libraries_are_measured_where_there_is_a_gpu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.measure_libraries(N=64)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(devices, "current", lambda: "gpu")
    asked = []

    def run(job: TimeLibrary) -> dict:
        asked.append((job.library, job.sizes))
        if "PyTorch" in job.library:
            raise LibraryMissing("needs PyTorch")
        return {"seconds": {"median": 2e-3}}

    monkeypatch.setattr(TimeLibrary, "run", run)
    notebook.measure_libraries(N=64)
    names = ("unfused: cuBLAS and CuPy, float32", "unfused: cuBLAS and CuPy, float16")
    fused = "PyTorch, fused attention, float16"
    assert asked == [(name, {"N": 64}) for name in (*names, fused)]
    told = capsys.readouterr().out.splitlines()
    assert told == [*(f"{name}: 2 ms" for name in names), f"{fused}: needs PyTorch"]


def test_half_is_compared_at_its_own_precision() -> None:
    counted = notebook.count("flash_attention/fused_half", N=64)
    assert counted.verdict.endswith("within 0.004")
    assert counted.arrays["O"].dtype == np.float16
