"""The checks find every planted fault, at its line, and say nothing about the repaired kernels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from course_utils import compiler

from .faults.corpus import FAULTS, KINDS
from .faults.fault import HERE, Fault, Kind
from .faults.simulated import CHECKS, right, run, told

faults = pytest.mark.parametrize("fault", FAULTS, ids=str)


@faults
def test_fault_is_found_at_its_line(fault: Fault) -> None:
    findings = run(fault, repaired=False, checks=CHECKS)[0].findings
    marked = f"{fault.sentence}\nmarked lines: {sorted(fault.marked)}"
    assert right(findings, fault), f"{marked}\nfound: {told(findings)}"


@faults
def test_no_alarm_for_the_repaired_kernel(fault: Fault) -> None:
    findings = run(fault, repaired=True, checks=CHECKS)[0].findings
    assert not findings, told(findings)


@faults
def test_repaired_kernel_is_right(fault: Fault) -> None:
    _, launch, args = run(fault, repaired=True)
    assert launch.expected, "say what the repaired kernel must leave in its buffers"
    for place, expected in launch.expected.items():
        left = args[place]
        assert isinstance(left, np.ndarray)
        if left.dtype.kind == "f":
            assert_allclose(left, expected, rtol=1e-5, atol=1e-6)
        else:
            assert_array_equal(left, expected)


@faults
def test_pair_is_complete(fault: Fault) -> None:
    """The fault is marked, described and compiles; the repaired kernel has no trace of the marks."""
    assert fault.marked
    assert fault.sentence.endswith(".")
    assert "// fault" not in fault.source(repaired=True)
    name = fault.launch().kernel
    expressions = [name] if name.endswith(">") else []
    compiled = compiler.compile(fault.source(), name=fault.path().name, expressions=expressions)
    assert compiled.lowered_names.get(name, name) in compiled.resources


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_file_belongs_to_a_fault(kind: Kind) -> None:
    files = set((HERE / kind.name).glob("*.cu"))
    assert files == {fault.path(repaired) for fault in kind.faults for repaired in (False, True)}


def test_half_follow_public_reports() -> None:
    followed = [fault for fault in FAULTS if fault.origin]
    assert len(FAULTS) >= 60
    assert 2 * len(followed) >= len(FAULTS)
    assert all("https://" in fault.origin for fault in followed)
