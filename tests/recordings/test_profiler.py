"""Reading what Nsight Compute and nvdisasm say. The tools here are fake_ncu.py and scripts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from course_utils.compiler import disassembly
from course_utils.recordings import counting, profiler
from course_utils.recordings.launches import Launch

LISTING = """
	.section	.text.other,"ax",@progbits
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	.section	.text.tiled,"ax",@progbits
	//## File "/tiled.cu", line 7
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E R2, desc[UR4][R2.64] ;
	//## File "/usr/include/cuda_fp16.h", line 9 inlined at "/tiled.cu", line 8
        /*0020*/                   EXIT ;
"""


@pytest.fixture
def ncu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    return script(tmp_path / "ncu", f'exec {sys.executable} {Path(__file__).with_name("fake_ncu.py")} "$@"')


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the tools are shell scripts")
def test_launches_are_counted_and_a_broken_one_costs_itself(
    ncu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = f"cat <<'END'\n{LISTING.replace('text.tiled', 'text.matmul_tiled')}END"
    nvdisasm = script(tmp_path / "nvdisasm", listing)
    monkeypatch.setattr(disassembly, "find", lambda: nvdisasm)
    launches = [
        Launch("tiling/naive", {"TILE": 4}, {"N": 8}),
        Launch("tiling/swapped", {"TILE": 4}, {"N": 8}),
        Launch("tiling/tiled", {"TILE": 4}, {"N": 8}, by_line=True),
    ]
    found, failed = profiler.profile(ncu, "sm_90", launches, 60)
    assert failed == {1: "GpuLost: it broke the GPU"}
    assert set(found) == {0, 2}
    assert all(values in ([100] * 3, [100, 101, 102]) for values in found[0].metrics.values())
    assert set(found[0].metrics) == set(profiler.COUNTED)
    assert found[0].results == [7] * 3
    assert not found[0].lines
    assert found[2].lines[7]["inst"] == 16
    assert found[2].lines[7]["global_sectors"] == 1024
    assert set(found[2].lines) == {7}  # the third instruction is a header's


@pytest.mark.skipif(sys.platform == "win32", reason="the tools are shell scripts")
@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("echo ==ERROR== ERR_NVGPUCTRPERM; exit 1", "may not read the GPU's counters"),
        ("echo no such option; exit 2", "counted nothing: no such option"),
        ("sleep 30", "took longer than 1 s"),
    ],
)
def test_where_nothing_can_be_counted(tmp_path: Path, says: str, told: str) -> None:
    with pytest.raises(profiler.ProfilerFailed, match=told):
        profiler.profile(script(tmp_path / "ncu", says), "sm_90", [Launch("tiling/naive", {}, {"N": 8})], 1)


def test_what_runs_under_the_profiler(tmp_path: Path, gpu: object) -> None:
    asked, told = tmp_path / "launches.json", tmp_path / "ran.jsonl"
    asked.write_text(
        '[["tiling/naive", {"TILE": 4}, {"N": 8}], ["tiling/none", {}, {}], ["generated/3", {}, {}]]'
    )
    counting.main([str(asked), str(told), "2"])
    lines = told.read_text().splitlines()
    assert len(lines) == 5
    assert lines[0] == lines[1]
    assert lines[2].startswith('{"launch": 1, "failed": "KernelError: There is no kernel')
    result = Launch("generated/3").run("simulator")[1]
    assert lines[4] == f'{{"launch": 2, "result": {result}}}'
