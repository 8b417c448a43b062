"""Marks in a text the words that were searched for."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from textual.content import Content

MARK = "bold $text-accent"


def marked(content: Content, words: Sequence[str]) -> Content:
    """Returns a text in which each word that begins with one of `words` is marked."""
    for start, end in marked_spans(content.plain, words):
        content = content.stylize(MARK, start, end)
    return content


def marked_spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Returns (start, end) of each place in a text that a word begins with, whatever its case and accents, in order.

    In a script without blanks between words, a place inside a run of letters counts, too.

    Args:
        text: any text.
        words: words that were searched for; each also stands for longer words that begin with it.
    """
    wanted = [_folded_signs(word)[0] for word in words if word.strip()]
    folded, places = _folded_signs(text)
    found = sorted({span for word in wanted if word for span in _places(folded, word)})
    spans: list[tuple[int, int]] = []
    for start, end in found:
        first, last = places[start], places[end - 1] + 1
        if spans and first <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(last, spans[-1][1])
        else:
            spans.append((first, last))
    return spans


def _places(text: str, word: str) -> Iterator[tuple[int, int]]:
    start = text.find(word)
    while start >= 0:
        if start == 0 or not text[start - 1].isalnum() or not (word[0].isascii() or _has_case(word[0])):
            yield start, start + len(word)
        start = text.find(word, start + 1)


def _has_case(sign: str) -> bool:
    return sign.upper() != sign.lower()


def _folded_signs(text: str) -> tuple[str, Sequence[int]]:
    """Returns a text in lower case and without accents, and for each character of it its place in the text."""
    if text.isascii():
        return text.lower(), range(len(text))
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for part in unicodedata.normalize("NFKD", sign.casefold()):
            if not unicodedata.combining(part):
                signs.append(part)
                places.append(place)
    return "".join(signs), places
