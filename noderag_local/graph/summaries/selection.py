"""Chooses the notes of a prompt: those with most weight, from many chunks, without repetition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.graph.summaries.heterograph import NO_CHUNK, Note
from noderag_local.text.keywords import keywords

REPEATED = 0.8
"""A note is left out if this share of its content words is already in the prompt."""
FADING = 0.7
"""Factor for the weight of a note for each better note of its chunk. If chunks took strict turns, a hundred that name Belgium in
passing would crowd out the one that is about it."""
_DATED = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A note and how much it matters to the prompt."""

    note: Note
    weight: float


def chosen(candidates: Sequence[Weighed], budget_tokens: int) -> list[Note]:
    """Returns the notes that fit, best first.

    Each further note of a chunk weighs FADING times as much as it would alone, so that many chunks have their say; of equal
    ones that with a date goes first, then by text.

    Args:
        candidates: notes to choose from, with their weights.
        budget_tokens: of all of them together, by `estimated_tokens`.
    """
    return _fitting(_in_turn(candidates), budget_tokens)


def blended(preferred: Sequence[Weighed], others: Sequence[Weighed], share: float, budget_tokens: int) -> list[Note]:
    """Chooses notes as `chosen` does, but keeps a share of the room for the best of `preferred`.

    Args:
        preferred: notes that the share is kept for.
        others: notes that take what is left.
        share: of `budget_tokens`; what they do not need is left to all.
        budget_tokens: of all notes together, by `estimated_tokens`.
    """
    first = chosen(preferred, int(share * budget_tokens))
    rest = [note for note in _in_turn([*preferred, *others]) if note not in first]
    return _fitting([*first, *rest], budget_tokens)


def _fitting(notes: Sequence[Note], budget_tokens: int) -> list[Note]:
    """Returns the notes that fit and say something new, in their order."""
    taken: list[Note] = []
    said: set[str] = set()
    left = budget_tokens
    for note in notes:
        words = set(keywords(note.text))
        cost = estimated_tokens(note.text) + 2
        if cost > left or not words or len(words & said) >= REPEATED * len(words):
            continue
        taken.append(note)
        said |= words
        left -= cost
    return taken


def _in_turn(candidates: Sequence[Weighed]) -> list[Note]:
    def order(one: Weighed) -> tuple[float, bool, str, int]:
        return -one.weight, not is_dated(one.note.text), one.note.text, one.note.chunk

    seen: dict[int, int] = {}
    fading = []
    for one in sorted(candidates, key=order):
        before = 0 if one.note.chunk == NO_CHUNK else seen.get(one.note.chunk, 0)
        seen[one.note.chunk] = before + 1
        fading.append(Weighed(one.note, one.weight * FADING**before))
    return [one.note for one in sorted(fading, key=order)]


def is_dated(text: str) -> bool:
    """Tells whether a year of four digits stands in the text."""
    return bool(_DATED.search(text))


def estimated_tokens(text: str) -> int:
    """Estimates the tokens of a text for a language model: four characters of ASCII each, one of other scripts.

    An estimate, so that what is asked does not depend on which model is installed.
    """
    ascii_characters = sum(character.isascii() for character in text)
    return ascii_characters // 4 + len(text) - ascii_characters + 1
