from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from course_utils.figures import MILLISECONDS, STEPS, timeline
from course_utils.recordings import Piece

TWO = [
    Piece("one stream", 1, 1, "copy in", 0, 1e-3),
    Piece("one stream", 1, 1, "kernel", 1e-3, 2e-3),
    Piece("one stream", 1, 2, "copy in", 2e-3, 3e-3),
    Piece("two streams", 1, 1, "copy in", 0, 1e-3),
    Piece("two streams", 1, 1, "kernel", 1e-3, 2.5e-3),
    Piece("two streams", 2, 2, "copy out", 1e-3, 2e-3),
]


def picture(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])


def test_each_stream_has_a_row_and_each_step_a_bar_of_its_length() -> None:
    figure = timeline(TWO, MILLISECONDS, "made up")
    assert figure.sentence == (
        "2 pieces, each copied in, worked on and copied out, take 3.00 ms through one stream and 2.50 ms "
        "through two streams (made up)."
    )
    space = "{http://www.w3.org/2000/svg}"
    bars = picture(figure.html).findall(f"{space}g")
    titles = [bar.findtext(f"{space}title") for bar in bars]
    assert titles[0] == "copy in of piece 1, stream 1: 0.00 to 1.00 ms"
    widths = [float(bar.find(f"{space}rect").get("width")) for bar in bars]
    tops = [float(bar.find(f"{space}rect").get("y")) for bar in bars]
    assert widths[4] == pytest.approx(1.5 * widths[0], rel=1e-3)
    assert len(set(tops)) == 3
    texts = [text.text for text in picture(figure.html).iter(f"{space}text")]
    assert {"one stream", "two streams: stream 1", "two streams: stream 2", "time [ms]"} <= set(texts)
    assert figure.text.splitlines()[-2:] == ["two streams, stream 2", "  piece 2: copy out 1.00 to 2.00"]


def test_kinds_differ_without_colour() -> None:
    figure = timeline(TWO, MILLISECONDS, "made up")
    assert "url(#lk-hatch-" in figure.html
    assert "url(#lk-dots-" in figure.html
    for kind in ("waste", "on", "dots"):
        assert f'lk-mark {kind}"' in figure.html
    assert "#0" not in figure.html.replace("url(#", "")


def test_steps_have_round_ticks() -> None:
    figure = timeline([Piece("one stream", 1, 1, "kernel", 0, 12)], STEPS, "a rule")
    assert "1 piece, each copied in" in figure.sentence
    assert "takes 12 steps through one stream (a rule)" in figure.sentence
    texts = [text.text for text in picture(figure.html).iter("{http://www.w3.org/2000/svg}text")]
    assert [str(tick) for tick in range(13)] == texts[:13]


def test_nothing_to_show() -> None:
    with pytest.raises(ValueError, match="at least one piece"):
        timeline([], STEPS, "a rule")
