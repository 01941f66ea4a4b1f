"""Recorded and measured times beside what a lab counts: never of another size without saying so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import ipywidgets as widgets
import pytest

from course_utils import devices, problems, recordings
from course_utils.devices.run import Time
from course_utils.kernels import Kernel
from course_utils.labs import Choice, Counters, Lab, Preset, Sweep, Times, timing
from course_utils.recordings.recording import new
from tests.recordings.test_recording import ABOUT, timed

MakeLab = Callable[..., Lab]
STRIDES = {"side by side": {"stride": 1, "offset": 0}, "every ninth": {"stride": 9, "offset": 0}}


@pytest.fixture(autouse=True)
def _recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording of three sizes, and one of a strided copy."""
    recording = new(ABOUT)
    for edge in (64, 256, 128):
        recording.add("times", timed(edge * 1e-6, sizes={"N": edge}, source=""))
        library = {key: timed(1e-6 * edge)[key] for key in ("seconds", "error", "operations", "moved")}
        recording.add("libraries", {"library": "lib", "topic": "tiling", "sizes": {"N": edge}, **library})
    sizes = {"n": 1 << 20, "stride": 1, "offset": 0}
    recording.add(
        "times",
        timed(1e-3, kernel="coalescing/strided_copy", tunables={"BLOCK": 256}, sizes=sizes, source=""),
    )
    monkeypatch.setattr(recordings, "load", lambda: (recording,))
    timing._load.cache_clear()


def test_the_largest_recorded_size_with_the_library_there(make_lab: MakeLab) -> None:
    ((chosen, beside),) = timing.recorded(make_lab().result)
    assert (chosen.name, chosen.seconds, chosen.sizes) == ("tiled, TILE 8", 256e-6, {"N": 256})
    assert [(each.name, each.seconds) for each in beside] == [("lib", 256e-6)]
    assert chosen.where == "recorded on Fake 9000, 2026-11-29"


def test_what_was_not_recorded_has_no_time(make_lab: MakeLab, edited: Callable[..., Kernel]) -> None:
    lab = make_lab(views=[Times()])
    lab.set(TILE=4)
    assert "No time of tiled, TILE 4 is recorded" in lab.report()
    lab.set(TILE=8)
    assert "took 0.256 ms at N = 256" in lab.report()
    assert "counted at N = 24" in lab.report()
    assert timing.recorded(lab.result, {"N"}) == []


def test_an_edited_kernel_has_no_recorded_time(make_lab: MakeLab) -> None:
    result = make_lab().result
    changed = Kernel(result.kernel.name, result.kernel.path, result.kernel.source + "\nint more;\n")
    recorded = recordings.load()[0]
    for entry in recorded.document["times"]:
        entry["source"] = recordings.recording.digest(result.kernel.source)
    recorded.__dict__.pop("times", None)  # which may have been read before
    timing._load.cache_clear()
    assert timing.recorded(result)
    assert timing.recorded(replace(result, kernel=changed)) == []


def test_a_stride_is_no_size_and_must_be_the_recorded_one() -> None:
    lab = Lab(["coalescing/strided_copy"], [Preset("pattern", STRIDES), Choice("n", (64,))], [Times()])
    assert "took 1 ms at n = 1,048,576 (recorded" in " ".join(lab.report().split())
    lab.set(pattern="every ninth")
    assert "No time of strided_copy, BLOCK 256 is recorded" in lab.report()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """A machine with a GPU, on which everything takes 2 ms and 48 is full size; the launches made."""
    launches: list[dict[str, object]] = []
    launch = devices.launch

    def fake(kernel: Kernel, *args: object, device: str, **options: object) -> devices.Run:
        launches.append({"grid": args[1], "device": device, **options})
        run = launch(kernel, *args, device="simulator", **options)
        return replace(run, kind="measured", time=Time("Fake 9000", (2e-3, 3e-3, 1e-3)))

    monkeypatch.setattr(devices, "launch", fake)
    monkeypatch.setattr(devices, "current", lambda: "gpu")
    monkeypatch.setitem(problems.SETTINGS, "tiling", replace(problems.SETTINGS["tiling"], timed=({"N": 48},)))
    return launches


def test_a_sweep_measures_on_request_at_full_size(make_lab: MakeLab, gpu: list[dict[str, object]]) -> None:
    lab = make_lab(views=[Counters(), Sweep("TILE", ("sectors",))])
    panel = lab.sweeps[0]
    assert panel._measure_button in panel.widget.children[1].children
    assert panel._measure_button.disabled
    panel.run()
    assert gpu == []  # nothing by itself
    counted = panel.figure.text
    panel._measure_button.click()
    assert [(each["grid"], each["defines"], each["device"]) for each in gpu] == [
        ((12, 12), {"TILE": 4}, "gpu"),
        ((6, 6), {"TILE": 8}, "gpu"),
    ]
    times = panel.figure.text.split("\n\n")[1].splitlines()
    assert counted.split("\n\n")[0] in panel.figure.text
    assert times[0] == "Times at the sizes beside them, not at the size of the counts"
    assert times[-2].split() == ["4", "–", "2", "ms", "(N", "=", "48)"]  # noqa: RUF001
    assert times[-1].split() == ["8", "0.256", "ms", "(N", "=", "256)", "2", "ms", "(N", "=", "48)"]


def test_a_size_that_is_swept_over_is_measured_at_its_values(
    make_lab: MakeLab, gpu: list[dict[str, object]]
) -> None:
    lab = make_lab(views=[Sweep("N", ("sectors",))], baseline=None)
    lab.sweeps[0].run()
    lab.sweeps[0].measure()
    assert [each["grid"] for each in gpu] == [(3, 3), (4, 4), (5, 5)]


def test_a_wrong_result_on_the_gpu_is_told_and_not_timed(
    make_lab: MakeLab, gpu: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problems.Problem, "verdict", lambda self: (False, "wrong: all of it"))
    lab = make_lab(views=[Sweep("TILE", ("sectors",))], baseline=None)
    lab.sweeps[0].run()
    lab.sweeps[0].measure()
    assert "TILE 4: RuntimeError: wrong: all of it" in lab.sweeps[0].figure.sentence
    assert "measured" not in lab.sweeps[0].figure.text


def test_without_a_gpu_there_is_no_button(make_lab: MakeLab) -> None:
    lab = make_lab(views=[Sweep("TILE")])
    row = lab.sweeps[0].widget.children[1].children
    assert [each.description for each in row if isinstance(each, widgets.Button)] == ["Run the sweep", "Stop"]
