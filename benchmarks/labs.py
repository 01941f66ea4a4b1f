"""How long a lab takes to answer: a control moved to a state compiled before, and to one that is new.

    python benchmarks/labs.py [--rounds 1]

Each lab has one view beside the counters. The time is that of `Lab.set`: compile, run (traced, where the view
needs it), judge, count, draw, and set the values of the widgets. Kernels are new for each lab: a constant in
them differs, and the cache on disk is empty. Nothing is asserted; see README.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import os
import statistics
import sys
import tempfile
import time
from itertools import count, product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

KERNELS = ("tiling/tiled", "tiling/naive")
TILES = (4, 8, 16, 32)
SIZES = (64, 96, 100)


Clocked = tuple[float, float]
"""Seconds by the clock, and of this process's processor time: the compiler's own process is not in it."""


def rows(rounds: int) -> list[tuple[str, list[Clocked], list[Clocked]]]:
    """(view, times of states compiled before and not yet run, times of new compiles)."""
    from course_utils import kernels, labs

    serial = count(1)

    def fresh(name: str) -> kernels.Kernel:
        kernel, start = kernels.load(name), "float sum = 0.0f"
        assert start in kernel.source
        return kernels.Kernel(
            name, kernel.path, kernel.source.replace(start, f"float sum = {next(serial)}e-30f")
        )

    views = {
        "counters alone": [],
        "what one block loads": [labs.TilePicture()],
        "a block phase by phase": [labs.TileFilm()],
        "sectors of a warp": [labs.AccessMap()],
        "banks of a warp": [labs.BankGrid()],
        "a warp step by step": [labs.WarpFilm()],
        "lines of the source": [labs.SourceView()],
    }
    found = []
    for name, view in views.items():
        known: list[Clocked] = []
        new: list[Clocked] = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["LIVE_KERNELS_CACHE"] = folder
                lab = labs.Lab(
                    [fresh(name) for name in KERNELS],
                    [labs.Choice("kernel"), labs.Choice("TILE"), labs.Choice("N", SIZES)],
                    [labs.Counters(), *view],
                    baseline=KERNELS[1],
                )
                for size, kernel, tile in product(SIZES, KERNELS, TILES):
                    began = time.perf_counter(), time.process_time()
                    lab.set(kernel=kernel, TILE=tile, N=size)
                    took = time.perf_counter() - began[0], time.process_time() - began[1]
                    (new if size == SIZES[0] else known).append(took)
        found.append((name, known, new))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a lab takes to answer.")
    parser.add_argument("--rounds", type=int, default=1, help="how often each lab is made anew")
    given = parser.parse_args()
    load = " ".join(f"{each:.1f}" for each in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    print(f"{datetime.date.today()}, {os.cpu_count()} cores; load before: {load}\n")
    print("| a lab with | known: median s | processor s | new: median s | processor s |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, *columns in rows(given.rounds):
        numbers = [statistics.median(times) for column in columns for times in zip(*column, strict=True)]
        print(f"| {name} |", " | ".join(f"{each:.3f}" for each in numbers), "|")


if __name__ == "__main__":
    main()
