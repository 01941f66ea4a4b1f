"""No alarm on any kernel of the course, nor on those in the kind of public code."""

from __future__ import annotations

import pytest

from course_utils import devices, kernels, simulator
from course_utils.simulator.program import Program
from tests.kernels.cases import cases, tunables
from tests.simulator.public.family import Case
from tests.simulator.test_public_kernels import CASES

SLOW = (
    "cub_",
    "numerics-library",
    "numerics-oscillators",
    "language-standard_atomics",
    "graphs-producer_consumer",
)
"""Minutes of compiling without optimisation, or of spinning: run in one build."""


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> list[simulator.Finding]:
    """Every launch of a program is checked; what was found is collected."""
    found: list[simulator.Finding] = []
    launch = Program.launch

    def checked(self: Program, *args: object, **options: object) -> simulator.Run:
        run = launch(self, *args, **({"checks": simulator.CHECKS} | options))  # type: ignore[arg-type]
        found.extend(run.findings)
        return run

    monkeypatch.setattr(Program, "launch", checked)
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_public_kernels(case: Case, findings: list, monkeypatch: pytest.MonkeyPatch) -> None:
    if str(case).startswith(SLOW):
        monkeypatch.setattr("course_utils.simulator.checks.second.BOTH_BUILDS", 0)
    case.run()
    assert not findings, "\n".join(map(str, findings))


@pytest.mark.parametrize("name", kernels.find())
def test_the_kernels_of_the_course(name: str, findings: list) -> None:
    values = tunables(name)
    for chosen in {str(each): each for each in (values[0], values[-1])}.values():
        kernel = kernels.load(name)
        every = list(cases(name, chosen))
        for case in (every[0], every[-1]):
            grid, block, shared = kernel.geometry(chosen, **case.sizes)
            devices.launch(kernel, None, grid, block, case.args, shared, defines=chosen, device="simulator")
            case.check()
    assert not findings, "\n".join(map(str, findings))
