"""The table of docs/checks.md: who finds which planted fault, this course's checks or compute-sanitizer.

    python -m tests.simulator.faults.table RESULTS.json

RESULTS.json is what sanitizer.py wrote on a GPU. The course's own column, and the example on the page, come
from runs of the checks now.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .corpus import FAULTS
from .fault import Fault
from .sanitizer import TOOLS
from .simulated import CHECKS, right, run

PAGE = Path(__file__).parents[3] / "docs" / "checks.md"
EXAMPLE = "races-product_without_second_barrier"
FOUND, ELSEWHERE, HANG, NOTHING = "found", "other line", "hang", "-"


def cell(outcome: Mapping[str, object]) -> str:
    """What a tool said of a faulty kernel, in a word."""
    if outcome.get("found"):
        return FOUND if outcome.get("right_line") else ELSEWHERE
    return HANG if outcome.get("hang") else NOTHING


def markdown(results: Mapping, course: Mapping[str, str], faults: Sequence[Fault] = FAULTS) -> str:
    """The table. course: what this course's checks said of each fault, by str(fault)."""
    setup = results["setup"]
    lines = [
        f"compute-sanitizer {setup['sanitizer']} on an {setup['gpu']}, {setup['date']}.",
        "",
        f"| fault | kind | this course | {' | '.join(TOOLS)} |",
        f"| --- | --- | --- | {' | '.join('---' for _ in TOOLS)} |",
    ]
    found = dict.fromkeys(("course", "any", *TOOLS), 0)
    for fault in faults:
        outcomes = results["faults"][f"{fault.kind}/{fault.name}"]["faulty"]
        cells = [cell(outcomes[tool]) for tool in TOOLS]
        told = re.sub(r"\n\s*", " ", fault.sentence)
        lines.append(f"| {told} | {fault.kind} | {course[str(fault)]} | {' | '.join(cells)} |")
        found["course"] += course[str(fault)] == FOUND
        found["any"] += any(each in (FOUND, ELSEWHERE) for each in cells)
        for tool, each in zip(TOOLS, cells, strict=True):
            found[tool] += each in (FOUND, ELSEWHERE)
    lines.append(
        f"| **{len(faults)} faults** | | **{found['course']}** | "
        f"{' | '.join(f'**{found[tool]}**' for tool in TOOLS)} |"
    )
    alarms = sum(
        any(results["faults"][f"{fault.kind}/{fault.name}"]["repaired"][tool].get("found") for tool in TOOLS)
        for fault in faults
    )
    lines += [
        "",
        f"The four tools together report {found['any']} of the {len(faults)} faults, "
        f"and something about {alarms} of the repaired kernels.",
    ]
    return "\n".join(lines)


def course_says(fault: Fault) -> str:
    """Launch the fault with all checks, and see whether it is found at its line."""
    findings = run(fault, repaired=False, checks=CHECKS)[0].findings
    same_kind = any(each.kind == fault.kind for each in findings)
    return FOUND if right(findings, fault) else ELSEWHERE if same_kind else NOTHING


def example() -> str:
    """One finding as text."""
    (fault,) = (each for each in FAULTS if str(each) == EXAMPLE)
    findings = right(run(fault, repaired=False, checks=CHECKS)[0].findings, fault)
    return "\n".join(f"    {line}".rstrip() for line in str(findings[0]).splitlines())


def replaced(page: str, name: str, content: str) -> str:
    """The page with new content between its two comments of a name, or ValueError where there are none."""
    pattern = rf"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)"
    new, count = re.subn(pattern, lambda found: f"{found[1]}\n{content}\n\n{found[2]}", page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page must hold the comments of {name!r} once, it holds them {count} times")
    return new


def main(arguments: Sequence[str]) -> None:
    (path,) = arguments
    results = json.loads(Path(path).read_text())
    course = {str(fault): course_says(fault) for fault in FAULTS}
    page = replaced(PAGE.read_text(), "example", example())
    PAGE.write_text(replaced(page, "table", markdown(results, course)))


if __name__ == "__main__":
    main(sys.argv[1:])
