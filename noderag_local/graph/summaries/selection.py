"""Chooses the notes of a prompt: the heaviest ones, from many chunks, without repetition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.graph.summaries.heterograph import NO_CHUNK, Note
from noderag_local.text.keywords import keywords

REPEATED = 0.8
"""A note is left out if at least this share of its content words is already in the prompt."""
FADING = 0.7
"""Factor that reduces the weight of a note for each better note from the same chunk. If chunks strictly took turns, a
hundred chunks that mention Belgium in passing would crowd out the one that is about it."""
_DATED = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A note and its weight, which says how much it matters to the prompt."""

    note: Note
    weight: float


def chosen(candidates: Sequence[Weighed], budget_tokens: int) -> list[Note]:
    """Returns the best notes that fit, best first.

    Each further note from a chunk weighs FADING times as much, so that many chunks are represented. Of notes with equal
    weight, dated ones come first, then the order of their texts decides.

    Args:
        candidates: notes to choose from, with their weights.
        budget_tokens: maximum number of tokens of all chosen notes, by `estimated_tokens`.
    """
    return _fitting(_in_turn(candidates), budget_tokens)


def blended(preferred: Sequence[Weighed], others: Sequence[Weighed], share: float, budget_tokens: int) -> list[Note]:
    """Chooses notes as `chosen` does, but reserves a share of the tokens for the best of `preferred`.

    Args:
        preferred: notes that the share is reserved for.
        others: notes that compete for the rest.
        share: share of `budget_tokens`; what `preferred` does not use is free for all.
        budget_tokens: maximum number of tokens of all chosen notes, by `estimated_tokens`.
    """
    first = chosen(preferred, int(share * budget_tokens))
    rest = [note for note in _in_turn([*preferred, *others]) if note not in first]
    return _fitting([*first, *rest], budget_tokens)


def _fitting(notes: Sequence[Note], budget_tokens: int) -> list[Note]:
    """Returns, in order, the notes that fit and are not repetitions."""
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
    """Returns whether a text contains a year of four digits."""
    return bool(_DATED.search(text))


def estimated_tokens(text: str) -> int:
    """Estimates a text's tokens for a language model: one for every four ASCII characters, one for every other character.

    The estimate is the same for every model, so that prompts do not depend on which model is installed.
    """
    ascii_characters = sum(character.isascii() for character in text)
    return ascii_characters // 4 + len(text) - ascii_characters + 1
