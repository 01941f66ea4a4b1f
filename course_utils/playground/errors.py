"""What may be wrong with a pasted source, or with what a learner says about its launch."""

from __future__ import annotations


class PasteError(ValueError):
    """A text that cannot be read as CUDA C++: a sentence, and its `line` (None: it is of no line)."""

    def __init__(self, line: int | None, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line


class InputError(ValueError):
    """Something asked for that cannot be made, such as an array of -3 elements; `what` names its field."""

    def __init__(self, what: str, sentence: str) -> None:
        super().__init__(f"{what}: {sentence}")
        self.what = what
