"""Every exercise: its starter fails for the intended reason, its solution passes, wrong answers do not."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils.exercises import checking, exercise, load, manifest, names

EXERCISES = names()
WRONG = [(name, wrong.path.name) for name in EXERCISES for wrong in load(name).wrong]


def examined(name: str, file: str) -> checking.Result:
    chosen = load(name)
    path = chosen.folder / file
    return checking.examine(chosen, path.read_text(encoding="utf-8"), path.name)


@pytest.mark.parametrize("name", EXERCISES)
def test_starter_gives_right_values_and_misses_a_goal(name: str) -> None:
    result = examined(name, f"starter{load(name).suffix}")
    assert result.caught == "counters"
    assert any(not each.passed and each.now == each.before for each in result.gates)


@pytest.mark.parametrize("name", EXERCISES)
def test_solution_passes(name: str) -> None:
    result = examined(name, f"solution{load(name).suffix}")
    assert (result.caught, result.reasons) == (None, ())
    assert result.gates


@pytest.mark.parametrize(("name", "file"), WRONG)
def test_wrong_answer_is_caught_where_it_should_be(name: str, file: str) -> None:
    (stated,) = (wrong.caught for wrong in load(name).wrong if wrong.path.name == file)
    result = examined(name, f"wrong/{file}")
    assert result.caught == stated
    assert result.reasons


@pytest.mark.parametrize("name", EXERCISES)
def test_wrong_answers_of_each_sort_are_there(name: str) -> None:
    """Wrong values; right ones with too much traffic; where barriers are needed, one that is missing."""
    chosen = load(name)
    barriers = {wrong.path.name: wrong.path.read_text().count("__syncthreads();") for wrong in chosen.wrong}
    caught = {wrong.path.name: wrong.caught for wrong in chosen.wrong}
    assert {"values", "counters"} <= set(caught.values())
    needed = chosen.solution.source.count("__syncthreads();")
    missing = [caught[file] for file, count in barriers.items() if count < needed]
    assert not needed or {"values", "checks"} & set(missing)


def test_a_missing_barrier_is_caught_where_the_values_are_right() -> None:
    assert any(wrong.caught == "checks" for name in EXERCISES for wrong in load(name).wrong)


@pytest.mark.parametrize("name", EXERCISES)
def test_folder_holds_what_exercise_toml_names_and_nothing_else(name: str) -> None:
    chosen = load(name)
    files = {
        path.relative_to(chosen.folder).as_posix() for path in chosen.folder.rglob("*") if path.is_file()
    }
    files = {file for file in files if "__pycache__" not in file}
    expected = {"exercise.toml", "reference.py", f"starter{chosen.suffix}", f"solution{chosen.suffix}"}
    assert files == expected | {f"wrong/{wrong.path.name}" for wrong in chosen.wrong}
    assert {wrong.caught for wrong in chosen.wrong} <= set(checking.STAGES)
    assert chosen.hints


@pytest.mark.parametrize("name", [name for name in EXERCISES if not load(name).function])
def test_starter_and_solution_are_launched_alike(name: str) -> None:
    chosen = load(name)
    sizes = chosen.counters
    assert chosen.starter.entry.name == chosen.solution.entry.name
    assert chosen.starter.geometry(**sizes) == chosen.solution.geometry(**sizes)
    assert chosen.starter.defines() == chosen.solution.defines()


@pytest.mark.parametrize("name", [name for name in EXERCISES if load(name).function])
def test_what_is_computed_without_the_library_misses_a_goal(name: str) -> None:
    """And so does what copies: goals bind how often it is called, with which buffers, and for how much."""
    chosen = load(name)
    bounds = {(gate.metric, gate.at_least) for gate in chosen.gates}
    assert {("calls", False), ("other_buffers", False), ("multiply_adds", True)} <= bounds
    given = chosen.reference.arguments(np.random.default_rng(0), **chosen.counters)
    definition = f"def {chosen.function}(handle, {', '.join(given)}):"
    for answer in (chosen.starter, chosen.solution):
        assert definition in answer.source


@pytest.mark.parametrize("name", EXERCISES)
def test_sizes_that_are_no_multiples_are_among_those_compared(name: str) -> None:
    chosen = load(name)
    assert len(chosen.values) >= 3
    assert any(size % 2 for sizes in chosen.values for size in sizes.values())


def test_every_exercise_belongs_to_one_lesson() -> None:
    listed = [name for lesson in manifest.lessons() for name in lesson.exercises]
    assert sorted(listed) == list(EXERCISES)
    for lesson in manifest.lessons():
        folder = lesson.file.removesuffix(".ipynb")
        assert all(name.startswith(f"{folder}/") for name in lesson.exercises)


def test_unknown_exercise_names_what_there_is() -> None:
    with pytest.raises(exercise.ExerciseError, match="02_tiling/rectangular"):
        load("02_tiling/rectangle")
