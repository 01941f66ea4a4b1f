"""Learners' copies: made once, kept once changed, replaced while unchanged, a new version offered beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_utils import learner

NAME = "02_tiling.ipynb"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    lessons, mine = tmp_path / "lessons", tmp_path / "my"
    lessons.mkdir()
    (lessons / NAME).write_text("first", encoding="utf-8")
    return lessons, mine


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}


def test_first_opening_copies_every_lesson(folders: tuple[Path, Path]) -> None:
    lessons, mine = folders
    (lessons / "00_start_here.ipynb").write_text("start", encoding="utf-8")
    (lessons / "notes.txt").write_text("no lesson", encoding="utf-8")
    assert learner.refresh(lessons, mine) == []
    assert contents(mine) == {NAME: "first", "00_start_here.ipynb": "start"}
    assert not (mine / "notes.txt").exists()


def test_changed_copy_is_kept_and_the_new_version_offered_once(folders: tuple[Path, Path]) -> None:
    lessons, mine = folders
    learner.refresh(lessons, mine)
    (mine / NAME).write_text("my work", encoding="utf-8")
    assert learner.refresh(lessons, mine) == [], "the lesson has not changed"
    (lessons / NAME).write_text("second", encoding="utf-8")
    (news,) = learner.refresh(lessons, mine)
    assert NAME in news
    assert "02_tiling.new.ipynb" in news
    offered = {NAME: "my work", "02_tiling.new.ipynb": "second"}
    assert contents(mine) == offered
    assert learner.refresh(lessons, mine) == []
    assert contents(mine) == offered


def test_an_offer_that_the_learner_worked_in_is_kept_too(folders: tuple[Path, Path]) -> None:
    lessons, mine = folders
    learner.refresh(lessons, mine)
    (mine / NAME).write_text("my work", encoding="utf-8")
    (lessons / NAME).write_text("second", encoding="utf-8")
    learner.refresh(lessons, mine)
    (mine / "02_tiling.new.ipynb").write_text("more work", encoding="utf-8")
    (lessons / NAME).write_text("third", encoding="utf-8")
    learner.refresh(lessons, mine)
    assert contents(mine) == {
        NAME: "my work",
        "02_tiling.new.ipynb": "more work",
        "02_tiling.new2.ipynb": "third",
    }


def test_unchanged_copy_is_replaced(folders: tuple[Path, Path]) -> None:
    lessons, mine = folders
    learner.refresh(lessons, mine)
    (lessons / NAME).write_text("second", encoding="utf-8")
    (news,) = learner.refresh(lessons, mine)
    assert "updated" in news
    assert contents(mine) == {NAME: "second"}


def test_deleted_copy_is_made_anew(folders: tuple[Path, Path]) -> None:
    lessons, mine = folders
    learner.refresh(lessons, mine)
    (mine / NAME).unlink()
    assert learner.refresh(lessons, mine) == []
    assert contents(mine) == {NAME: "first"}


@pytest.mark.parametrize("manifest", [None, "", "[]", "{half"])
def test_lost_manifest_overwrites_nothing(folders: tuple[Path, Path], manifest: str | None) -> None:
    lessons, mine = folders
    learner.refresh(lessons, mine)
    (mine / NAME).write_text("my work", encoding="utf-8")
    if manifest is None:
        (mine / learner.MANIFEST).unlink()
    else:
        (mine / learner.MANIFEST).write_text(manifest, encoding="utf-8")
    assert learner.refresh(lessons, mine) == []
    assert contents(mine) == {NAME: "my work"}
    (lessons / NAME).write_text("second", encoding="utf-8")
    learner.refresh(lessons, mine)
    assert contents(mine) == {NAME: "my work", "02_tiling.new.ipynb": "second"}


def test_no_partial_files_stay(folders: tuple[Path, Path]) -> None:
    lessons, mine = folders
    learner.refresh(lessons, mine)
    assert sorted(path.name for path in mine.iterdir()) == sorted([NAME, learner.MANIFEST])
