"""Tells a question that leads nowhere, such as "qwertzuiop", from one whose meaning leads to notes that lack its words.

The nearest sentence alone does not tell them apart: on three vaults of notes, the cosines of made-up words and those of everyday
words for what the notes call otherwise ("pet" for a rabbit) lie in the same range, 0.0 to 0.3 on the scale of NEAR. So a word
counts as nonsense only if the embedding model does not know it either. Of 501 questions about the notes and paragraphs in
tests/data, in six languages and across them, this rule takes two for nonsense, neither of which found its answer before.
"""

from __future__ import annotations

from collections.abc import Sequence

NEAR = 0.2
"""Share of the way from the usual cosine to 1 from which the meaning of an unknown word may still lead to a sentence."""
PIECES = 3
"""Number of pieces that the tokenizer of the embedding model cuts an unknown word into, at least: "qwertzuiop" is five, and
of 57 everyday words only "invoice" is three."""


def is_near_in_meaning(unknown: Sequence[str], nearest: float) -> bool:
    """Returns whether a question, none of whose words the notes have, may be about something in them by its meaning.

    Args:
        unknown: content words of the question.
        nearest: similarity of the nearest sentence: 0 is usual in the vault, 1 the same.
    """
    if not unknown or nearest >= NEAR:
        return True
    from noderag_local.models.embedding.wordpieces import WordPieces

    return min(WordPieces().count(unknown)) < PIECES
