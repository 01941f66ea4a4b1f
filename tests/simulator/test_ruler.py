"""The command that compares recorded launches with the simulator, on a made-up folder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulator import ruler

SOURCE = """
extern "C" __global__ void twice(const float* a, float* b) {
    __shared__ float row[64];
    row[threadIdx.x * STEP] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = 2 * row[(31 - threadIdx.x) * STEP];
}
"""
CASES = """
import numpy as np
def cases():
    shared = np.arange(32, dtype=np.float32)
    return [
        dict(name=f"step_{step}", src="twice", kernel="twice", grid=(4,), block=(32,),
             args=(shared, np.zeros(32, np.float32)), defines=(f"STEP={step}",), smem=0)
        for step in (1, 2)
    ]
"""
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
# By hand: 4 warps of 32 floats are 4 sectors each; with a step of 2, two lanes share a bank.
COUNTERS: dict[str, dict[str, Any]] = {
    "step_1": {SECTORS: 16.0, WAVEFRONTS: 4.0, CONFLICTS: 0.0, "launch__function": "twice", "dram__bytes": 9},
    "step_2": {SECTORS: 16.0, WAVEFRONTS: 8.0, CONFLICTS: 4.0},
}
LINES = {
    "step_2": {
        "4": {"global_sectors": 16, "global_sectors_ideal": 16, "shared_wavefronts": 8},
        "6": {"global_sectors": 16, "global_sectors_ideal": 16, "shared_wavefronts": 8},
    }
}
for values in LINES["step_2"].values():
    values["shared_wavefronts_ideal"] = 4
BANKS = [
    {"access": "load", "bytes": 4, "pattern": "linear", "index": list(range(32)), "wavefronts": 1},
    {"access": "load", "bytes": 4, "pattern": "masked", "index": [0, 32, *[-1] * 30], "wavefronts": 2},
    {"access": "store", "bytes": 8, "pattern": "clash", "index": list(range(0, 512, 16)), "wavefronts": 32},
    {"access": "load", "bytes": 16, "pattern": "linear", "index": list(range(32)), "wavefronts": 4},
]


def folder(place: Path, counters: object = COUNTERS, lines: object = LINES, banks: object = BANKS) -> Path:
    (place / "kernels").mkdir()
    (place / "gpu").mkdir()
    (place / "kernels" / "twice.cu").write_text(SOURCE)
    (place / "cases.py").write_text(CASES)
    for name, value in (("counters", counters), ("per_line", lines), ("banks", banks)):
        (place / "gpu" / f"{name}.json").write_text(json.dumps(value))
    return place


def test_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ruler.main([str(folder(tmp_path))]) == 0
    text = capsys.readouterr().out
    rows = [line.split() for line in text.splitlines()]
    assert [SECTORS, "2", "2", "0", "0.000"] in rows
    assert ["global_sectors", "2", "2", "0", "0.000"] in rows
    assert "Bank patterns: 4 equal of 4" in text
    assert "dram__bytes" not in text


def test_differences_are_shown_and_may_be_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counters = COUNTERS | {"step_2": {SECTORS: 16, WAVEFRONTS: 10, CONFLICTS: 6}}
    place = str(folder(tmp_path, counters))
    assert ruler.main([place]) == 1
    text = capsys.readouterr().out
    assert "step_2: recorded 10, counted 8 (-2, 20.000 %)" in text
    assert "step_2: recorded 6, counted 4 (-2, 20.000 %)" in text
    assert "Not equal." in text
    assert ruler.main([place, "--allow", "step_2=20%"]) == 0
    assert "(-2, 20.000 %, allowed)" in capsys.readouterr().out
    assert ruler.main([place, "--allow", "step_2:shared=20%"]) == 0
    assert ruler.main([place, "--allow", "step_2:sectors=20%"]) == 1
    assert ruler.main([place, "--allow", "step_2=19.9%"]) == 1
    assert ruler.main([place, "--allow", "step_1=100%"]) == 1


def test_lines_and_banks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {"step_2": {"4": LINES["step_2"]["4"]}}  # idle lines are not recorded, but line 6 is not idle
    banks = [BANKS[0] | {"wavefronts": 3}, BANKS[1]]
    assert ruler.main([str(folder(tmp_path, lines=lines, banks=banks))]) == 1
    text = capsys.readouterr().out
    assert "step_2 line 6: recorded 0, counted 16 (+16, 100.000 %)" in text
    assert "load of 4 bytes, linear: recorded 3, rule 1, compiled 1" in text
    assert "Bank patterns: 1 equal of 2" in text


def test_launches_without_a_partner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counters = {"step_1": COUNTERS["step_1"], "step_3": COUNTERS["step_1"]}
    assert ruler.main([str(folder(tmp_path, counters, {}))]) == 1
    text = capsys.readouterr().out
    assert "Failed: step_2: nothing is recorded for it" in text
    assert "Failed: step_3: recorded, but no case" in text


def test_a_launch_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder(tmp_path)
    (place / "cases.py").write_text(CASES.replace("np.arange(32", "np.arange(31"))
    assert ruler.main([str(place)]) == 1
    assert "Failed: step_1: illegal load of 4 bytes at twice.cu:4" in capsys.readouterr().out


def test_no_number_is_a_difference() -> None:
    report = ruler.Report([ruler.Allowance("a", "", 50.0)])
    report.metrics["m"].append(ruler.Comparison("a", 4, None, 4))
    assert not report.good
    assert "a: recorded 4, counted no number" in report.text()


def test_nothing_compared_is_not_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ruler.main([str(tmp_path)]) == 1
    assert "subfolder with a counters.json" in capsys.readouterr().err
    assert not ruler.Report().good


@pytest.mark.parametrize("text", ["step_2", "=4%", "step_2=", "step_2=four", "step_2=-1%", "step_2=nan"])
def test_allowances_that_make_no_sense(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        ruler.Allowance.read(text)
