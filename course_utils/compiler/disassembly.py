"""The machine code of a kernel as text, where NVIDIA's disassembler is installed (nvdisasm).

It comes with the CUDA toolkit, and as the package nvidia-cuda-nvdisasm. The course does not need it.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from .program import Compiled

_PACKAGE = "nvidia-cuda-nvdisasm"


def tool(name: str) -> str | None:
    """The path of a tool of the CUDA toolkit: on PATH, or where the toolkit is by default; else None."""
    if found := shutil.which(name):
        return found
    folders = [
        os.environ.get("CUDA_HOME", ""),
        "/usr/local/cuda",
        *map(str, Path("/usr/local").glob("cuda-*")),
    ]
    for folder in filter(None, folders):
        if (path := Path(folder) / "bin" / name).is_file():
            return str(path)
    return None


def find() -> str | None:
    """The path of nvdisasm, None where there is none."""
    try:
        files = importlib.metadata.files(_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    packaged = (str(file.locate()) for file in files if file.name in ("nvdisasm", "nvdisasm.exe"))
    return next(packaged, None) or tool("nvdisasm")


def instructions(compiled: Compiled, entry: str) -> tuple[tuple[int | None, str], ...]:
    """Each machine instruction of a kernel, in order: the line of the kernel's own file that it belongs to
    (None: none, or a header's), and its text. Empty without a disassembler, or where it cannot read this."""
    nvdisasm = find()
    if nvdisasm is None:
        return ()
    return parse(_listing(nvdisasm, compiled.cubin), compiled.name, entry)


@lru_cache(maxsize=16)
def _listing(nvdisasm: str, cubin: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.cubin")
        file.write_bytes(cubin)
        return subprocess.run([nvdisasm, "-g", str(file)], capture_output=True, text=True, check=False).stdout


def parse(listing: str, name: str, entry: str) -> tuple[tuple[int | None, str], ...]:
    """As `instructions`, from what `nvdisasm -g` prints; `name` is the kernel's own file."""
    found: list[tuple[int | None, str]] = []
    line: int | None = None
    inside = False
    for each in listing.splitlines():
        if section := re.match(r"\s*\.section\s+\.text\.(\S+?),", each):
            inside, line = section[1] == entry, None
        if place := re.search(r'//## File "([^"]*)", line (\d+)', each):
            line = int(place[2]) if place[1].endswith(name) else None
        if inside and (code := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(\S.*?)\s*;", each)):
            found.append((line, " ".join(code[1].split())))
    return tuple(found)
