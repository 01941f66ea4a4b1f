"""Options of views: what a run offers, what the learner chose, and the widgets in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import ipywidgets as widgets
import pytest

from course_utils.figures import Figure
from course_utils.labs import (
    AccessMap,
    BankGrid,
    Choice,
    Lab,
    OccupancyView,
    Option,
    Roofline,
    SourceView,
    TileFilm,
    WarpFilm,
    WavesView,
)
from course_utils.labs.engine import Result
from course_utils.labs.options import Steering

MakeLab = Callable[..., Lab]


class Stepping:
    """A view with a list and a stepper, which notes what it is asked to draw."""

    title, traced, wide = "Stepping", False, True

    def __init__(self) -> None:
        self.drawn: list[tuple[str, int]] = []

    def options(self, result: Result, wanted: Mapping[str, object]) -> Sequence[Option]:
        edge = int(result.state["N"])
        return [Option("part", ("upper", "lower")), Option.steps("step", edge // 8)]

    def draw(self, result: Result, part: str, step: int) -> Figure:
        self.drawn.append((part, step))
        return Figure(f"The {part} part, step {step}.", f"<p>{part} {step}</p>")


def lab_of(make_lab: MakeLab, view: object) -> Lab:
    return make_lab(views=[view], controls=[Choice("N", (24, 40))], baseline=None)


def controls(lab: Lab) -> tuple[widgets.Dropdown, widgets.IntSlider, widgets.Button, widgets.Button]:
    panel = lab.widget.children[-1].children[0]
    choice, stepper = panel.children[1].children
    back, slider, _, following = stepper.children
    return choice, slider, back, following


def test_settled() -> None:
    option = Option("part", ("a", "b", "c"), start="b")
    assert [option.settled(each) for each in ("c", None, "x")] == ["c", "b", "b"]
    steps = Option.steps("step", 5)
    assert [steps.settled(each) for each in (3, 9, 0, None)] == [3, 5, 1, 1]


def test_an_option_redraws_and_runs_nothing(make_lab: MakeLab) -> None:
    view = Stepping()
    lab = lab_of(make_lab, view)
    choice, slider, back, following = controls(lab)
    run = lab.result.run
    choice.value = "lower"
    following.click()
    slider.value = 3
    back.click()
    assert view.drawn == [("upper", 1), ("lower", 1), ("lower", 2), ("lower", 3)]  # the last is known already
    assert "Stepping: The lower part, step 2." in lab.report()
    assert lab.result.run.metrics is run.metrics


def test_steps_end_where_the_run_ends(make_lab: MakeLab) -> None:
    view = Stepping()
    lab = lab_of(make_lab, view)
    choice, slider, back, following = controls(lab)
    assert (slider.value, slider.max, back.disabled, following.disabled) == (1, 3, True, False)
    lab.set(N=40, step=5, part="lower")
    assert (slider.value, slider.max, back.disabled, following.disabled) == (5, 5, False, True)
    lab.set(N=24)
    assert (slider.value, slider.max, choice.value) == (3, 3, "lower")
    lab.set(N=40)
    assert slider.value == 5  # what the learner chose comes back with the run that has it


def test_options_and_values_that_are_not_there(make_lab: MakeLab) -> None:
    lab = lab_of(make_lab, Stepping())
    with pytest.raises(ValueError, match="part cannot be 'middle' for this run: it has upper, lower"):
        lab.set(part="middle")
    with pytest.raises(ValueError, match="no control 'stage'; it has N; its views have part, step"):
        lab.set(stage=1)


def test_what_is_offered_anew_is_no_move() -> None:
    moves: list[int] = []
    steering = Steering(lambda: moves.append(1))
    for values, picked in ((("a", "b"), "b"), (("c", "b", "a"), "a"), (("x",), "x"), (("a", "b"), "b")):
        for count, step in ((4, 4), (2, 1), (9, 7)):
            option = Option("part", values)
            steering.offer([option, Option.steps("step", count)], {"part": picked, "step": step})
            choice, stepper = steering.box.children
            assert (choice.value, stepper.children[1].value) == (picked, step)
    assert (moves, steering.wanted) == ([], {})


def test_access_map_in_a_lab(make_lab: MakeLab) -> None:
    lab = make_lab(kernels=["tiling/naive"], views=[AccessMap()], baseline=None)
    assert "warp 0, line 22: load of B, time 1 of 24: " in lab.report()
    lab.set(warp=1, access="line 22: load of A", occurrence=7)
    assert "warp 1, line 22: load of A, time 7 of 24: " in lab.report()
    panel = lab.widget.children[-1].children[0]
    assert "<h4>" in panel.children[0].value
    assert [each.description for each in panel.children[1].children[:2]] == ["warp", "access"]
    assert 'role="img"' in panel.children[2].value


def test_bank_grid_in_a_lab(make_lab: MakeLab) -> None:
    lab = make_lab(
        kernels=["coalescing/transpose_shared"],
        controls=[Choice("PAD", start=0), Choice("rows", (64,)), Choice("cols", (40, 64))],
        views=[BankGrid()],
        baseline=None,
    )
    lab.set(access="line 33: load of tile", warp=3)
    assert "32 lanes of 4 bytes each take 32 wavefronts" in " ".join(lab.report().split())
    lab.set(PAD=1)
    assert "warp 3, line 33: load of tile: 32 lanes of 4 bytes each take 1 wavefront," in " ".join(
        lab.report().split()
    )


@pytest.mark.parametrize(("first", "shown"), [("load of tile", "line 33: load"), ("", "line 28: store")])
def test_the_access_that_a_bank_grid_begins_with(make_lab: MakeLab, first: str, shown: str) -> None:
    lab = make_lab(
        kernels=["coalescing/transpose_shared"],
        controls=[Choice("PAD", start=0), Choice("rows", (64,)), Choice("cols", (64,))],
        views=[BankGrid(first=first)],
        baseline=None,
    )
    assert f"warp 0, {shown}" in " ".join(lab.report().split())


def test_warp_film_in_a_lab(make_lab: MakeLab) -> None:
    lab = make_lab(
        kernels=["execution_model/warp_sum"],
        controls=[Choice("BLOCK", (64, 32)), Choice("n", (100, 64))],
        views=[WarpFilm()],
        baseline=None,
    )
    assert "Step 1 of 16 of warp 0 in block (1, 0)" in lab.report()
    lab.set(warp=1, step=5)
    assert "Step 5 of 16 of warp 1 in block (1, 0), line 18: load of x." in " ".join(lab.report().split())
    lab.set(by="instructions", step=40)
    assert "Step 40 of 54 of warp 1" in lab.report()


def test_tile_film_in_a_lab(make_lab: MakeLab) -> None:
    lab = make_lab(kernels=["tiling/tiled"], views=[TileFilm()], baseline=None)
    assert "Phase 1 of 13 of block (1, 1): its warps load A and B" in lab.report()
    lab.set(step=3, warp=1, lane=4)
    assert "Lane 4 of warp 1 reads 8 elements of a_tile, each once" in " ".join(lab.report().split())
    with pytest.raises(ValueError, match="step cannot be 99 for this run: it has 1 to 33"):
        lab.set(TILE=4, N=32, step=99)
    lab.set(step=33)
    assert "Phase 33 of 33 of block (4, 4): its warps store to C." in lab.report()


def test_occupancy_for_a_chosen_gpu(make_lab: MakeLab) -> None:
    lab = make_lab(views=[OccupancyView()])
    assert "One SM of the H200 SXM holds 32 blocks" in lab.report()
    lab.set(gpu="T4")
    assert "One SM of the T4 holds 16 blocks" in lab.report()


def test_waves_for_a_chosen_gpu_and_grid(make_lab: MakeLab) -> None:
    lab = make_lab(
        kernels=["execution_model/vector_add"],
        controls=[Choice("n", (1000,))],
        views=[WavesView()],
        baseline=None,
    )
    assert "A grid of 4 blocks on the H200 SXM" in lab.report()
    lab.set(gpu="T4", blocks=1057)
    assert "A grid of 1,057 blocks on the T4, which holds 160 at once: 7 waves" in " ".join(
        lab.report().split()
    )


def test_roofline_in_a_lab(make_lab: MakeLab) -> None:
    lab = make_lab(views=[Roofline()])
    report = " ".join(lab.report().split())
    assert "from the memory of the H200 SXM, memory would limit it to" in report
    assert "a tiled counted" in report
    assert "b naive counted" in report
    lab.set(gpu="T4", kernel="tiling/naive")
    report = " ".join(lab.report().split())
    assert "The naive kernel does" in report
    assert "the memory of the T4" in report
    assert "b naive" not in report


def test_source_view_sorted_and_with_ptx(make_lab: MakeLab) -> None:
    lab = make_lab(views=[SourceView()])
    body = lab.widget.children[-1].children[0].children[2]
    assert "<pre" not in body.value
    lab.set(sort="global sectors", ptx=34)
    assert "PTX of line 34: " in body.value
    assert body.value.index('data-line="30"') < body.value.index('data-line="18"')
    lab.set(kernel="tiling/naive")
    assert "<pre" not in body.value  # it has no line 34
    with pytest.raises(ValueError, match="sort cannot be 'colour' for this run: it has line, "):
        lab.set(sort="colour")
