"""The script that asks compute-sanitizer about the planted faults, with a pretended one and no GPU."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from .faults import sanitizer, table
from .faults.corpus import FAULTS
from .faults.fault import Fault

(FAULT,) = (each for each in FAULTS if each.name == "neighbour_past_the_end")
(LINE,) = FAULT.marked

MEMCHECK = f"""\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at differences+0xb0 in neighbour_past_the_end.cu:{LINE}
=========     by thread (7,0,0) in block (3,0,0)
=========     Access at 0x7f5c5be00320 is out of bounds
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on a call.
========= Target application returned an error
========= ERROR SUMMARY: 2 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at block_sum+0x180 in sums.cu:8
=========     and Read access at block_sum+0x150 in sums.cu:9 [96 hazards]
=========
========= Error: Race reported between Write access at block_sum+0x280 in sums.cu:8
=========     and Read access at block_sum+0x250 in sums.cu:9 [32 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)
"""
SILENT = """\
========= COMPUTE-SANITIZER
========= ERROR SUMMARY: 0 errors
"""


def test_report_is_read() -> None:
    outcome = sanitizer.read_report(MEMCHECK, "neighbour_past_the_end.cu", [LINE])
    assert outcome["found"]
    assert outcome["reports"] == {"Invalid __global__ read of size 4 bytes": 1}
    assert outcome["lines"] == [LINE]
    assert outcome["right_line"]
    assert "CUDA_ERROR_LAUNCH_FAILED" in str(outcome["problem"])


def test_reports_of_one_kind_are_counted() -> None:
    outcome = sanitizer.read_report(RACECHECK, "sums.cu", [20])
    assert outcome["reports"] == {"Error: Race reported between Write access at block_sum in sums.cu:8": 2}
    assert outcome["lines"] == [8, 9]
    assert not outcome["right_line"]


def test_summary_and_failures_are_no_reports() -> None:
    assert not sanitizer.read_report(SILENT, "sums.cu")["found"]
    lost = "========= Error: No attachable process found. compute-sanitizer timed-out.\n"
    outcome = sanitizer.read_report(lost, "sums.cu")
    assert not outcome["found"]
    assert "No attachable process" in str(outcome["problem"])


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("repaired", [False, True])
def test_launch_is_written_for_the_gpu(fault: Fault, repaired: bool) -> None:
    """Each buffer has exactly its size, and the rest the size of its parameter."""
    made = sanitizer.prepared(fault, repaired, "sm_90")
    launch = fault.launch(repaired)
    assert made["cubin"][:4] == b"\x7fELF"
    assert made["kernel"].encode() in made["cubin"]
    assert len(made["grid"]) == len(made["block"]) == 3
    for (kind, content), argument in zip(made["args"], launch.args, strict=True):
        if kind == "fresh":
            assert content == np.empty(argument.shape, argument.dtype).nbytes > 0
        else:
            assert len(content) == (8 if argument is None else argument.nbytes)


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one fault's launches, and a compute-sanitizer that reports what memcheck would of the
    faulty kernel, and never ends as synccheck. A launch leaves the right values."""
    program = tmp_path / "compute-sanitizer"
    program.write_text(
        f"#!{sys.executable}\n"
        + textwrap.dedent(f"""
        import sys, time
        if "--version" in sys.argv:
            print("Version 2025.2.1.0 (build 1)")
        elif "synccheck" in sys.argv:
            time.sleep(60)
        elif "memcheck" in sys.argv and ".faulty." in sys.argv[-1]:
            print({MEMCHECK!r})
        else:
            print({SILENT!r})
        """)
    )
    program.chmod(0o755)
    launcher = tmp_path / "launch.py"
    launcher.write_text(
        textwrap.dedent("""
        import pickle, sys
        if len(sys.argv) == 1:
            print("sm_90 12.8 NVIDIA Pretended")
        else:
            (right,) = pickle.load(open(sys.argv[1], "rb"))["expected"].values()
            pickle.dump([None, right[1], None], open(sys.argv[2], "wb"))
        """)
    )
    for repaired, which in ((False, "faulty"), (True, "repaired")):
        path = tmp_path / f"{FAULT.kind}.{FAULT.name}.{which}.launch"
        path.write_bytes(pickle.dumps(sanitizer.prepared(FAULT, repaired, "sm_90")))
    monkeypatch.setattr(sanitizer, "PROGRAM", launcher)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


windows = pytest.mark.skipif(
    sys.platform == "win32", reason="the pretended tool is a script with a first line of #!"
)


@windows
def test_results_are_written(pretended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = pretended / "results.json"
    command = ["run", str(pretended), str(path), "--jobs", "5", "--seconds", "2"]
    sanitizer.main(command)
    results = json.loads(path.read_text())
    assert results["setup"]["gpu"] == "NVIDIA Pretended"
    assert results["setup"]["sanitizer"] == "2025.2.1.0"
    (entry,) = results["faults"].values()
    faulty, repaired = entry["faulty"], entry["repaired"]
    assert faulty["memcheck"]["found"]
    assert faulty["memcheck"]["right_line"]
    assert not repaired["memcheck"]["found"]
    assert faulty["synccheck"]["hang"]
    assert not faulty["racecheck"]["hang"]
    assert repaired["none"]["right"]
    assert "memcheck: 1 of 1 faults, 0 repaired kernels" in capsys.readouterr().out
    sanitizer.main(command)
    assert "0 runs" in capsys.readouterr().out, "what the file holds already is run again"


@windows
def test_launches_for_another_gpu_are_refused(pretended: Path) -> None:
    for path in pretended.glob("*.launch"):
        path.write_bytes(pickle.dumps(pickle.loads(path.read_bytes()) | {"arch": "sm_80"}))
    with pytest.raises(SystemExit, match="compiled for sm_80, and the GPU is sm_90"):
        sanitizer.main(["run", str(pretended), str(pretended / "results.json")])


def test_missing_tool_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="compute-sanitizer is not on PATH"):
        sanitizer.main(["run", str(tmp_path), str(tmp_path / "results.json")])


def test_running_needs_no_other_package() -> None:
    """The machine with the GPU need not have the course's packages, NumPy among them."""
    blocked = "import sys; sys.modules.update(dict.fromkeys(('numpy', 'course_utils')))"
    code = f"{blocked}; from tests.simulator.faults import sanitizer; sanitizer.main(['run', '--help'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_values_are_compared() -> None:
    expected = sanitizer.prepared(FAULT, True, "sm_90")["expected"]
    ((place, (kind, data)),) = expected.items()
    assert sanitizer.is_right(expected, [None, data, None])
    wrong = np.frombuffer(data, kind).copy()
    wrong[7] += 1
    assert not sanitizer.is_right(expected, [None, wrong.tobytes(), None])
    assert place == 1


def outcomes(**found: object) -> dict[str, object]:
    silent = {"found": False, "hang": False, "right_line": False}
    return {tool: silent | dict(found.get(tool, {})) for tool in sanitizer.TOOLS}  # type: ignore[call-overload]


def test_table() -> None:
    faults = FAULTS[:2]
    names = [f"{fault.kind}/{fault.name}" for fault in faults]
    results = {
        "setup": {"gpu": "NVIDIA H200", "sanitizer": "2025.2", "date": "2026-11-30"},
        "faults": {
            names[0]: {
                "faulty": outcomes(memcheck={"found": True, "right_line": True}, synccheck={"hang": True}),
                "repaired": outcomes(),
            },
            names[1]: {
                "faulty": outcomes(racecheck={"found": True}),
                "repaired": outcomes(initcheck={"found": True}),
            },
        },
    }
    made = table.markdown(results, {str(fault): "found" for fault in faults}, faults).splitlines()
    assert made[0] == "compute-sanitizer 2025.2 on an NVIDIA H200, 2026-11-30."
    assert made[4].endswith("| memory | found | found | - | - | hang |")
    assert made[5].endswith("| memory | found | - | other line | - | - |")
    assert made[6] == "| **2 faults** | | **2** | **1** | **1** | **0** | **0** |"
    assert made[-1].startswith("The four tools together report 2 of the 2 faults")
    assert made[-1].endswith("something about 1 of the repaired kernels.")


def test_page_has_room_for_the_table() -> None:
    page = table.PAGE.read_text()
    new = table.replaced(table.replaced(page, "table", "| a table |"), "example", "    an example")
    assert "\n\n| a table |\n\n" in new
    assert "\n\n    an example\n\n" in new
    assert table.replaced(new, "table", "| a table |") == new
    with pytest.raises(ValueError, match="must hold the comments of 'nothing'"):
        table.replaced(page, "nothing", "")


def test_launch_file_is_plain_data() -> None:
    """gpu_launch.py reads it without the packages of this repository."""
    made = sanitizer.prepared(FAULT, False, "sm_90")
    assert pickle.loads(pickle.dumps(made)) == made
    types = {type(each) for _, each in made["args"]} | {type(each) for each in made.values()}
    assert types <= {bytes, int, str, bool, tuple, list, dict}
