"""The verdict of a judge on two answers: a letter for each criterion, and nothing else.

Criteria: Guo et al. 2024, section 4.1, after Edge et al. 2024. Their judges explain each choice as well; the explanations of a
small model cost a minute a verdict and are not read by anybody.
"""

from __future__ import annotations

import re
from enum import StrEnum

CRITERIA = ("Comprehensiveness", "Diversity", "Empowerment", "Overall")
MOST_TOKENS = 48
"""Room for the four lines in any tokenizer."""


class Letter(StrEnum):
    """The letter of an answer, by its place."""

    A = "A"
    B = "B"


_CHOICES = b"AB"
_CHOICE = ord("?")
_PATTERN = "\n".join(f"{criterion}: ?" for criterion in CRITERIA).encode()
"""A whole verdict, with ? for each letter."""
_WRITTEN = tuple(re.compile(rf"\b{criterion}\W*+([AB])\b", re.IGNORECASE) for criterion in CRITERIA)


class VerdictConstraint:
    """Holds a text to a line "criterion: letter" for each criterion in order; see `models.llm.engine.Constraint`."""

    def __init__(self) -> None:
        self._text = b""

    def allows(self, piece: bytes) -> bool:
        """Whether the text may continue with these bytes."""
        after = self._text + piece
        return (
            bool(piece)
            and len(after) <= len(_PATTERN)
            and all(
                byte in _CHOICES if wanted == _CHOICE else byte == wanted
                for byte, wanted in zip(after, _PATTERN, strict=False)
            )
        )

    def accept(self, piece: bytes) -> None:
        """Adds these bytes to the text.

        Raises:
            ValueError: the bytes are not allowed here.
        """
        if not self.allows(piece):
            raise ValueError(f"{piece!r} is not allowed here")
        self._text += piece

    def may_end(self) -> bool:
        """Whether the text has its last letter."""
        return len(self._text) == len(_PATTERN)

    def forced(self) -> bytes:
        """Returns everything but the letters; the model writes the blank before a letter, as its tokens begin with it."""
        rest = _PATTERN[len(self._text) :]
        return rest.partition(b"?")[0].removesuffix(b" ")


def parse(text: str) -> tuple[Letter, ...]:
    """Reads the letters in the order of CRITERIA; a server without constraints may write more around them.

    Raises:
        ValueError: a criterion has none.
    """
    found = [written.search(text) for written in _WRITTEN]
    letters = tuple(Letter(match[1].upper()) for match in found if match)
    if len(letters) < len(CRITERIA):
        raise ValueError(f"{text!r} is no verdict")
    return letters
