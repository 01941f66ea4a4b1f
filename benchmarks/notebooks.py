"""How long each notebook of lessons/ takes, run from top to bottom as Run All does, one after the other.

    python benchmarks/notebooks.py [--rounds 3]

The environment is that of tests/lesson_format.py: no GPU recordings of one's own, an empty my/. The first
round begins with an empty cache of compiled kernels, as a new clone does; later ones have what it left.
Nothing is asserted; see README.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests import lesson_format  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description="How long each notebook takes.")
    parser.add_argument("--rounds", type=int, default=3, help="times that all are run (default 3)")
    rounds = parser.parse_args().rounds
    notebooks = sorted(lesson_format.LESSONS.glob("*.ipynb"))
    seconds: dict[str, list[float]] = {path.stem: [] for path in notebooks}
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{datetime.date.today()}, load before: {load}, on {os.cpu_count()} cores\n")
    with tempfile.TemporaryDirectory(prefix="live-kernels-") as cache:
        os.environ["LIVE_KERNELS_CACHE"] = cache
        for _ in range(rounds):
            for path in notebooks:
                start = time.perf_counter()
                lesson_format.run(path)
                seconds[path.stem].append(time.perf_counter() - start)
    print("| notebook | first run, empty cache: s | median of all runs: s |\n| --- | ---: | ---: |")
    for name, found in seconds.items():
        print(f"| {name} | {found[0]:.1f} | {statistics.median(found):.1f} |")
    first, median = (sum(map(of, seconds.values())) for of in (lambda all_: all_[0], statistics.median))
    print(f"| together | {first:.1f} | {median:.1f} |")


if __name__ == "__main__":
    main()
