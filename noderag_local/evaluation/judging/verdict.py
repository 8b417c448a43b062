"""Defines a judge's verdict on two answers: one letter for each criterion, without explanations.

The criteria are those of Guo et al. 2024, section 4.1, after Edge et al. 2024, whose judges also explain each choice. A small
model would need a minute for the explanations, and nobody reads them.
"""

from __future__ import annotations

import re
from enum import StrEnum

CRITERIA = ("Comprehensiveness", "Diversity", "Empowerment", "Overall")
MOST_TOKENS = 48
"""Maximum tokens of a verdict; four lines fit with any tokenizer."""


class Letter(StrEnum):
    """The letter that names an answer by its place."""

    A = "A"
    B = "B"


_CHOICES = b"AB"
_CHOICE = ord("?")
_PATTERN = "\n".join(f"{criterion}: ?" for criterion in CRITERIA).encode()
"""Text of a verdict, with ? in place of each letter."""
# "A close call" and "Answer A lacks much" are no verdicts; nor is a small "a", unless it stands alone.
_LETTER = r"([AB]\b(?!\s+(?!as\b|because\b|since\b|wins\b|is\s+better\b)[a-z])|[ab](?=[^\w\n]*(?:\n|$)))"
_WRITTEN = tuple(re.compile(rf"\b(?i:{criterion})\W*+(?:[Aa]nswer\s+)?{_LETTER}") for criterion in CRITERIA)


class VerdictConstraint:
    """Limits the model's text to a line "criterion: letter" for each criterion in order; see `models.llm.engine.Constraint`."""

    def __init__(self) -> None:
        self._text = b""

    def allows(self, piece: bytes) -> bool:
        """Returns whether the text may continue with these bytes."""
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
        """Appends these bytes to the text.

        Raises:
            ValueError: the bytes are not allowed.
        """
        if not self.allows(piece):
            raise ValueError(f"{piece!r} is not allowed at this place of the verdict")
        self._text += piece

    def may_end(self) -> bool:
        """Returns whether the text is complete."""
        return len(self._text) == len(_PATTERN)

    def forced(self) -> bytes:
        """Returns the text up to the next letter, without the space before it, which is part of the model's tokens."""
        rest = _PATTERN[len(self._text) :]
        return rest.partition(b"?")[0].removesuffix(b" ")


def parse(text: str) -> tuple[Letter, ...]:
    """Returns the letters in the order of CRITERIA, also if a server without constraints wrote other text around them.

    Raises:
        ValueError: the letter of a criterion is missing.
    """
    found = [written.search(text) for written in _WRITTEN]
    letters = tuple(Letter(match[1].upper()) for match in found if match)
    if len(letters) < len(CRITERIA):
        raise ValueError(f"{text!r} has no letter for a criterion")
    return letters
