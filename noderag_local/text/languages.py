"""Guesses which language's sentence rules a text needs: from its script, and for Latin letters from its commonest words.

Only the languages whose rules differ are told apart; a wrong guess costs an abbreviation, not the text.
"""

from __future__ import annotations

import re

SAMPLE_CHARACTERS = 600

_SCRIPTS = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("el", re.compile(r"[\u0386-\u03ff\u1f00-\u1fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("am", re.compile(r"[\u1200-\u137f]")),
    ("hy", re.compile(r"[\u0531-\u058f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("my", re.compile(r"[\u1000-\u109f]")),
)
OTHER_SCRIPTS = frozenset(language for language, _ in _SCRIPTS)
"""Languages that are not written in Latin letters."""
_COMMON = {
    "en": "the of and to in is was that for it with as on by at from are were he she his her which an be this",
    "de": "der die das und ist nicht ein eine zu den mit von auf für im dem des sich auch wird war er sie als am es",
    "fr": "le la les et est un une des du dans pour que qui en sur pas il elle au avec ce cette par sont été nous",
    "es": "el la los las y es un una de en que por con para del se su no al como más fue pero muy está",
    "it": "il lo la gli e è un una di che per con del della nel non si sono più come anche alla dei era",
    "pt": "o os as e é um uma de em que por com para do da no na se não ao como mais foi mas pelo",
    "nl": "de het een en van is niet dat op te in voor met zijn er aan ook als bij maar werd door naar hij",
}
KNOWN_LANGUAGES = (*_COMMON, *(language for language, _ in _SCRIPTS))
"""Languages that `language_of` tells apart."""
_VOTES = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_LATIN = re.compile(r"[a-z\u00df-\u024f]+")

_GERMAN = _VOTES["de"] - {"am", "des", "es"} | frozenset("ich wir mein meine nach bei beim um vom zum zur".split())
"""Words that show German; those left out are English, French or Spanish, too."""
_NOT_GERMAN = frozenset(
    "i we he she they you my our his is are were been have had je nous vous il elle est sont était avec pour dans yo ella está fue"
    " tengo tiene hay para pero más muy".split()
)
"""English, French and Spanish words that hardly ever stand in German notes."""

_ENOUGH_WORDS = 12
"""English prose of this length holds two of its commonest words, but for one text in hundreds."""
_SOME_LETTERS = 5
"""More letters with accents than a foreign name or two bring into an English text."""


def language_of(text: str) -> str:
    """Returns the ISO 639-1 code of the rules that split `text`; English where nothing shows another language."""
    sample = text[:SAMPLE_CHARACTERS]
    if not sample.isascii():
        script = _script(sample)
        if script:
            return script
    words = set(_LATIN.findall(sample.lower()))
    votes = {language: len(words & common) for language, common in _VOTES.items()}
    return max(votes, key=lambda language: (votes[language], language == "en"))


def _script(sample: str) -> str:
    """Returns the language whose script has at least a fifth of the letters; "" for Latin letters."""
    letters = sum(map(str.isalpha, sample)) or 1
    for language, pattern in _SCRIPTS:
        share = 0.02 if language == "ja" else 0.2
        if len(pattern.findall(sample)) > share * letters:
            return language
    return ""


def is_english(text: str) -> bool:
    """Tells whether a text seems to be English; a text that shows no language at all, such as a list of names, does.

    Languages that `language_of` does not know are told by their letters, and by the English words that are missing.
    """
    sample = text[:SAMPLE_CHARACTERS]
    if language_of(sample) != "en":
        return False
    words = _LATIN.findall(sample.lower())
    accented = sum(character.isalpha() and not character.isascii() for character in sample)
    return len(words) < _ENOUGH_WORDS or accented < _SOME_LETTERS or len(_VOTES["en"].intersection(words)) > 1


def is_surely_not_german(text: str) -> bool:
    """Tells whether a text is English, French or Spanish, as far as its words show; a few words without a verb show nothing."""
    words = set(_LATIN.findall(text[:SAMPLE_CHARACTERS].lower()))
    if words & _GERMAN:
        return False
    return bool(words & _NOT_GERMAN) or len(words & _VOTES["en"]) > 1
