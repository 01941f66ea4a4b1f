from __future__ import annotations

import json
from pathlib import Path

import pytest

from course_utils import kernels, recordings
from course_utils.recordings import RecordingError, places
from course_utils.recordings.recording import Entry, digest, new, read, seconds

ABOUT = {
    "gpu": "Fake 9000", "compute_capability": "9.0", "driver": "1", "cuda": "13.0", "nvrtc": "12.9",
    "date": "2026-11-29",
}  # fmt: skip


def timed(median: float = 1e-3, **changes: object) -> Entry:
    entry: Entry = {
        "kernel": "tiling/tiled",
        "source": "0" * 16,
        "tunables": {"TILE": 8},
        "sizes": {"N": 64},
        "seconds": {"median": median, "least": median, "most": 2 * median, "launches": 3},
        "error": 1e-7,
        "operations": 64**3,
        "moved": 12 * 64**2,
    }
    return {**entry, **changes}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    recording = new(ABOUT)
    recording.add("times", timed())
    recording.write(tmp_path / "own.json")
    again = read(tmp_path / "own.json")
    assert again.document == recording.document
    assert again.label == "recorded on Fake 9000, 2026-11-29"
    found = again.time("tiling/tiled", {"TILE": 8}, N=64)
    assert found is not None
    assert (found.seconds.median, found.seconds.spread) == (1e-3, 1e-3)
    assert found.flops == pytest.approx(2 * 64**3 / 1e-3)
    assert found.bytes_per_second == pytest.approx(12 * 64**2 / 1e-3)
    assert again.time("tiling/tiled", {"TILE": 8}, N=65) is None
    assert again.time("tiling/tiled", {"TILE": 4}, N=64) is None


def test_an_entry_takes_the_place_of_an_older_one() -> None:
    recording = new(ABOUT)
    recording.add("times", timed(1.0))
    recording.add("times", timed(2.0))
    recording.add("times", timed(3.0, sizes={"N": 65}))
    assert [entry["seconds"]["median"] for entry in recording.document["times"]] == [2.0, 3.0]
    assert recording.has("times", timed())
    assert not recording.has("times", timed(source="1" * 16))
    assert not recording.has("times", timed(tunables={"TILE": 4}))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 3}, r"\$.version: 2 was expected"),
        ({"version": 1}, r"\$.version: 2 was expected"),
        ({"host": [{"experiment": "copies"}]}, r"host\[0\]: '\w+' is a required property"),
        ({"times": [timed(error=-1)]}, r"times\[0\].error: -1 is less than the minimum"),
        ({"times": [timed(source="short")]}, r"times\[0\].source"),
        ({"times": [timed(sizes={"N": "64"})]}, r"sizes.N: '64' is not of type 'integer'"),
        ({"notes": []}, r"'notes' was unexpected"),
    ],
)
def test_what_does_not_follow_the_schema(tmp_path: Path, change: Entry, told: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({**new(ABOUT).document, **change}))
    with pytest.raises(RecordingError, match=rf"own.json is no recording .*{told}.* record again"):
        read(path)


def test_a_recording_of_version_1_has_no_experiments(tmp_path: Path) -> None:
    recording = new(ABOUT)
    recording.add("times", timed())
    older = {**recording.document, "version": 1}
    del older["host"]
    (tmp_path / "own.json").write_text(json.dumps(older))
    again = read(tmp_path / "own.json")
    assert (again.host, again.times) == ({}, recording.times)
    again.write(tmp_path / "own.json")
    assert json.loads((tmp_path / "own.json").read_text()) == recording.document


def test_what_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text("{")
    with pytest.raises(RecordingError, match=r"own\.json is no JSON"):
        read(tmp_path / "own.json")


def test_comments_do_not_change_a_digest_and_lines_do() -> None:
    source = "int a; // one\nint b;\n"
    assert digest(source) == digest("int a; // another one  \nint b;\n")
    assert digest(source) != digest("// one\nint a;\nint b;\n")
    assert digest(source) != digest("int a; // one\nint c;\n")


def test_seconds() -> None:
    assert seconds([3.0, 1.0, 2.00004]) == {"median": 2.0, "least": 1.0, "most": 3.0, "launches": 3}
    assert seconds([1.0, 2.0])["median"] == 1.5


def test_a_learners_recording_stands_behind_the_courses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(places.FOLDER, str(tmp_path))
    new(ABOUT).write(places.own_file("NVIDIA GeForce RTX 4090 (Laptop)"))
    (tmp_path / "broken.json").write_text("[]")
    assert [path.name for path in tmp_path.iterdir() if "4090" in path.name] == [
        "nvidia_geforce_rtx_4090_laptop.json"
    ]
    found = recordings.load()
    assert [(recording.gpu, recording.own) for recording in found] == [
        ("NVIDIA H200", False),
        ("Fake 9000", True),
    ]


def test_the_courses_recording_is_of_the_kernels_as_they_are() -> None:
    """A kernel whose code changed must be recorded anew, or its old entries removed."""
    (h200,) = (recording for recording in recordings.load() if not recording.own)
    entries = [*h200.document["times"], *h200.document["curves"], *h200.document["host"]]
    now = {name: digest(kernels.load(name).source) for name in kernels.find()}
    stale = {entry["kernel"] for entry in entries if now.get(entry["kernel"]) != entry["source"]}
    assert not stale, "record these kernels again (python3 -m course_utils record), or remove their entries"
    assert not h200.document["failures"]
