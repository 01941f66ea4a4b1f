"""The files that a playground can open: those of the course and the learner's own."""

from __future__ import annotations

import os
from pathlib import Path

from ..kernels.kernel import REPOSITORY

EXAMPLES = Path(__file__).resolve().parent / "examples"
"""The folder of programs to try."""


def files() -> list[str]:
    """The files that a playground can open, by their names: examples/..., kernels/... and my/... ."""
    return [
        f"{first}/{path.relative_to(folder).as_posix()}"
        for first, folder in _folders().items()
        if folder.is_dir()
        for path in sorted(folder.rglob("*.cu"))
    ]


def read_file(name: str) -> str:
    """The text of a file under one of those folders. Raises ValueError, with a sentence, for any other."""
    name = name.strip().replace("\\", "/")
    folders = _folders()
    first, _, rest = name.partition("/")
    if first not in folders or not rest:
        raise ValueError(
            f"{name!r} is not under my/, kernels/ or examples/; put your file into my/ and name it my/file.cu"
        )
    root = folders[first].resolve()
    path = (root / rest).resolve()
    if not path.is_relative_to(root):
        raise ValueError(f"{name!r} leads out of {first}/")
    if not path.is_file():
        raise ValueError(f"there is no file {name}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{name} is no UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise ValueError(f"{name} cannot be read ({error})") from None


def _folders() -> dict[str, Path]:
    """Where files may lie, by the first part of their names. Tests name another my/ in LIVE_KERNELS_MY."""
    return {
        "examples": EXAMPLES,
        "kernels": REPOSITORY / "kernels",
        "my": Path(os.environ.get("LIVE_KERNELS_MY") or REPOSITORY / "my"),
    }
