"""Findings in words: what happened, who did it where, and what would fix it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from ..errors import Index
from ..findings import Access, Finding

_ORDER = ("memory", "barriers", "initialisation", "races")
"""What may be the cause of the other comes first."""

_IN_STEP = " (lanes of a warp need not run in step)"

MOST = 40
"""Findings of a launch at most: the first of each kind and place."""


class Report:
    """Collects what was found: the first of each kind and place, and how often."""

    def __init__(self, build: str) -> None:
        self.build = build
        self.notes: list[str] = []
        self._found: dict[Hashable, Finding] = {}
        self._counts: dict[Hashable, int] = {}
        self._ranks: dict[Hashable, int] = {}

    @property
    def findings(self) -> list[Finding]:
        """All that were found. Memory that is read before another thread writes it, without order, is a race
        and not reported as never written as well."""
        found = [replace(finding, count=self._counts[key]) for key, finding in self._found.items()]
        racing = {
            (each.accesses[0].array, line) for each in found if each.kind == "races" for line in each.lines
        }
        wide = [self._found[key] for key, rank in self._ranks.items() if key[0] == "races" and rank == 1]
        arrays = {each.accesses[0].array for each in wide}
        lines = {line for each in wide for line in each.lines}
        found = [
            _for_the_block(each) if each.accesses[0].array in arrays or lines & set(each.lines) else each
            for each in found
        ]
        found.sort(key=lambda each: _ORDER.index(each.kind))
        return [
            each
            for each in found
            if each.kind != "initialisation"
            or each.accesses[0].array is None
            or (each.accesses[0].array, each.accesses[0].line) not in racing
        ]

    def add(
        self,
        kind: str,
        key: Hashable,
        make: Callable[[], tuple[str, Sequence[Access], str]],
        rank: int = 0,
    ) -> None:
        """Count a finding; `make` gives sentence, accesses and fix of the first one of the highest rank."""
        place = (kind, key)
        seen = self._counts.setdefault(place, 0)
        if not seen or rank > self._ranks[place]:
            self._ranks[place] = rank
            if place in self._found or len(self._found) < MOST:
                sentence, accesses, fix = make()
                lines = tuple(dict.fromkeys(each.line for each in accesses if each.line))
                threads = tuple((each.block, each.thread) for each in accesses)
                message = f"{sentence} {fix}".strip()
                self._found[place] = Finding(
                    kind, message, lines, threads, 0, self.build, tuple(accesses), fix
                )
        self._counts[place] = seen + 1

    def note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < MOST:
            self.notes.append(text)


def _for_the_block(finding: Finding) -> Finding:
    """Lanes of one warp race here, but warps do on the same array or line: one barrier serves both."""
    if finding.kind != "races":
        return finding
    message = finding.message.replace(_IN_STEP, "").replace("__syncwarp()", "__syncthreads()")
    return replace(finding, message=message, fix=finding.fix.replace("__syncwarp()", "__syncthreads()"))


def index_text(index: Index) -> str:
    return "(" + ",".join(map(str, index)) + ")"


def who(access: Access) -> str:
    return f"thread {index_text(access.thread)} of block {index_text(access.block)}"


def where(access: Access) -> str:
    if not access.line:
        return "in code of a header or of the compiler's own"
    text = f" (`{shortened(access.text)}`)" if access.text else ""
    return f"at line {access.line}{text}"


def shortened(text: str) -> str:
    """A line of source without the comment behind it, and not too long."""
    text = re.sub(r"\s+//.*$", "", text)
    return text if len(text) <= 90 else text[:87] + "..."


def does(access: Access) -> str:
    return {"reads": "reads it", "writes": "writes it", "updates": "updates it with an atomic"}[access.action]


# Races ------------------------------------------------------------------------------------------------------


def race(
    now: Access,
    before: Access,
    *,
    shared: bool,
    same_warp: bool,
    volatile: bool,
    flag: Access | None,
    in_next_round: bool = False,
) -> tuple[str, str]:
    """(sentence, fix) for two accesses of one place without order. `flag`: an atomic or volatile access that
    stands between the two in the code, by which threads may be meant to tell each other. `in_next_round`: the
    line that stands first comes second, when a loop comes to it again."""
    place = now.place
    same_block = now.block == before.block
    then = f"{who(before)} {does(before)} {where(before)}"
    if now.line == before.line and now.line:
        here = "in the same line" if now.action != before.action else "in the same line too"
    else:
        here = where(now)
    other = who(now) if not same_block else f"thread {index_text(now.thread)} of the same block"
    ways = {
        True: f"with no __syncwarp() between the two{_IN_STEP}",
        False: "with no __syncthreads() between the two",
    }
    missing = ways[same_warp] if same_block else "and nothing orders two blocks"
    sentence = (
        f"Race on {place}: {then}, and {other} {does(now)} {here}, {missing}. Which "
        f"comes first is left to chance."
    )
    if same_warp and volatile:
        sentence += " volatile does not order the lanes of a warp."
    return sentence, _race_fix(
        now,
        before,
        same_block=same_block,
        same_warp=same_warp,
        shared=shared,
        flag=flag,
        in_next_round=in_next_round,
    )


_UPDATE = re.compile(r"(\+=|-=|\*=|\|=|&=|\^=|\+\+|--)")


def _race_fix(
    now: Access,
    before: Access,
    *,
    same_block: bool,
    same_warp: bool,
    shared: bool,
    flag: Access | None,
    in_next_round: bool,
) -> str:
    lines = sorted({each.line for each in (now, before) if each.line})
    between = "between the two accesses"
    if len(lines) == 2 and in_next_round:
        between = f"behind line {lines[1]}, before the loop comes to line {lines[0]} again"
    elif len(lines) == 2:
        between = f"between line {lines[0]} and line {lines[1]}"
    if flag is not None:
        earlier = next((each for each in (before, now) if each.action != "reads"), before)
        return (
            f"Put __threadfence() between line {earlier.line} and the line that tells the others "
            f"(line {flag.line}): without it the write may be seen after the flag or counter."
        )
    kinds = {now.action, before.action}
    if "updates" in kinds and same_block:
        barrier = "__syncwarp()" if same_warp else "__syncthreads()"
        return f"Put {barrier} {between}, or use an atomic for both."
    if len(lines) == 1 and _updates_one(now.text):
        return "If several threads may update one element, use atomicAdd() or another atomic function."
    if not same_block:
        if kinds == {"writes"}:
            return "Let each element be written by one block alone, or use an atomic function."
        if "updates" in kinds:
            return "Use an atomic for both accesses, or do one of them in a kernel of its own."
        return (
            "Write to another buffer than the one that is read, or split the kernel in two: "
            "the end of a kernel orders all blocks."
        )
    barrier = "__syncwarp()" if same_warp else "__syncthreads()"
    if kinds == {"writes"}:
        return f"Let one thread write each element, or put {barrier} {between}."
    if len(lines) == 1:
        return (
            f"Read into a variable of the thread's own first, then {barrier}, then write; "
            "or, in a loop, one barrier more at the end of each round."
        )
    return f"Put {barrier} {between}."


def _updates_one(text: str) -> bool:
    """Is a line of source an update of one element (`bins[i] += 1`), in which no array stands twice?"""
    arrays = re.findall(r"(\w+)\s*\[", text)
    return bool(_UPDATE.search(text)) and len(set(arrays)) == len(arrays)


def together(first: Access, second: Access) -> tuple[str, str]:
    sentence = (
        f"Race on {first.place}: thread {index_text(first.thread)} and thread {index_text(second.thread)} of "
        f"block {index_text(first.block)} write different values to it in one instruction {where(first)}. "
        "One of the two is lost."
    )
    fix = "Let one thread write each element, or use an atomic function such as atomicAdd()."
    if _UPDATE.search(first.text):
        fix = "If several threads may update one element, use atomicAdd() or another atomic function."
    return sentence, fix
