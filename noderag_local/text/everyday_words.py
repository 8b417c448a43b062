"""Everyday English words: no name when one stands alone at the start of a sentence, and no typing error in a question."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from noderag_local.text.stopwords import every_stop_word


def is_everyday_word(word: str) -> bool:
    """Tells whether a casefolded word is an everyday English one, or a stop word of any language."""
    return word in _everyday() or word in every_stop_word()


@cache
def _everyday() -> frozenset[str]:
    text = (files("noderag_local.text") / "everyday.txt").read_text(encoding="utf-8")
    return frozenset(line.strip() for line in text.splitlines() if line and not line.startswith("#"))
