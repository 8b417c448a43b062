"""The words of questions that tell which days are meant, as `asked_days.toml` has them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from noderag_local.aggregation.question_phrases import words_of


@cache
def _table() -> dict[str, dict[str, str | list[str]]]:
    return tomllib.loads((files("noderag_local.aggregation") / "asked_days.toml").read_text(encoding="utf-8"))


@cache
def day_phrases(language: str, key: str) -> frozenset[tuple[str, ...]]:
    """Returns the phrases of a key, each as its casefolded words.

    Args:
        language: ISO 639-1 code.
        key: name of a list in the table of the language.
    """
    return frozenset(tuple(words_of(phrase)) for phrase in _table()[language][key])


@cache
def any_phrase(language: str, *keys: str) -> str:
    """Returns a pattern that matches each phrase of some keys, the longest first; arguments as for `day_phrases`."""
    phrases = (re.escape(" ".join(phrase)) for key in keys for phrase in day_phrases(language, key))
    return "|".join(sorted(phrases, key=len, reverse=True))


def day_pattern(language: str, key: str) -> str:
    """Returns the pattern of a key; arguments as for `day_phrases`."""
    return str(_table()[language][key])
