"""Finds titles of works and other names in quotation marks."""

from __future__ import annotations

import re

from noderag_local.text.letters import uncased, upper

Span = tuple[int, int]

MAX_WORDS = 12

_QUOTED = re.compile(
    r"""
      (?<![\w"])"(?P<a>[^"\n]{2,90}?)[,.]?"(?!\w)
    | [“„](?P<b>[^“”„\n]{2,90}?)[,.]?[”“]
    | «[\s\u00a0\u202f]?(?P<c>[^«»\n]{2,90}?)[,.]?[\s\u00a0\u202f]?»
    | ``\s?(?P<d>[^`'\n]{2,90}(?:'[^`'\n]{1,60}){0,2}?)\s?[,.]?\s?''
    | ‹(?P<e>[^‹›\n]{2,90}?)›
    | [「『《〈](?P<f>[^「」『』《》〈〉\n]{2,40}?)[」』》〉]
    | (?<!\w)‘(?P<g>[^‘’\n]{2,60}(?:’\w[^‘’\n]{0,40}){0,2}?)’(?!\w)
    """,
    re.VERBOSE,
)
_HINTS = re.compile(r"[\"“„«‹‘「『《〈]|``")
_STARTS_LIKE_TITLE = re.compile(rf"[{upper()}{uncased()}\d#¿¡(]")
_ENDS_SENTENCE = re.compile(r"[.;:。？！]$|[.!?]\s")
_ORDINARY_VERB = re.compile(r"\b(?:is|are|was|were|am|will|would|have|has|had|do|does|did)\b")


def quoted_titles(text: str) -> list[tuple[Span, str]]:
    """Returns quoted stretches that look like titles, with their spans including the quotation marks.

    A title starts with a capital, a digit or a letter of a script without capitals, and is no sentence. Of those
    in Latin letters either the last word has a capital too or there are at most four.
    """
    if not _HINTS.search(text):
        return []
    found = []
    for match in _QUOTED.finditer(text):
        title = next(group for group in match.groups() if group is not None).strip()
        if _is_title(title):
            found.append((match.span(), title))
    return found


def _is_title(title: str) -> bool:
    words = title.split()
    if not words or len(words) > MAX_WORDS or not _STARTS_LIKE_TITLE.match(title) or _ENDS_SENTENCE.search(title):
        return False
    if len(words) <= 4 or not title[0].isupper():
        return True
    capitals = sum(word.strip("(\"'“‘")[:1].isupper() for word in words)
    return 2 * capitals >= len(words) or (words[-1][:1].isupper() and not _ORDINARY_VERB.search(title))
