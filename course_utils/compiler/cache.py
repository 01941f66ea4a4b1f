"""Caches: bytes on disk under the user's cache folder, and the most recent objects in memory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import threading
import time
from collections import OrderedDict
from pathlib import Path

import platformdirs

_KEY = re.compile(r"[0-9a-f]{16,128}")
_POSIX = os.name == "posix"
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
VARIABLE = "LIVE_KERNELS_CACHE"


def folder() -> Path:
    """Where caches lie: the environment variable LIVE_KERNELS_CACHE, else a folder in the user's cache."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("live-kernels", appauthor=False))


class DiskCache:
    """Bytes by hexadecimal key, in one folder, for several processes at once.

    The folder is the owner's alone (on POSIX 0700, files 0600); one that belongs to somebody else, or that
    others may write to and whose rights cannot be taken back, is not used. Entries are replaced in one step
    and carry their own digest, so that a torn or altered entry reads as missing. When the entries pass
    `limit_bytes`, the least recently used go. A cache that cannot be read or written is no error: `get` gives
    None and `put` does nothing.
    """

    def __init__(self, folder_name: str, limit_bytes: int) -> None:
        self._name = folder_name
        self._limit = limit_bytes
        self._unswept = limit_bytes  # so that the first put of a process sweeps

    @property
    def folder(self) -> Path:
        return folder() / self._name

    def get(self, key: str) -> bytes | None:
        path = self._path(key)
        if not self._usable(create=False):
            return None
        try:
            with os.fdopen(os.open(path, _READ), "rb") as file:
                if _POSIX and os.fstat(file.fileno()).st_uid != os.geteuid():
                    return None
                entry = file.read()
            os.utime(path)  # the time of last use, which eviction goes by
        except OSError:
            return None
        digest, data = entry[:32], entry[32:]
        return data if hashlib.sha256(data).digest() == digest else None

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        if len(data) > self._limit or not self._usable(create=True):
            return
        try:
            descriptor, name = tempfile.mkstemp(dir=self.folder, prefix="new-")  # 0600
        except OSError:
            return
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(hashlib.sha256(data).digest())
                file.write(data)
            temporary.replace(path)
        except BaseException as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            # A full disk, or on Windows a reader in the way, only costs the entry.
            if not isinstance(error, OSError):
                raise
            return
        self._unswept += len(data)
        if self._unswept > self._limit // 16:
            self._sweep()
            self._unswept = 0

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a cache key is 16 to 128 hexadecimal digits, not {key!r}")
        return self.folder / key

    def _usable(self, create: bool) -> bool:
        for place in (folder(), self.folder):
            try:
                if create:
                    place.mkdir(mode=0o700, parents=True, exist_ok=True)
                found = os.lstat(place)
                if not stat.S_ISDIR(found.st_mode) or (_POSIX and found.st_uid != os.geteuid()):
                    return False
                if _POSIX and found.st_mode & 0o077:
                    place.chmod(0o700)
            except OSError:
                return False
        return True

    def _sweep(self) -> None:
        entries, now = [], time.time()
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                with contextlib.suppress(OSError):
                    info = path.lstat()
                    if _KEY.fullmatch(path.name):
                        entries.append((info.st_mtime_ns, info.st_size, path))
                    elif path.name.startswith("new-") and now - info.st_mtime > 3600:
                        path.unlink()  # left by a process that died while writing
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self._limit:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size


class MemoryCache:
    """The `limit` most recently used objects by key. Safe between threads, and after a fork."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def get(self, key: str) -> object | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: str, value: object) -> None:
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
