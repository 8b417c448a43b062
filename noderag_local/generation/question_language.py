"""Detects the language of a question."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING

from noderag_local.text.stopwords import stop_words

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
"""Languages that can be detected, by ISO 639-1 code; few, since each further one makes short questions less certain."""

ENGLISH = "en"
FEWEST_STOP_WORDS = 2
"""English stop words from which on a text may count as English against the classifier."""
CERTAIN = 0.5
"""Minimum probability of a detected language; below it, the language is uncertain."""
LETTERS_OF_PASSAGES = 1_000
"""Letters of the passages that are looked at: more than enough to be certain."""


def language_of(text: str, passages: Iterable[str] = ()) -> str:
    """Returns the ISO 639-1 code of a text's language, one of `NAMES`.

    Args:
        text: a question, or any other text.
        passages: what was found for a question. Where its own language is uncertain, as that of "heddas handynummer" is, theirs
            counts, unless it has more English stop words than theirs; where theirs is uncertain, too, English.
    """
    code: str
    code, probability = _identifier().classify(text)
    if _reads_as_english(text, code):
        return ENGLISH
    if probability >= CERTAIN:
        return code
    beside = " ".join(passages)[:LETTERS_OF_PASSAGES]
    theirs = language_of(beside) if beside else ENGLISH
    return theirs if _stop_words_in(text, theirs) >= _stop_words_in(text, ENGLISH) else ENGLISH


def _reads_as_english(text: str, other: str) -> bool:
    """Whether a text has more English stop words than such of another language: names alone can decide the classifier."""
    english = _stop_words_in(text, ENGLISH)
    return english >= FEWEST_STOP_WORDS and english > _stop_words_in(text, other)


def _stop_words_in(text: str, language: str) -> int:
    return sum(word in stop_words(language) for word in text.casefold().replace("?", " ").split())


def language_among(text: str, codes: Collection[str]) -> str:
    """Returns which of the given languages a text is in; more reliable than `language_of` for short texts."""
    return next((code for code, _ in _identifier().rank(text) if code in codes), ENGLISH)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(NAMES))
    return identifier
