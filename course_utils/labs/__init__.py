"""Labs: controls over a real kernel, and views of each run. State -> run -> figure -> widget.

    lab = Lab(
        kernels=["tiling/naive", "tiling/swapped", "tiling/tiled"],
        controls=[Choice("kernel"), Choice("TILE"), Choice("N", (48, 64, 96))],
        views=[TilePicture(), Counters(), SourceView()],
        baseline="tiling/naive",
    )
    lab                                # displays it; a moved control recompiles and runs in the background
    lab.set(TILE=8)                    # the same from Python, and waits
    print(lab.report())                # what is on the screen, as text

In the order data flows: controls (what may be varied), engine (state -> Result, on the inputs of
course_utils.problems), options (what a view lets the learner choose of a run), views (Result -> figure), page
(all views of a state), explain (errors in plain words), latest (the newest change wins), sweeping (a control
over all its values), predict and question (what is asked before it is shown), frame (what surrounds a lab,
with the switch of projector), links (a state as text), lab (all of it as widgets). A new lab needs new views
or controls at most. More: blas, a lab for one call of the library; values (buffers before and after) and
playground, a lab for any kernel that is pasted (what it says is in told, its look in playground_look).
"""

from __future__ import annotations

from .blas import BlasLab
from .controls import Choice, Preset, block_shapes
from .engine import Result
from .lab import Lab
from .links import at
from .options import Option
from .playground import Playground
from .predict import Predict
from .projector import projector
from .question import Question, predictions
from .sweeping import Sweep
from .views import (
    AccessMap,
    BankGrid,
    Counters,
    LaneWork,
    OccupancyView,
    Padding,
    Roofline,
    SourceView,
    TileFilm,
    TilePicture,
    Times,
    View,
    WarpFilm,
    WavesView,
)

__all__ = [
    "AccessMap",
    "BankGrid",
    "BlasLab",
    "Choice",
    "Counters",
    "Lab",
    "LaneWork",
    "OccupancyView",
    "Option",
    "Padding",
    "Playground",
    "Predict",
    "Preset",
    "Question",
    "Result",
    "Roofline",
    "SourceView",
    "Sweep",
    "TileFilm",
    "TilePicture",
    "Times",
    "View",
    "WarpFilm",
    "WavesView",
    "at",
    "block_shapes",
    "predictions",
    "projector",
]
