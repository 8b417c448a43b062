"""Tells which language a question is in."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

NAMES = {
    "ar": "Arabic",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
"""Languages that are told apart, by ISO 639-1 code: few, since every further one costs short questions their certainty."""

ENGLISH = "en"
CERTAIN = 0.5
"""Least probability at which a language is accepted; below it, the text counts as English."""


def language_of(text: str) -> str:
    """Returns the ISO 639-1 code of the language that `text` is written in, one of `NAMES`; English where it cannot be told."""
    code, probability = _identifier().classify(text)
    return code if probability >= CERTAIN else ENGLISH


def language_among(text: str, codes: Collection[str]) -> str:
    """Returns which of a few languages a text is in: surer than `language_of`, since a short text fits many."""
    return next((code for code, _ in _identifier().rank(text) if code in codes), ENGLISH)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(NAMES))
    return identifier
