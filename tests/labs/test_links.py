"""Labs that open where a cell or a short text says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from course_utils.labs import AccessMap, Counters, Lab, at, links

MakeLab = Callable[..., Lab]


@pytest.mark.parametrize(
    "state",
    [
        {"kernel": "tiling/tiled", "TILE": 8, "access": "line 20: load of in & more"},
        {"stride": "2", "offset": -1, "quoted": "'a'", "empty": ""},
    ],
)
def test_a_state_survives_as_text(state: dict[str, object]) -> None:
    assert at(links.link(state)) == state


@pytest.mark.parametrize("text", ["", "TILE", "TILE 8"])
def test_a_text_that_is_no_state(text: str) -> None:
    with pytest.raises(ValueError, match="kernel=tiling/tiled&TILE=8"):
        at(text)


def test_a_lab_opens_where_it_is_told(make_lab: MakeLab) -> None:
    lab = make_lab(
        views=[AccessMap(), Counters()], state=at("TILE=4&N=40&warp=0&kernel=tiling/naive&access=x")
    )
    assert lab.state == {"kernel": "tiling/naive", "TILE": 4, "N": 40}
    assert lab.report().startswith("naive, TILE 4, N 40: ")
    lab.set(occurrence=3)
    other = make_lab(views=[AccessMap(), Counters()], state=at(lab.link()))
    assert other.report() == lab.report()
    assert lab.link().startswith("kernel=tiling/naive&TILE=4&N=40&warp=0&access=line+22")


def test_a_state_that_the_lab_does_not_have(make_lab: MakeLab) -> None:
    with pytest.raises(ValueError, match="TILE cannot be 5"):
        make_lab(state={"TILE": 5})
    with pytest.raises(ValueError, match="no control 'STRIDE'"):
        make_lab(views=[Counters()], state={"STRIDE": 5})
    with pytest.raises(ValueError, match="no control 'lane'; it has kernel, TILE, N; its views have"):
        make_lab(views=[AccessMap()], state={"lane": 5}).report()
