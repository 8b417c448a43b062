"""Finds the spans of a context that may be the answer to a question, and the passage that each stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.markers import sentences
from noderag_local.generation.question_language import language_of
from noderag_local.storage.documents.bigrams import without_unspaced
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.number_words import NUMBER_WORDS
from noderag_local.text.stopwords import stop_words

MOST_WORDS = 7
"""Words of the longest span: names of institutions, dates and amounts are shorter."""
PASSAGE_LETTERS = 500
_STRIPPED = ".,;:!?()[]{}\"“”„«»'‘’*_|·…-–—#>"
_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"^\[\d+\]\s*")
_PARTS = re.compile(r"\n|(?<=[.!?;])\s")
_ASKS_CHOICE = re.compile(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_ASKS_REASON = re.compile(
    r"\b(?:why|how come|how (?:did|do|does|was|were|is|are|can|could|should|has|have|to)|warum|wieso|weshalb|pourquoi|por qué"
    r"|perché|waarom|почему|зачем)\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whom|whose|where|wer|wen|wem|wessen|wo|wohin|woher|qui|où|quién|quiénes|dónde|adónde)\b", re.IGNORECASE
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:much|many)|what (?:sum|amount|price|number)|wie ?viele?|combien|cuánt[oa]s?|quant[oiae]|hoeveel)\b"
    r"|\bwhat (?:was|is|did|does|do|has|have)\b.*\b(?:cost|charged|charge)\b",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"the", "a", "an"})


def asks_for_span(question: str) -> bool:
    """Returns whether a question asks who, where, what, when, which or how much, and not why or how something is done.

    Scripts without spaces between words have no spans.
    """
    if without_unspaced(question) != question or _ASKS_REASON.search(question):
        return False
    words = _WORD.findall(question.casefold())
    return any(word in interrogatives(language) for language in (language_of(question), "en") for word in words)


def asks_who_or_where(question: str) -> bool:
    """Returns whether a question asks who or where, in English, German, French or Spanish."""
    return asks_for_span(question) and _ASKS_NAME.search(question) is not None


def answer_spans(context: str, question: str, language: str) -> list[str]:
    """Returns the runs of up to `MOST_WORDS` words of a context that can answer a question, each once, sorted.

    A span begins with no stop word but "the", ends with none, and says more than the question does: small models like to repeat a
    name of the question. If the question offers a choice ("A or B?"), its names are allowed. If it asks how much or how many, each
    span has a number in digits or words.

    Args:
        context: what the model reads.
        question: the question.
        language: ISO 639-1 code of the question's language.
    """
    asked = set() if _ASKS_CHOICE.search(question) else _words(question)
    little = stop_words(language) | stop_words("en")
    is_number = _ASKS_NUMBER.search(question) is not None
    found: set[str] = set()
    for line in _PARTS.split(context):
        words = _LABEL.sub("", line).split()
        found.update(span for span in _runs(words, little) if span not in found and not _words(span) <= asked)
    return sorted(span for span in found if not is_number or _has_number(span))


def _has_number(span: str) -> bool:
    return any(map(str.isdigit, span)) or not NUMBER_WORDS.isdisjoint(_words(span))


def _runs(words: Sequence[str], little: frozenset[str]) -> Iterator[str]:
    bare = [word.strip(_STRIPPED).casefold() for word in words]
    for start, first in enumerate(bare):
        if first in little and first != "the":
            continue
        for end in range(start + 1, min(len(words), start + MOST_WORDS) + 1):
            if bare[end - 1] not in little:
                span = " ".join(words[start:end]).strip(_STRIPPED)
                if _WORD.search(span):
                    yield span


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _ARTICLES


def passage_of(span: str, question: str, sources: Sequence[Source]) -> tuple[Source, str] | None:
    """Returns the source that holds a span, and the sentence there that has most words of the question, with its neighbours.

    None if no source holds it: the span then stands in a label or across sources.
    """
    asked = _words(question)
    whole = re.compile(rf"(?<!\w){re.escape(span)}(?!\w)")
    best: tuple[int, Source, str] | None = None
    for source in sources:
        parts = [" ".join(part.split()) for part in sentences(source.text)]
        around = ["", *parts, ""]
        titled = _words(source.title)
        for at, part in enumerate(parts, 1):
            if not whole.search(part):
                continue
            shared = len(asked & (titled | _words(part)))
            if best is None or shared > best[0]:
                best = shared, source, " ".join(filter(None, around[at - 1 : at + 2]))
    if best is None:
        return None
    _, source, text = best
    place = whole.search(text)
    told = _around(text, place.start() if place else 0)
    return source, f"{source.title}: {told}" if source.title else told


def _around(text: str, place: int) -> str:
    """Returns at most `PASSAGE_LETTERS` of a text around a place."""
    start = max(0, min(place - PASSAGE_LETTERS // 2, len(text) - PASSAGE_LETTERS))
    return text[start : start + PASSAGE_LETTERS]
