"""What a learner calls: open, check, hint, solution, on a copy that no update overwrites."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_utils import exercises, notebook
from course_utils.exercises import copies, progress

NAME = "02_tiling/rectangular"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the learner's copy will be."""
    monkeypatch.setenv("LIVE_KERNELS_MY", str(tmp_path / "my"))
    monkeypatch.setattr(exercises, "_hints_shown", {})
    return tmp_path / "my" / "exercises" / f"{NAME}.cu"


def starter_of(chosen: exercises.Exercise) -> str:
    return chosen.starter.path.read_text(encoding="utf-8")


def test_the_folder_is_my_of_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIVE_KERNELS_MY", raising=False)
    assert copies.folder() == Path(__file__).resolve().parents[2] / "my"


def test_open_makes_the_copy_and_shows_it(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listing = exercises.open(NAME)
    assert copy.read_text(encoding="utf-8") == starter_of(exercises.load(NAME))
    assert (listing.title, listing.source) == (f"my/exercises/{NAME}.cu", copy.read_text(encoding="utf-8"))
    assert f"Your file: my/exercises/{NAME}.cu" in capsys.readouterr().out


def test_open_keeps_the_learners_work(copy: Path) -> None:
    exercises.open(NAME)
    copy.write_text("my work", encoding="utf-8")
    assert exercises.open(NAME).source == copy.read_text(encoding="utf-8") == "my work"


def test_new_starter_is_laid_beside_changed_work_once(copy: Path, tmp_path: Path) -> None:
    chosen = exercises.load(NAME)
    assert copies.provide(chosen) == []
    new = tmp_path / "starter.cu"
    new.write_text("new starter", encoding="utf-8")
    chosen.__dict__["starter"] = type("Starter", (), {"path": new, "source": "new starter"})()
    copy.write_text("my work", encoding="utf-8")
    (news,) = copies.provide(chosen)
    assert "my/exercises/02_tiling/rectangular.new.cu" in news
    assert copy.read_text(encoding="utf-8") == "my work"
    assert copy.with_name("rectangular.new.cu").read_text(encoding="utf-8") == "new starter"
    assert copies.provide(chosen) == []


def test_unchanged_copy_follows_a_new_starter(copy: Path, tmp_path: Path) -> None:
    chosen = exercises.load(NAME)
    copies.provide(chosen)
    new = tmp_path / "starter.cu"
    new.write_text("new starter", encoding="utf-8")
    chosen.__dict__["starter"] = type("Starter", (), {"path": new, "source": "new starter"})()
    (news,) = copies.provide(chosen)
    assert "no changes" in news
    assert copy.read_text(encoding="utf-8") == "new starter"


def test_check_without_a_copy_examines_the_starter(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exercises.check(NAME)
    told = capsys.readouterr().out
    assert told.startswith(
        f"my/exercises/{NAME}.cu (the starter, unchanged) gives right values, and misses a goal."
    )
    assert not copy.exists()
    assert progress.solved() == set()


def test_check_of_the_solution(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy.parent.mkdir(parents=True)
    copy.write_text(exercises.solution(NAME).source, encoding="utf-8")
    exercises.check(NAME)
    told = capsys.readouterr().out
    assert told.startswith(f"my/exercises/{NAME}.cu solves the exercise.")
    assert "not yet" not in told
    assert progress.solved() == {NAME}
    copy.write_text("broken", encoding="utf-8")
    exercises.check(NAME)
    assert progress.solved() == {NAME}  # once solved, solved
    assert progress.read()[NAME]["tries"] == 2
    assert (copy.parents[2] / "progress.json").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"int x", "does not compile"), (b"", "cannot be launched"), (b"\xff\xfe", "cannot be read")],
)
def test_check_of_a_broken_file_prints(
    copy: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    copy.parent.mkdir(parents=True)
    copy.write_bytes(content)
    exercises.check(NAME)
    assert words in capsys.readouterr().out


def test_hints_ask_before_they_tell(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hints = exercises.load(NAME).hints
    for number, hint in enumerate(hints, 1):
        exercises.hint(NAME)
        asked = capsys.readouterr().out
        assert asked.startswith(f"Hint {number} of {len(hints)}: {hint.ask}")
        assert hint.tell not in asked
        exercises.hint(NAME)
        assert hint.tell in capsys.readouterr().out
    exercises.hint(NAME)
    assert "exercises.solution" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["{broken", "[]", '{"a": 1}'])
def test_progress_that_cannot_be_read_is_kept_beside(copy: Path, content: str) -> None:
    progress.path().parent.mkdir(parents=True)
    progress.path().write_text(content, encoding="utf-8")
    assert progress.read() == {}
    progress.note(NAME, True)
    assert progress.solved() == {NAME}
    assert progress.path().with_name("progress.unreadable.json").read_text(encoding="utf-8") == content


def test_progress_that_cannot_be_saved_is_told(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copies.folder().write_text("a file where the folder should be", encoding="utf-8")
    exercises.check(NAME)
    assert "Your progress could not be saved" in capsys.readouterr().out


def test_progress_as_a_table(copy: Path) -> None:
    rows = notebook.progress().content.rows
    assert ("Tiling", "0 of 2", f"{NAME}, 02_tiling/strip") in rows
    progress.note(NAME, True)
    assert ("Tiling", "1 of 2", "02_tiling/strip") in notebook.progress().content.rows
    progress.note("02_tiling/strip", True)
    assert ("Tiling", "2 of 2", "none") in notebook.progress().content.rows
