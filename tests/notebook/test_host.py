"""What lessons show of the host's side of a launch. Recordings with experiments are made up here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from course_utils import devices, kernels, notebook, playground, recordings
from course_utils.compiler import disassembly
from course_utils.devices import choice
from course_utils.devices.gpus import Gpu
from course_utils.figures import Table
from course_utils.notebook import host
from course_utils.recordings import host as experiments
from course_utils.recordings import places
from course_utils.recordings.recording import Entry, new
from tests.devices.fake_cuda import FakeCuda
from tests.recordings import fake_cupy
from tests.recordings.test_recording import ABOUT

ADD = "execution_model/vector_add"


def measured(case: str, median: float, **sizes: int) -> Entry:
    seconds = {"median": median, "least": median, "most": 2 * median, "launches": 11}
    return {"case": case, "sizes": sizes, "clock": "GPU", "seconds": seconds}


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner's recording with made-up experiments."""
    recording = new(ABOUT)
    told = {"kernel": experiments.KERNEL, "source": "0" * 16, "method": "made up"}
    copies = [
        measured(f"host to GPU, {kind}", 1e-3 / rate, bytes=size)
        for size, rate in ((1 << 20, 1), (1 << 26, 8))
        for kind in ("pageable", "pinned")
    ]
    recording.add("host", {"experiment": "copies", **told, "measured": copies})
    pieces = [
        {"case": case, "stream": stream, "piece": stream, "what": "kernel", "start": 0.0, "end": end}
        for case, stream, end in (("one stream", 1, 3e-3), ("two streams", 1, 1e-3), ("two streams", 2, 2e-3))
    ]
    totals = [measured("one stream", 3e-3, pieces=2), measured("two streams", 2e-3, pieces=2)]
    recording.add("host", {"experiment": "streams", **told, "measured": totals, "pieces": pieces})
    recording.add(
        "host", {"experiment": "graph", **told, "measured": [measured("one graph", 2e-5, launches=9)]}
    )
    monkeypatch.setenv(places.FOLDER, str(tmp_path))
    recording.write(places.own_file(ABOUT["gpu"]))
    monkeypatch.setattr(places, "SHIPPED", tmp_path / "none")


def rows(shown: notebook.Shown) -> tuple[tuple[str, ...], ...]:
    assert isinstance(shown.content, Table)
    return shown.content.rows


# From source to machine code


def test_stages() -> None:
    code, ptx, machine = rows(notebook.stages(ADD))
    entry = kernels.load(ADD).entry
    assert code[-1] == f"{entry.last - entry.first + 1} lines"
    assert ptx[:2] == ("PTX", "NVRTC 12.9.86")
    assert int(ptx[-1].split()[0]) > 10
    assert machine[2:] == ("sm_90", "32 instructions")


def test_the_same_ptx_becomes_other_machine_code_for_another_gpu() -> None:
    first, second = rows(notebook.targets("execution_model/scale", "sm_80", "sm_90"))
    assert first[1] == second[1]
    assert (first[2], second[2]) == ("yes", "yes")
    assert first[3:] != second[3:]


def test_a_line_in_ptx(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.ptx_of(ADD, 17)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "vector_add.cu, line 17: if (i < n) out[i] = a[i] + b[i];"
    assert told[1] == "PTX, 10 instructions:"
    assert [line.split()[0] for line in told[2:4]] == ["setp.ge.s32", "@%p1"]
    assert told[-1].split()[0] == "st.global.f32"
    notebook.ptx_of(ADD, 1)
    assert "PTX, 0 instructions:" in capsys.readouterr().out


def test_machine_code_of_a_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disassembly, "find", lambda: None)
    notebook.machine_code(ADD, 17)
    assert "pip install nvidia-cuda-nvdisasm" in capsys.readouterr().out
    monkeypatch.setattr(disassembly, "find", lambda: "nvdisasm")
    listing = ((16, "S2R R0, SR_TID.X"), (17, "FADD R9, R4, R3"), (17, "STG.E [R6], R9"), (None, "NOP"))
    monkeypatch.setattr(disassembly, "instructions", lambda compiled, entry: listing)
    notebook.machine_code(ADD, 17)
    told = capsys.readouterr().out.splitlines()
    assert told[1:] == ["machine code for sm_90, 2 instructions:", "  FADD R9, R4, R3", "  STG.E [R6], R9"]


# Host and device


def test_layers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.CHOICE, devices.SIMULATOR)
    monkeypatch.setattr(host.machine, "nvidia_driver", lambda: None)
    notebook.layers()
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert told["compiler"] == "NVRTC 12.9.86"
    assert told["GPU"].startswith("none")
    monkeypatch.delenv(choice.CHOICE)
    monkeypatch.setattr(choice, "_look", lambda: Gpu(FakeCuda()))
    driver = SimpleNamespace(cuda=(13, 0), gpus=1)
    monkeypatch.setattr(host.machine, "nvidia_driver", lambda: driver)
    notebook.layers()
    out = capsys.readouterr().out
    assert "serves CUDA up to 13.0" in out
    assert "Fake 9000" in out
    assert "CuPy 0" in out


def test_sides_of_a_program() -> None:
    table = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in notebook.sides("row_sums").data.splitlines()
    ]
    found = {row[1]: row[2:] for row in table[2:]}
    assert found["`main`"] == ["nothing", "host", "the system"]
    assert found["`warp_sum`"] == ["`__device__`", "device", "`row_sums_by_warp`"]
    assert found["`row_sums_by_thread`"] == ["`__global__`", "device", "`main` (launched)"]


def test_calls_of_the_host_are_those_of_the_program() -> None:
    text = (playground.EXAMPLES / "row_sums.cu").read_text().splitlines()
    table = [line.split(" | ") for line in notebook.host_calls("row_sums").data.splitlines()[2:]]
    assert len(table) == 10
    for number, written, *_ in table:
        assert written.strip("`") in text[int(number.strip("| ")) - 1]
    kinds = [what for _, _, what, *_ in table]
    assert kinds[0] == "reserves memory on the GPU"
    assert kinds[-1] == "gives the memory back"
    assert kinds.index("copies in, from host to GPU") < kinds.index("starts the kernel and returns")


def test_what_the_table_says_of_cupy_is_there() -> None:
    cupy = pytest.importorskip("cupy")
    assert callable(cupy.empty)
    assert {"set", "get"} <= set(dir(cupy.ndarray))
    assert hasattr(cupy.cuda.Device, "synchronize")


def test_a_launch_makes_the_calls_that_the_table_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """devices.launch on a GPU: memory for each array, copies in, the kernel, a wait, copies out."""
    called: list[str] = []

    class Noting(FakeCuda):
        def allocate(self, size: int) -> fake_cupy.FakeArray:
            called.append("cudaMalloc")
            return super().allocate(size)  # type: ignore[return-value]

        def upload(self, to: int, host: int, size: int) -> None:
            called.append("cudaMemcpyHostToDevice")
            super().upload(to, host, size)

        def download(self, host: int, of: int, size: int) -> None:
            called.append("cudaMemcpyDeviceToHost")
            super().download(host, of, size)

        def launch(self, *arguments: Sequence) -> None:
            called.append("<<<")
            super().launch(*arguments)

        def done(self, event: SimpleNamespace) -> bool:
            called.append("cudaDeviceSynchronize")
            return super().done(event)

    monkeypatch.delenv(choice.CHOICE, raising=False)
    monkeypatch.setattr(choice, "_look", lambda: made)
    made = Gpu(Noting())  # type: ignore[arg-type]
    a, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    devices.launch(kernels.load(ADD), None, 1, 64, [a, a.copy(), out, 64], repeats=0)
    assert (out == 2).all()
    assert called == [
        *(["cudaMalloc", "cudaMemcpyHostToDevice"] * 3),
        "<<<",
        "cudaDeviceSynchronize",
        *(["cudaMemcpyDeviceToHost"] * 3),
    ]
    assert set(called) < set(host._CALLS)


# Kernel fast, program slow


def test_copies_beside_a_kernel() -> None:
    into, kernel, back = rows(notebook.copies_beside(ADD, 1 << 26, 8, 4))
    seconds = recordings.load()[0].time(ADD, {"BLOCK": 256}, n=1 << 26).seconds.median
    assert into[:3] == ("copy in", "536,870,912", "8.39")
    assert kernel[2:] == (f"{seconds * 1e3:.3g}", "1", recordings.load()[0].label)
    assert back[3] == f"{(1 << 28) / 64e9 / seconds:.0f}"
    assert "No recording has" in repr(notebook.copies_beside(ADD, 77, 8, 4))


def test_a_launch_in_parts() -> None:
    whole, parts = rows(notebook.split(ADD, 1 << 20, (1, 3, 1024)))
    one, small = (recordings.load()[0].time(ADD, {"BLOCK": 256}, n=n).seconds.median for n in (1 << 20, 1024))
    assert whole[:2] == ("1", "1,048,576")
    assert parts[:2] == ("1,024", "1,024")
    assert parts[2:5] == (f"{small * 1e6:.2f}", f"{1024e6 * small:,.1f}", f"{1024 * small / one:.1f}")
    assert "No recording has" in repr(notebook.split(ADD, 77, (1,)))


# Streams


@pytest.mark.parametrize(("streams", "steps"), [(1, 12), (2, 7), (3, 6), (4, 6)])
def test_a_schedule(streams: int, steps: int) -> None:
    assert f"take {steps} steps" in repr(notebook.schedule(4, streams))
    planned = list(host._planned(4, streams, {"copy in": 1, "kernel": 1, "copy out": 1}))
    for what in ("copy in", "kernel", "copy out"):
        starts = [each.start for each in planned if each.what == what]
        assert len(set(starts)) == len(starts), "two at a time"


def test_a_schedule_with_a_long_kernel() -> None:
    assert "take 14 steps" in repr(notebook.schedule(4, 4, kernel=3))


# Recorded and measured experiments


def test_what_is_not_recorded_says_how_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "load", lambda: (new(ABOUT),))
    for name in experiments.EXPERIMENTS:
        told = repr(notebook.recorded_host(name))
        assert told.startswith(f'No recording has the experiment "{name}" yet.')
        assert "record --only host" in told
    with pytest.raises(ValueError, match=r"no experiment 'copy'; there are: copies, launches"):
        notebook.recorded_host("copy")


def test_recorded_copies(recorded: None) -> None:
    table = notebook.recorded_host("copies").content
    assert table.caption == "made up; recorded on Fake 9000, 2026-11-29"
    assert table.rows == (("1,048,576", "1.05", "1.05"), ("67,108,864", "536.87", "536.87"))


def test_two_recordings_have_a_column_for_where(recorded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    own = recordings.load()[-1]
    other = new({**ABOUT, "gpu": "Fake 8000"})
    other.document["host"] = own.document["host"]
    monkeypatch.setattr(recordings, "load", lambda: (own, other))
    table = notebook.recorded_host("copies").content
    assert table.head[-1] == "where"
    assert [row[-1] for row in table.rows] == [own.label] * 2 + [other.label] * 2
    told = repr(notebook.recorded_host("streams"))
    assert told.count("3.00 ms through one stream") == 2


def test_recorded_streams(recorded: None) -> None:
    told = repr(notebook.recorded_host("streams"))
    assert "3.00 ms through one stream and 2.00 ms through two streams (recorded on Fake 9000" in told
    assert "two streams, stream 2" in told


def test_recorded_graph(recorded: None) -> None:
    table = notebook.recorded_host("graph").content
    assert table.head == ("", "launches", "time [us]", "spread [us]", "clock")
    assert table.rows == (("one graph", "9", "20.00", "20.00", "GPU"),)


def test_measuring(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.CHOICE, devices.SIMULATOR)
    assert notebook.measure_host("allocation") is None
    assert capsys.readouterr().out.strip() == devices.describe()
    monkeypatch.delenv(choice.CHOICE)
    monkeypatch.setattr(choice, "_look", lambda: Gpu(FakeCuda()))
    for name, module in fake_cupy.modules(fake_cupy.FakeGpu()).items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(experiments, "BUSY_SECONDS", 0.0)
    table = notebook.measure_host("allocation").content
    assert table.caption.endswith("; measured on Fake 9000")
    assert {row[0] for row in table.rows} == {"cudaMalloc and cudaFree", "CuPy's memory pool"}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: notebook.targets(ADD), "at least one architecture"),
        (lambda: notebook.schedule(4), "pieces, streams and lengths of 1 or more"),
        (lambda: notebook.schedule(4, 0), "pieces, streams and lengths of 1 or more"),
        (lambda: notebook.schedule(4, 2, kernel=0), "pieces, streams and lengths of 1 or more"),
        (lambda: notebook.sides("column_sums"), r"no example program 'column_sums'; there are: .*row_sums"),
    ],
)
def test_what_makes_no_sense_is_told(call: Callable[[], object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        call()
