"""The table of metrics."""

import re

from course_utils.metrics import METRICS, Level, names


def test_every_name_is_in_the_table_once() -> None:
    constants = {value for key, value in vars(names).items() if key.isupper() and isinstance(value, str)}
    assert constants == set(METRICS)
    assert all(name == metric.name for name, metric in METRICS.items())
    assert len({metric.label for metric in METRICS.values()}) == len(METRICS)


def test_names_are_nsight_computes_or_marked_as_ptx_level() -> None:
    for name, metric in METRICS.items():
        assert re.fullmatch(r"(l1tex__\w+\.sum|launch__\w+|ptx__\w+\.sum)", name)
        if name.startswith("ptx__"):
            assert metric.level is Level.PTX


def test_what_nsight_compute_counts_too_is_counted_at_hardware_level() -> None:
    shared = [metric for name, metric in METRICS.items() if "mem_shared" in name and name.startswith("l1tex")]
    assert len(shared) == 4
    assert {metric.level for metric in shared} == {Level.HARDWARE}
    assert METRICS[names.GLOBAL_LOAD_SECTORS].level.value == "counted at hardware level"


def test_meanings_are_sentences_and_labels_are_short() -> None:
    for metric in METRICS.values():
        assert metric.meaning[0].isupper() or metric.meaning[0].isdigit()
        assert re.fullmatch(r"[^.]+(\.[^ ][^.]*)*\.", metric.meaning)
        assert len(metric.label) <= 30
