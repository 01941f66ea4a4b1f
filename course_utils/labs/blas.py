"""A lab for one call of the library's matrix product: how its arguments make matrices of flat buffers."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from .. import blas
from ..figures import Figure, buffer_picture
from ..figures.numbers import TIMES
from ..figures.style import scoped
from .controls import Choice, Value
from .frame import Frame
from .links import link

SHAPES = {
    f"4{TIMES}3 and 3{TIMES}2": (4, 3, 2),
    f"2{TIMES}3 and 3{TIMES}4": (2, 3, 4),
    f"3{TIMES}3 and 3{TIMES}3": (3, 3, 3),
}
"""What is shown -> rows of A, columns of A and rows of B, columns of B."""
STORED = "as stored"
RIGHT = "right"
GAP = 99
"""What lies in a gap, so that a call which takes it for an element shows."""
_WIDTH = 100

_STYLE = """
.lk-lab .lk-control-lda .widget-readout, .lk-lab .lk-control-ldb .widget-readout { min-width: 5.5em; }
.lk .lk-refused { font-weight: 600; }
"""

CONTROLS = (
    Choice("A and B", tuple(SHAPES)),
    Choice("lie by", ("rows", "columns"), label="they lie by"),
    Choice("gap", (0, 1, 2), label="gap behind each of these", buttons=True),
    Choice("operands", ("A, B", "B, A"), label="operands of the call"),
    Choice("transa", ("N", "T")),
    Choice("transb", ("N", "T")),
    Choice("lda", (STORED, 2, 3, 4, 5, 6), buttons=False),
    Choice("ldb", (STORED, 2, 3, 4, 5, 6), buttons=False),
)


@dataclass(frozen=True)
class BlasResult:
    """A call: its text, what came of it in a word and in a sentence, and pictures of its three buffers."""

    call: str
    outcome: str
    verdict: str
    figures: tuple[tuple[str, Figure], ...]

    @property
    def correct(self) -> bool:
        return self.outcome == RIGHT

    @property
    def text(self) -> str:
        """The same as plain text."""
        parts = [f"{self.call}\n{textwrap.fill(self.verdict, _WIDTH)}"]
        parts += [
            f"{textwrap.fill(f'{title}: {figure.sentence}', _WIDTH)}\n\n{figure.text}"
            for title, figure in self.figures
        ]
        return "\n\n".join(parts)


def call(state: Mapping[str, Value]) -> BlasResult:
    """Make the call that the controls describe, with whole numbers as elements, so that sums are exact."""
    rows, inner, columns = SHAPES[str(state["A and B"])]
    order: blas.layout.Order = "rows" if state["lie by"] == "rows" else "columns"
    a = np.arange(1, rows * inner + 1, dtype=np.float32).reshape(rows, inner)
    b = np.arange(inner * columns, 0, -1, dtype=np.float32).reshape(inner, columns)
    stored = {name: _stored(matrix, order, int(state["gap"])) for name, matrix in (("A", a), ("B", b))}
    swapped = state["operands"] == "B, A"
    first, second = ("B", "A") if swapped else ("A", "B")
    m, n = (columns, rows) if swapped else (rows, columns)
    (x, ldx), (y, ldy) = stored[first], stored[second]
    lda, ldb = (
        ld if state[name] == STORED else int(state[name]) for name, ld in (("lda", ldx), ("ldb", ldy))
    )
    transa, transb = str(state["transa"]), str(state["transb"])
    c = np.full(rows * columns, np.nan, np.float32)
    alpha_beta = f"&alpha, {first}, {lda}, {second}, {ldb}, &beta, C, {m}"
    text = f"cublasSgemm(handle, CUBLAS_OP_{transa}, CUBLAS_OP_{transb}, {m}, {n}, {inner}, {alpha_beta})"
    with blas.create("simulator") as handle:
        try:
            handle.gemm(transa, transb, m, n, inner, 1, x, lda, y, ldb, 0, c, m)
            outcome, verdict = _judged(c, a @ b, a, b, order)
            places = (
                blas.read_at(handle, transa, m, inner, lda, x.size),
                blas.read_at(handle, transb, inner, n, ldb, y.size),
                _places(rows, columns, order),
            )
        except blas.BlasError as refused:
            outcome = "beyond a buffer" if isinstance(refused, blas.OutOfBounds) else "refused"
            names = " (The call's A is the buffer B here, and its B the buffer A.)" if swapped else ""
            verdict, places = f"{refused}.{names}", (None, None, None)
    length = columns if order == "rows" else rows
    figures = (
        (f"First operand: {first}", buffer_picture(first, x, places[0], lda, f"read as op({first})")),
        (f"Second operand: {second}", buffer_picture(second, y, places[1], ldb, f"read as op({second})")),
        ("Result: C", buffer_picture("C", c, places[2], length, f"looked at by {order}", a @ b)),
    )
    return BlasResult(text, outcome, verdict, figures)


def _stored(matrix: np.ndarray, order: blas.layout.Order, gap: int) -> tuple[np.ndarray, int]:
    """(the buffer, its leading dimension)"""
    ld = matrix.shape[order == "rows"] + gap
    return blas.store(matrix, order, ld, fill=GAP), ld


def _places(rows: int, columns: int, order: blas.layout.Order) -> np.ndarray:
    return blas.fetch(np.arange(rows * columns), rows, columns, order)


def _judged(
    c: np.ndarray, right: np.ndarray, a: np.ndarray, b: np.ndarray, order: blas.layout.Order
) -> tuple[str, str]:
    """What C is, in a word and in a sentence."""
    rows, columns = right.shape
    if np.array_equal(blas.fetch(c, rows, columns, order), right):
        return RIGHT, f"C, looked at by {order}, equals NumPy's A @ B."
    other: blas.layout.Order = "columns" if order == "rows" else "rows"
    if np.array_equal(blas.fetch(c, rows, columns, other), right):
        return f"C by {other}", f"C holds A B, but by {other}, and A and B lie by {order}."
    if a.shape == b.shape and np.array_equal(blas.fetch(c, rows, columns, order), b @ a):
        return "B A", f"No error, and the wrong product: C, looked at by {order}, is B A."
    wrong = int((blas.fetch(c, rows, columns, order) != right).sum())
    return (
        "wrong",
        f"No error, and {wrong} of {right.size} elements of C, looked at by {order}, are wrong.",
    )


class BlasLab:
    """Controls over the arguments of one gemm, with a picture of each of its buffers. Display it as the last
    value of a cell. It computes with SciPy's BLAS on any machine.

    state: where the controls stand at first, as `set` takes them.
    """

    def __init__(self, state: Mapping[str, Value] | None = None) -> None:
        self._frame = Frame("computing")
        choices = [choice.completed([]) for choice in CONTROLS]
        self.controls = {choice.name: choice.widget() for choice in choices}
        """The widgets by name; each one's `value` is the chosen one."""
        self._quiet = False
        self._panels = [widgets.HTML().add_class("lk-panel") for _ in range(3)]
        for panel in self._panels:
            panel.add_class("lk-blas")
        row = widgets.Box([*self.controls.values(), self._frame.busy, self._frame.switch.button])
        views = widgets.Box(self._panels).add_class("lk-views")
        self._frame.fill(
            row.add_class("lk-controls"), self._frame.status, self._frame.failure, views, style=_STYLE
        )
        self.set(**(state or {}))
        for control in self.controls.values():
            control.observe(self._moved, names="value")

    @property
    def state(self) -> dict[str, Value]:
        """What the controls say now."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def widget(self) -> widgets.VBox:
        """The lab as one widget, for a layout of one's own."""
        return self._frame.box

    def set(self, **values: Value) -> None:
        """Move controls, and show: `lab.set(transa="T", lda=4)`; `lab.set(**{"lie by": "columns"})`.

        Raises ValueError for a control or a value that the lab does not have.
        """
        for name, value in values.items():
            if name not in self.controls:
                raise ValueError(f"this lab has no control {name!r}; it has {', '.join(self.controls)}")
            known = [option for _, option in self.controls[name].options]
            if value not in known:
                raise ValueError(f"{name} cannot be {value!r}: this lab has {', '.join(map(str, known))}")
        self._quiet = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._quiet = False
        self._show()

    def link(self) -> str:
        """The controls as they stand, as a short text; `labs.at` reads it."""
        return link(self.state)

    def report(self) -> str:
        """What is shown, as text."""
        return self.result.text

    def __repr__(self) -> str:
        return f"<BlasLab {', '.join(f'{name} {value}' for name, value in self.state.items())}>"

    def _repr_mimebundle_(self, **options: object) -> dict[str, object]:
        bundle = self.widget._repr_mimebundle_(**options) or {}
        return {**bundle, "text/plain": repr(self)}

    def _moved(self, _change: object) -> None:
        if not self._quiet:
            self._show()

    def _show(self) -> None:
        self.result = call(self.state)
        """The call that is shown."""
        for panel, (title, figure) in zip(self._panels, self.result.figures, strict=True):
            head = f'<h4>{html.escape(title)}</h4><p class="lk-sentence">{html.escape(figure.sentence)}</p>'
            panel.value = scoped(head + figure.html)
        mark, kind = ("✓", "good") if self.result.correct else ("✗", "refused")
        verdict = f'<b aria-hidden="true">{mark}</b> {html.escape(self.result.verdict)}'
        self._frame.status.value = scoped(
            f'<pre class="lk-call">{html.escape(self.result.call)}</pre>'
            f'<div class="lk-status" role="status"><span class="lk-badge">SciPy\'s BLAS</span>'
            f'<span class="lk-{kind}">{verdict}</span></div>'
        )
