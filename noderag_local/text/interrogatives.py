"""What tells a question: interrogative words by language ("who", "wessen", "сколько"), and question marks."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def interrogatives(language: str) -> frozenset[str]:
    """Returns the interrogative words of a language (ISO 639-1) as `keywords` gives them; none for an unknown language."""
    text = (files("noderag_local.text") / "interrogatives.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text).get(language, "").split())


def ends_as_question(text: str) -> bool:
    """Returns whether a text ends with a question mark, also one of Chinese or Arabic."""
    return text.rstrip().endswith(("?", "\uff1f", "\u061f"))
