"""One recording: a JSON document that schema.json describes, read, asked, added to and written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import jsonschema

from ..kernels import code

Values = Mapping[str, int]
Entry = dict[str, Any]

_SCHEMA = Path(__file__).with_name("schema.json")
_EMPTY: Entry = {
    "version": 2,
    "about": {},
    "times": [],
    "libraries": [],
    "curves": [],
    "host": [],
    "metrics": [],
    "counted": [],
    "failures": [],
}
IDENTITY = {
    "times": ("kernel", "tunables", "sizes"),
    "libraries": ("library", "topic", "sizes"),
    "curves": ("curve", "kernel"),
    "host": ("experiment",),
    "counted": ("kernel", "tunables", "sizes"),
    "failures": ("what",),
}
"""Section -> what tells its entries apart."""


class RecordingError(Exception):
    """A file is no recording, or one of another version."""


@dataclass(frozen=True)
class Seconds:
    """The time of a launch, over several: `launches` of them, from the fastest to the slowest."""

    median: float
    least: float
    most: float
    launches: int

    @property
    def spread(self) -> float:
        """Seconds from the fastest launch to the slowest."""
        return self.most - self.least


@dataclass(frozen=True)
class Timed:
    """A kernel of the course, or a library, at one size. `error`: see problems.Problem.error. `source`: the
    digest of the kernel's code, "" for a library."""

    name: str
    tunables: Values
    sizes: Values
    seconds: Seconds
    error: float
    operations: int | None
    moved: int | None
    note: str = ""
    source: str = ""

    @property
    def bytes_per_second(self) -> float | None:
        """The bytes that must be moved at least, by the median time."""
        return None if self.moved is None else self.moved / self.seconds.median

    @property
    def flops(self) -> float | None:
        """Floating-point operations a second: two a multiply-add, by the median time."""
        return None if self.operations is None else 2 * self.operations / self.seconds.median


@dataclass(frozen=True)
class Curve:
    """`points` are pairs (x, y); `x` and `y` say what these are, with their units; `method` how they were
    got."""

    name: str
    kernel: str
    x: str
    y: str
    method: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Measured:
    """One case of an experiment. `clock`: "GPU" (CUDA events) or "host"."""

    case: str
    sizes: Values
    clock: str
    seconds: Seconds


@dataclass(frozen=True)
class Piece:
    """A step of one piece of work on a stream: "copy in", "kernel" or "copy out". `start` and `end` are in
    seconds from the beginning; `stream` and `piece` are counted from 1."""

    case: str
    stream: int
    piece: int
    what: str
    start: float
    end: float


@dataclass(frozen=True)
class Experiment:
    """An experiment on the host's side of a launch, see host.py. `pieces`: of "streams" alone."""

    name: str
    method: str
    measured: tuple[Measured, ...]
    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(cls, name: str, entry: Entry) -> Experiment:
        """From what host.EXPERIMENTS[name]() gives."""
        measured = (
            Measured(each["case"], each["sizes"], each["clock"], Seconds(**each["seconds"]))
            for each in entry["measured"]
        )
        pieces = (Piece(**each) for each in entry.get("pieces", ()))
        return cls(name, entry["method"], tuple(measured), tuple(pieces))


@dataclass(frozen=True)
class Counted:
    """A launch that Nsight Compute counted. `metrics`: name -> (least, most) over its repetitions, mostly
    equal. `lines`: source line -> counts, for some launches. `result`: CRC-32 of all arrays afterwards."""

    kernel: str
    source: str
    tunables: Values
    sizes: Values
    metrics: Mapping[str, tuple[int, int]]
    result: int
    lines: Mapping[int, Mapping[str, int]]


class Recording:
    """What one GPU measured. `own`: it is the learner's, and not the course's."""

    def __init__(self, document: Entry, own: bool = False) -> None:
        self.document = document
        self.own = own

    @property
    def gpu(self) -> str:
        """Its maker's name for it: NVIDIA H200."""
        return self.document["about"]["gpu"]

    @property
    def date(self) -> str:
        """Of the day it was made, 2026-11-29, or of the first and the last day."""
        about = self.document["about"]
        since = about.get("since", about["date"])
        return about["date"] if since == about["date"] else f"{since} to {about['date']}"

    @property
    def label(self) -> str:
        """What stands beside every number from here."""
        return f"recorded on {self.gpu}, {self.date}"

    def __repr__(self) -> str:
        counts = (
            f"{len(self.document[section])} {section}" for section in IDENTITY if self.document[section]
        )
        return f"<Recording {self.label}: {', '.join(counts)}>"

    # Asking

    @cached_property
    def times(self) -> tuple[Timed, ...]:
        return tuple(_timed(entry["kernel"], entry) for entry in self.document["times"])

    @cached_property
    def libraries(self) -> Mapping[str, tuple[Timed, ...]]:
        """Topic -> the libraries beside its kernels."""
        found: dict[str, list[Timed]] = {}
        for entry in self.document["libraries"]:
            found.setdefault(entry["topic"], []).append(_timed(entry["library"], entry))
        return {topic: tuple(entries) for topic, entries in found.items()}

    @cached_property
    def curves(self) -> Mapping[str, Curve]:
        return {
            entry["curve"]: Curve(
                entry["curve"],
                entry["kernel"],
                entry["x"],
                entry["y"],
                entry["method"],
                tuple((x, y) for x, y in entry["points"]),
            )
            for entry in self.document["curves"]
        }

    @cached_property
    def host(self) -> Mapping[str, Experiment]:
        return {
            entry["experiment"]: Experiment.of(entry["experiment"], entry) for entry in self.document["host"]
        }

    @cached_property
    def counted(self) -> tuple[Counted, ...]:
        return tuple(self._counted(entry) for entry in self.document["counted"])

    def time(self, kernel: str, tunables: Values, **sizes: int) -> Timed | None:
        """The time of a kernel with these tunables at these sizes, None where there is none."""
        for timed in self.times:
            if timed.name == kernel and timed.tunables == dict(tunables) and timed.sizes == sizes:
                return timed
        return None

    def _counted(self, entry: Entry) -> Counted:
        pairs = zip(self.document["metrics"], entry["values"], strict=True)
        metrics = {name: (value, value) if isinstance(value, int) else tuple(value) for name, value in pairs}
        lines = {int(line): counts for line, counts in entry.get("lines", {}).items()}
        return Counted(
            entry["kernel"],
            entry["source"],
            entry["tunables"],
            entry["sizes"],
            metrics,
            entry["result"],
            lines,
        )

    # Adding

    def add(self, section: str, entry: Entry) -> None:
        """Add an entry, in place of an older one for the same."""
        kept = [other for other in self.document[section] if not _same(section, other, entry)]
        self.document[section] = [*kept, entry]

    def has(self, section: str, entry: Entry) -> bool:
        """Whether there is an entry for the same, of the same source where it has one."""
        return any(
            _same(section, other, entry) and other.get("source") == entry.get("source")
            for other in self.document[section]
        )

    def write(self, path: Path) -> None:
        """Save with a line for each entry, so that changes can be read; the old file stays until the end."""
        check(self.document, path)
        parts = []
        for name, content in self.document.items():
            if isinstance(content, list) and name != "metrics":
                lines = ",\n".join("  " + json.dumps(entry, separators=(", ", ": ")) for entry in content)
                parts.append(f'"{name}": [\n{lines}\n]' if content else f'"{name}": []')
            else:
                parts.append(f'"{name}": {json.dumps(content)}')
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.part")
        partial.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
        partial.replace(path)


def new(about: Entry) -> Recording:
    """A recording with nothing in it but what it is about, see schema.json."""
    return Recording({**deepcopy(_EMPTY), "about": about}, own=True)


def read(path: Path, own: bool = False) -> Recording:
    """The recording in a file. Raises RecordingError, with what is wrong and what to do."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordingError(f"{path.name} is no JSON ({error}): remove it and record again") from None
    document = _widened(document)
    check(document, path)
    return Recording(document, own)


def _widened(document: object) -> object:
    """A document of version 1, which had no section "host", as one of version 2."""
    if isinstance(document, dict) and document.get("version") == 1 and "host" not in document:
        return {**document, "version": 2, "host": []}
    return document


def check(document: object, path: Path) -> None:
    """Raises RecordingError where a document does not follow the schema."""
    problem = jsonschema.exceptions.best_match(_validator().iter_errors(document))
    if problem is not None:
        raise RecordingError(
            f"{path.name} is no recording that this version reads ({problem.json_path}: "
            f"{problem.message[:200]}): remove it and record again"
        )


def digest(source: str) -> str:
    """What identifies a kernel's code: its comments do not matter, but the line that something is in does."""
    lines = (line.rstrip() for line in code.without_comments(source).splitlines())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))


def _same(section: str, one: Entry, other: Entry) -> bool:
    return all(one[key] == other[key] for key in IDENTITY[section])


def _timed(name: str, entry: Entry) -> Timed:
    return Timed(
        name,
        entry.get("tunables", {}),
        entry["sizes"],
        Seconds(**entry["seconds"]),
        entry["error"],
        entry.get("operations"),
        entry.get("moved"),
        entry.get("note", ""),
        entry.get("source", ""),
    )


def seconds(samples: Sequence[float]) -> Entry:
    """The samples as the schema has them, to four digits."""
    ordered = sorted(samples)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    numbers = {"median": median, "least": ordered[0], "most": ordered[-1]}
    return {name: float(f"{value:.4g}") for name, value in numbers.items()} | {"launches": len(ordered)}
