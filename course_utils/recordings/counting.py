"""What runs under Nsight Compute: each launch of a list, several times, and nothing else on the GPU.

ncu ... python -m course_utils.recordings.counting LAUNCHES.json RAN.jsonl REPETITIONS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ..devices import GpuLost
from .launches import Launch


def main(arguments: list[str]) -> None:
    """Write a line for each launch: its place in the list, and the CRC of its arrays or what went wrong."""
    asked, told, repetitions = arguments
    launches = [Launch(*each) for each in json.loads(Path(asked).read_text(encoding="utf-8"))]
    with Path(told).open("w", encoding="utf-8") as out:
        for place, launch in enumerate(launches):
            for _ in range(int(repetitions)):
                try:
                    report = {"result": launch.run("gpu")[1]}
                except Exception as error:  # the others go on, unless the GPU is lost
                    report = {"failed": f"{type(error).__name__}: {error}"}
                    lost = isinstance(error, GpuLost)
                    out.write(json.dumps({"launch": place, **report}) + "\n")
                    if lost:
                        return
                    break
                out.write(json.dumps({"launch": place, **report}) + "\n")
                out.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
