from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from course_utils import notebook
from course_utils.figures import MEASURES, Sample, counters_table
from course_utils.figures.counters import SHOWN
from course_utils.metrics import METRICS, Level, names

Make = Callable[..., Sample]


def cells(html: str, column: str) -> dict[str, str]:
    found = re.findall(rf'<td data-measure="(\w+)" data-column="{column}">([^<]*)</td>', html)
    return dict(found)


def test_columns_are_the_runs(sample: Make) -> None:
    tiled, naive = sample("tiled", 8, 24), sample("naive", 8, 24)
    figure = counters_table(tiled, naive)
    for each, column in ((tiled, "chosen"), (naive, "baseline")):
        shown, counted = cells(figure.html, column), each.run.metrics
        sectors, wavefronts = counted[names.GLOBAL_LOAD_SECTORS], counted[names.SHARED_LOAD_WAVEFRONTS]
        assert shown["sectors"] == f"{sectors:,}"
        assert shown["bytes_per_operation"] == f"{32 * sectors / 24**3:.2f}"
        assert shown["wavefronts"] == f"{wavefronts + counted[names.SHARED_STORE_WAVEFRONTS]:,}"
        assert shown["registers"] == str(counted[names.REGISTERS])
    assert cells(figure.html, "quotient")["sectors"] == "5.0×"  # noqa: RUF001
    assert list(cells(figure.html, "chosen")) == list(SHOWN)


def test_text_has_the_same_content(sample: Make) -> None:
    figure = counters_table(sample("tiled", 8, 24), sample("naive", 8, 24))
    lines = figure.text.splitlines()
    assert lines[0].split() == ["counted", "(simulator)", "tiled", "naive", "naive", "/", "tiled"]
    for key in SHOWN:
        (line,) = [each for each in lines if each.startswith(MEASURES[key].label)]
        shown = [cells(figure.html, column)[key] for column in ("chosen", "baseline", "quotient")]
        assert line.endswith("  ".join(shown).strip().split("  ")[-1])
        assert all(value in line for value in shown)
    assert names.GLOBAL_LOAD_SECTORS in figure.text


def test_levels_and_units_are_told() -> None:
    for measure in MEASURES.values():
        metrics = [METRICS[name] for name in re.findall(r"[a-z0-9]+__[\w.]+", measure.source)]
        assert (measure.note == "PTX-level") == any(metric.level is Level.PTX for metric in metrics)
        assert measure.unit


def sentence_end(sample: Sample) -> str:
    return counters_table(sample).sentence.split("global memory. ")[1]


def test_sentence(sample: Make) -> None:
    tiled, naive = sample("tiled", 8, 24), sample("naive", 8, 24)
    assert counters_table(tiled, naive).sentence.startswith(
        "The tiled kernel loads 432 sectors from global memory, the naive kernel 5.0 times as many."
    )
    assert sentence_end(tiled) == "Its occupancy is limited by registers, warps and blocks."
    assert "the tiled kernel 5.0 times fewer" in counters_table(naive, tiled).sentence
    assert "the other kernel as many" in counters_table(tiled, replace(tiled, name="other")).sentence
    assert counters_table(tiled).sentence.startswith("The tiled kernel loads 432 sectors from global memory.")


def test_the_limit_of_the_occupancy_is_told_where_the_occupancy_is_shown(sample: Make) -> None:
    tiled = sample("tiled", 8, 24)
    told = counters_table(tiled, measures=("sectors",)).sentence
    assert told == "The tiled kernel loads 432 sectors from global memory."


def test_what_is_not_known_is_a_dash(sample: Make) -> None:
    run = replace(sample("tiled", 8, 24).run, metrics={names.GLOBAL_LOAD_SECTORS: 10})
    shown = cells(counters_table(Sample("mine", run)).html, "chosen")
    assert shown == dict.fromkeys(SHOWN, "\N{EN DASH}") | {"sectors": "10"}


def test_sentence_is_of_the_first_measure_where_sectors_are_not_shown(sample: Make) -> None:
    tiled, naive = sample("tiled", 8, 24), sample("naive", 8, 24)
    loads = tiled.run.metrics[names.SHARED_LOAD_WAVEFRONTS]
    figure = counters_table(tiled, naive, ("load_wavefronts", "conflicts"))
    assert figure.sentence == (
        f"Shared load wavefronts: {loads:,} in the tiled kernel, 0 in the naive kernel."
    )
    assert counters_table(tiled, tiled, ("conflicts",)).sentence == "Bank conflicts: 0 in the tiled kernel."


def test_what_the_machine_code_states_of_local_memory() -> None:
    stated = ("local_bytes", "spill_stores", "spill_loads")
    local, spilling = (
        notebook.count(f"memory_hierarchy/{name}", **sizes).sample()
        for name, sizes in (("bins_local", {"n": 64}), ("variance", {"n": 64, "VALUES": 64, "MIN_BLOCKS": 8}))
    )
    assert [MEASURES[key].of(local) for key in stated] == ["32", "0", "0"]
    assert all(int(MEASURES[key].of(spilling)) > 100 for key in stated)
    assert (
        MEASURES["local_sectors"].value(local)
        == local.run.metrics[names.LOCAL_LOAD_SECTORS] + (local.run.metrics[names.LOCAL_STORE_SECTORS])
    )
    unknown = replace(local, run=replace(local.run, launched=None))
    assert MEASURES["local_bytes"].value(unknown) is None
