"""Charts by Matplotlib, as SVG whose colours are the page's own, so that light and dark are both right."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from .svg import with_own_ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that nothing else has, to be replaced by the variables of style.py.
TEXT, SOFT, LINE, PAPER, BLUE, HEAT, GOOD, BAD = (f"#0102{number:02x}" for number in range(1, 9))
_VARIABLES = dict(
    zip(
        (TEXT, SOFT, LINE, PAPER, BLUE, HEAT, GOOD, BAD),
        ("text", "soft", "line", "paper", "blue", "heat", "good", "bad"),
        strict=True,
    )
)
_LOOK = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "live-kernels",  # the same picture has the same bytes
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": LINE,
    "axes.labelcolor": TEXT,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "grid.alpha": 0.5,
    "text.color": TEXT,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "legend.frameon": False,
    "hatch.color": TEXT,
    "hatch.linewidth": 0.6,
}


def chart(draw: Callable[[Axes], None], label: str, *, width: float = 7.2, height: float = 3.6) -> str:
    """The SVG of what `draw` draws on axes of `width` x `height` inches; `label` describes it.

    Matplotlib is imported here, since that takes half a second and few views need it.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context(_LOOK):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        figure.patch.set_alpha(0)
        axes = figure.add_subplot()
        axes.patch.set_alpha(0)
        axes.set_axisbelow(True)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return _themed(out.getvalue(), label)


def _themed(svg: str, label: str) -> str:
    """An inline SVG with a description, in the page's font and colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert size is not None
    told = html.escape(label, quote=True)
    head = (
        f'<svg role="img" aria-label="{told}" viewBox="0 0 {size[1]} {size[2]}" '
        f'style="width:{float(size[1]) * 4 / 3:.0f}px" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink"><title>' + told + "</title>"
    )
    svg = head + svg[svg.index(">") + 1 :]
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)  # it would be the whole page's
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    for colour, name in _VARIABLES.items():
        svg = svg.replace(colour, f"var(--lk-{name})")
    return with_own_ids(svg, label)
