"""Stands in for Nsight Compute and nvdisasm: runs what it is given, and reports counts that are made up.

Each launch that the program tells of counts 100 more than its place in the list; a launch of "tiling/swapped"
is said to have ended the program, as one that breaks the GPU does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

METRICS_AT, REPORT_AT = "--metrics", "-o"


def count(arguments: list[str]) -> None:
    """ncu ... -o REPORT python -m course_utils.recordings.counting LAUNCHES RAN REPETITIONS"""
    wanted, told, repetitions = arguments[-3:]
    report = Path(arguments[arguments.index(REPORT_AT) + 1])
    metrics = arguments[arguments.index(METRICS_AT) + 1].split(",") if METRICS_AT in arguments else []
    ran, counted = [], []
    for place, (kernel, _, _) in enumerate(json.loads(Path(wanted).read_text())):
        if kernel == "tiling/swapped":
            ran.append({"launch": place, "failed": "GpuLost: it broke the GPU"})
            break
        for repetition in range(int(repetitions)):
            ran.append({"launch": place, "result": 7})
            counted.append({name: 100 + place + (repetition if "_st" in name else 0) for name in metrics})
    Path(told).write_text("".join(json.dumps(each) + "\n" for each in ran))
    report.write_text(json.dumps({"metrics": metrics, "counted": counted}))


def show(arguments: list[str]) -> None:
    """ncu --import REPORT --page raw|source --csv"""
    report = json.loads(Path(arguments[1]).read_text())
    if "raw" in arguments:
        rows = [["ID", "Kernel Name", *report["metrics"]], ["", "", *["" for _ in report["metrics"]]]]
        rows += [
            ["0", "kernel", *(f"{each[name]:,}" for name in report["metrics"])] for each in report["counted"]
        ]
        print("==PROF== noise")
        for row in rows:
            print(",".join(f'"{cell}"' for cell in row))
        return
    for _ in report["counted"]:
        print('"Kernel Name","kernel"')
        print('"Address","Source","Instructions Executed","L2 Theoretical Sectors Global"')
        for executed, sectors in ((8, 0), (8, "1,024"), (4, "-")):
            print(f'"0","SASS","{executed}","{sectors}"')


if __name__ == "__main__":
    (show if sys.argv[1] == "--import" else count)(sys.argv[1:])
