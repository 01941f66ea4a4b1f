"""The lessons and this machine."""

from __future__ import annotations

import pytest

from course_utils import devices, notebook
from course_utils.exercises import manifest


def test_lessons_link_to_what_is_written() -> None:
    listed = notebook.lessons().data.splitlines()
    assert len(listed) == len(manifest.lessons()) - 1
    for line, lesson in zip(listed, manifest.lessons()[1:], strict=True):
        assert (f"({lesson.file})" in line) != lesson.to_come
        assert ("(to come)" in line) == lesson.to_come


def test_machine_prints_what_devices_say(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.machine()
    assert capsys.readouterr().out.strip() == devices.describe()
