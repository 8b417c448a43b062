"""Decides when two names mean the same entity, and which of its names is shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_UNIFIED = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-"),
        **dict.fromkeys("‘’‚‛′`´ʹʻʼʽˈ＇", "'"),
        **dict.fromkeys("“”„‟″«»＂「」『』《》〈〉", '"'),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", None),
    }
)
_IDENTIFIER = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# "An" is a first name, too. As an article it stands before vowels, a silent h, short acronyms that are read by their letters, and some numbers.
_ARTICLE = re.compile(
    r"(?:the|a) (?=\S)|an (?=[aeiouàáâäåæèéêëìíîïòóôöøœùúûü]|h(?:our|onest|onou?r|eir|erb|istor)|[flmnrsx](?![aeiouy])\w{0,2}(?!\w)|(?:8|11|18)(?!\d))"
)
_SPACED_HYPHEN = re.compile(r" ?- ?")
_KEPT_OUTSIDE = frozenset("+#%€$£¥°")
_SPACED_INITIALS = re.compile(r"(?<=\b\w\.) (?=\w\.)")
# Python 3.5 is not Python 35, and A. Berg no article with a mountain.
_TOKEN_PUNCTUATION = re.compile(r"(?<=[^\W\d])\.(?=\w)|(?<=\w)\.(?=[^\W\d])|(?<=\b[^\W\d])(?<!^a)\.")


@lru_cache(maxsize=1 << 16)
def entity_key(name: str) -> str:
    """Returns the key that names of the same entity share; applying it again changes nothing.

    NFKC, casefold, hyphens and quotation marks unified, white space folded, outer punctuation and a leading English
    article stripped, dots of initials dropped ("U.S." = "US", "J. R. R. Tolkien" = "J.R.R. Tolkien"), but not of an "A." that
    comes first, nor between digits. A name of nothing but punctuation keeps itself. An identifier that a program made (a
    UUID) names nothing and has the key "".
    """
    if _IDENTIFIER.fullmatch(name):
        return ""
    key = name
    # A step can make work for one before it: casefolding "ŉ" gives a quotation mark, stripping bares an article.
    while (folded := _folded_once(key)) != key:
        key = folded
    return key


def _folded_once(name: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).translate(_UNIFIED)
    text = _SPACED_HYPHEN.sub("-", " ".join(text.split()))
    stripped = _TOKEN_PUNCTUATION.sub("", _SPACED_INITIALS.sub("", _without_outer_punctuation(text)))
    return _ARTICLE.sub("", stripped, count=1) if _ARTICLE.match(stripped) else stripped or text


def _without_outer_punctuation(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_outer(text[start]):
        start += 1
    while end > start and _is_outer(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_outer(character: str) -> bool:
    return character not in _KEPT_OUTSIDE and unicodedata.category(character)[0] in "PZSC"


def display_name(counts: Mapping[str, int]) -> str:
    """Returns the commonest surface form; among equally common ones, the first in code point order.

    Args:
        counts: surface form → number of occurrences; not empty.
    """
    return min(counts, key=lambda form: (-counts[form], form))
