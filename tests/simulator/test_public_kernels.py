"""Kernels of the kinds in public CUDA code, each written anew; all that they write against NumPy's."""

from __future__ import annotations

import re

import pytest

from tests.simulator.public import (
    bits,
    cub_blocks,
    graphs,
    groups,
    histograms,
    language,
    matrices,
    networks,
    numerics,
    pointers,
    reductions,
    scans,
    sorts,
    stencils,
    templates,
)
from tests.simulator.public.family import HERE, Case, Family

FAMILIES: list[Family] = [
    reductions.family, groups.family, scans.family, sorts.family, cub_blocks.family,
    stencils.family, histograms.family, matrices.family, networks.family, numerics.family, numerics.fast,
    graphs.family, bits.family, language.family, pointers.family, templates.family,
]  # fmt: skip
CASES = [case for family in FAMILIES for case in family.cases]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_kernel(case: Case) -> None:
    case.run()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_kernel_is_left_out(family: Family) -> None:
    kernels = set(
        re.findall(r"__global__\s+void\s+(?:__launch_bounds__\(.*?\)\s+)?(\w+)\s*\(", family.source)
    )
    launched = (HERE / f"{family.file or family.name}.py").read_text()
    assert kernels
    assert {kernel for kernel in kernels if not re.search(rf'"{kernel}\b', launched)} == set()
