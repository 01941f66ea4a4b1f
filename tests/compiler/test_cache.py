"""The caches: kept, bounded, private, and safe against damage."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from course_utils.compiler import DiskCache
from course_utils.compiler import cache as caches

KEY = "0123456789abcdef"
posix = pytest.mark.skipif(os.name != "posix", reason="about POSIX rights")


def key(number: int) -> str:
    return f"{number:064x}"


@pytest.fixture
def disk() -> DiskCache:
    return DiskCache("kind", 10_000)


def test_what_is_put_is_got(disk: DiskCache) -> None:
    assert disk.get(KEY) is None
    disk.put(KEY, b"value")
    assert disk.get(KEY) == b"value"
    disk.put(KEY, b"")
    assert disk.get(KEY) == b""
    assert DiskCache("kind", 10_000).get(KEY) == b""
    assert DiskCache("other", 10_000).get(KEY) is None


@pytest.mark.parametrize(
    "bad", ["", "../../../../etc/x", "ABCDEF0123456789", "short", "0" * 200, "0123456789abcde/"]
)
def test_keys_are_hexadecimal(disk: DiskCache, bad: str) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        disk.get(bad)
    with pytest.raises(ValueError, match="hexadecimal"):
        disk.put(bad, b"")


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b[:5], lambda b: b"", lambda b: b[:-1] + b"?", lambda b: b + b"x"]
)
def test_damaged_entries_are_missing_and_rewritten(disk: DiskCache, damage: object) -> None:
    disk.put(KEY, b"value")
    path = disk.folder / KEY
    path.write_bytes(damage(path.read_bytes()))
    assert disk.get(KEY) is None
    disk.put(KEY, b"value")
    assert disk.get(KEY) == b"value"


def test_the_least_recently_used_go_first(disk: DiskCache) -> None:
    for i in range(9):
        disk.put(key(i), bytes(1000))
        os.utime(disk.folder / key(i), (1000 + i, 1000 + i))
    disk.get(key(0))
    for i in range(9, 13):
        disk.put(key(i), bytes(1000))
    left = {path.name for path in disk.folder.iterdir()}
    assert sum(path.stat().st_size for path in disk.folder.iterdir()) <= 10_000
    assert key(0) in left
    assert key(12) in left
    assert not left & {key(1), key(2), key(3)}


def test_what_is_larger_than_the_cache_is_not_kept(disk: DiskCache) -> None:
    disk.put(KEY, bytes(10_001))
    assert disk.get(KEY) is None


def test_leftovers_of_dead_writers_go(disk: DiskCache) -> None:
    disk.put(KEY, b"")
    old, new = disk.folder / "new-old", disk.folder / "new-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    DiskCache("kind", 10_000).put(KEY, b"")
    assert not old.exists()
    assert new.exists()


@posix
def test_folder_and_files_are_the_owners_alone(cache: Path, disk: DiskCache) -> None:
    disk.put(KEY, b"value")
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(disk.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((disk.folder / KEY).stat().st_mode) == 0o600
    disk.folder.chmod(0o777)
    assert disk.get(KEY) == b"value"
    assert stat.S_IMODE(disk.folder.stat().st_mode) == 0o700


@posix
def test_a_folder_of_someone_else_is_not_used(disk: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    disk.put(KEY, b"value")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert disk.get(KEY) is None
    disk.put(key(1), b"value")
    monkeypatch.undo()


@posix
def test_links_are_not_followed(tmp_path: Path, disk: DiskCache) -> None:
    disk.put(KEY, b"value")
    (disk.folder / KEY).rename(tmp_path / "elsewhere")
    (disk.folder / KEY).symlink_to(tmp_path / "elsewhere")
    assert disk.get(KEY) is None
    disk.folder.rename(tmp_path / "moved")
    disk.folder.symlink_to(tmp_path / "moved")
    disk.put(key(1), b"value")
    assert not (tmp_path / "moved" / key(1)).exists()


def test_a_cache_that_cannot_be_written_is_no_error(cache: Path, disk: DiskCache) -> None:
    cache.write_text("a file where the folder should be")
    disk.put(KEY, b"value")
    assert disk.get(KEY) is None


def test_without_the_variable_it_is_the_users_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(caches.VARIABLE)
    monkeypatch.setattr(caches.platformdirs, "user_cache_dir", lambda name, appauthor: str(tmp_path / name))
    assert caches.folder() == tmp_path / "live-kernels"


def test_two_processes_write_the_same_entries_at_once(disk: DiskCache) -> None:
    code = (
        "from course_utils.compiler import DiskCache\n"
        "disk = DiskCache('kind', 10_000)\n"
        "for turn in range(150):\n"
        "    key = f'{turn % 5:064x}'\n"
        "    disk.put(key, bytes([turn % 5]) * 2500)\n"
        "    got = disk.get(key)\n"
        "    assert got in (None, bytes([turn % 5]) * 2500), got"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) for _ in range(2)]
    assert [(process.communicate(timeout=60)[1], process.returncode) for process in running] == [(b"", 0)] * 2
    assert not [path for path in disk.folder.iterdir() if path.name.startswith("new-")]


def test_memory_keeps_the_most_recent() -> None:
    memory = caches.MemoryCache(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c")) == (1, None, 3)
    memory.clear()
    assert memory.get("a") is None


def test_reading_marks_as_used(disk: DiskCache) -> None:
    disk.put(KEY, b"value")
    os.utime(disk.folder / KEY, (1000, 1000))
    disk.get(KEY)
    assert (disk.folder / KEY).stat().st_mtime > time.time() - 60
