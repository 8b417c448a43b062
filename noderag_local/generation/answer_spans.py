"""Finds the spans of a context that may be the answer to a question, and the passage that each stands in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from noderag_local.domain.passages import Source
from noderag_local.generation.asked_nouns import asked_noun
from noderag_local.generation.question_kinds import asks_for_choice, asks_for_day, asks_for_number, asks_when
from noderag_local.generation.sentence_windows import WINDOW_LETTERS, cut_window, sentence_windows
from noderag_local.generation.told_times import tells_time
from noderag_local.storage.documents.texts import label_of
from noderag_local.text.capitals import stop_words_of
from noderag_local.text.dates.date_names import ORDINAL, TO
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.document_days import spelled_day
from noderag_local.text.number_words import NUMBER_WORDS
from noderag_local.text.stopwords import stop_words

MOST_WORDS = 7
"""Words of the longest span: names of institutions, dates and amounts are shorter."""
WRAPPED_LETTERS = 60
"""Letters from which on a line may have been wrapped."""
_STRIPPED = ".,;:!?()[]{}\"“”„«»'‘’*_|·…-–—#>"
_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"^\[\d+\]\s*")
_PARTS = re.compile(r"\n|(?<=[.!?;])(?<!\b\d\.)(?<!\b\d\d\.)\s")
"""Ends of lines and sentences; behind "30." a German date goes on."""
_TO = re.compile(rf"{ORDINAL}\.?{TO}")
_ONLY_DAY = re.compile(r"\d{1,2}(?:,\s\d{4})?")
"""A part of such a date that tells no month."""
_ANY_DAY = date(2000, 1, 1)
"""Day from which dates without a year are seen. Only where they stand matters, so a weekday beside them need not be that of 2000."""
_ARTICLES = frozenset({"the", "a", "an"})


class _Passage(NamedTuple):
    """A sentence of a source with its neighbours."""

    shared: int
    """Number of words of the question that it has, with its title."""
    source: Source
    text: str


def answer_spans(context: str, question: str, language: str) -> list[str]:
    """Returns the runs of up to `MOST_WORDS` words of a context that can answer a question, each once, sorted.

    A span begins with no stop word but "the", ends with none, and says more than the question does: small models like to repeat a
    name of the question. If the question offers a choice ("A or B?"), its names are allowed. If it asks how much or how many, each
    span has a number in digits or words; if it asks when, a day or a time. If it asks by a noun for a number or an e-mail address,
    each span has such a value.

    Args:
        context: what the model reads.
        question: the question.
        language: ISO 639-1 code of the question's language.
    """
    asked = set() if asks_for_choice(question) else _words(question)
    little = stop_words(language) | stop_words("en")
    noun = asked_noun(question)
    fits = _has_number if asks_for_number(question) else tells_time if asks_when(question) else bool
    found: set[str] = set()
    for line in _PARTS.split(context):
        words = _LABEL.sub("", line).split()
        found.update(span for span in _runs(words, little) if span not in found and not _words(span) <= asked)
    fitting = list(filter(fits, found))
    # "At eight" is a time, too: where no span is seen to tell one, any may.
    chosen = found if fits is tells_time and not fitting else fitting
    return sorted(span for span in chosen if noun is None or noun.value.is_in(span))


def date_spans(context: str) -> list[str]:
    """Returns the dates of a context as they stand there, those in labels included, each once, sorted; "3-5 May" as a whole."""
    found: set[str] = set()
    for line in context.split("\n"):
        dates = list(written_dates(line, _ANY_DAY, in_any_year=True))
        found.update(line[one.start : one.end] for one in dates)
        ends = pairwise(sorted(dates))
        found.update(line[one.start : last.end] for one, last in ends if _TO.fullmatch(line, one.end, last.start))
    return sorted(one for one in found if not _ONLY_DAY.fullmatch(one))


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
    """Returns the source that tells of a span, and the sentence there that has most words of the question, as `_best_passage` does.

    For a span that stands in labels alone, such as the name of the person whom a note is about, it is the best sentence below them. If
    no day is asked for, a sentence that has a capitalised word of the span is taken instead if it shares more words with the question:
    notes call "Jonas Brandt" Jonas. None if no source and no label holds the span.
    """
    whole = _as_words(span)
    if held := _best_passage(question, sources, whole.search):
        return held.source, _titled(held, whole)
    below = _best_passage(question, [one for one in sources if whole.search(_label(one))], lambda _: True)
    if below is None:
        return None
    stopped = stop_words_of(question)
    names = [word for word in span.split() if word[:1].isupper() and word.casefold() not in stopped]
    if names and not asks_for_day(question):
        name = re.compile("|".join(_as_words(word).pattern for word in names))
        called = _best_passage(question, sources, name.search)
        if called is not None and called.shared > below.shared:
            return called.source, _titled(called, name)
    return below.source, f"{_label(below.source)}: {below.text[:WINDOW_LETTERS]}"


def _as_words(span: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(span)}(?!\w)")


def _titled(passage: _Passage, told: re.Pattern[str]) -> str:
    """Returns what stands around a part of a passage, behind the title of its note."""
    place = told.search(passage.text)
    text = cut_window(passage.text, place.start() if place else 0)
    return f"{passage.source.title}: {text}" if passage.source.title else text


def _label(source: Source) -> str:
    """The day of a source's note, its title and headings, as a context shows them."""
    return f"{spelled_day(source.path, source.day)} {label_of(source.title, source.headings)}".strip()


def _best_passage(question: str, sources: Sequence[Source], may_be: Callable[[str], object]) -> _Passage | None:
    """Returns the sentence that shares most words with a question, of those that `may_be` accepts; the first of several.

    With it are the sentences before and after it in its line. The next line often speaks of something else, such as the next person in
    a list.
    """
    asked = _words(question)
    passages = (
        _Passage(len(asked & (_words(source.title) | _words(sentence))), source, text)
        for source in sources
        for line in _unwrapped(source.text)
        for sentence, text in sentence_windows(line)
        if may_be(sentence)
    )
    return max(passages, key=lambda passage: passage.shared, default=None)


def _unwrapped(text: str) -> Iterator[str]:
    """Yields the lines of a text; one of `WRAPPED_LETTERS` or more is joined to the next if that begins with a small letter."""
    kept = ""
    for line in text.split("\n"):
        is_wrapped = len(kept.rpartition("\n")[2]) >= WRAPPED_LETTERS and line[:1].islower()
        if kept and not is_wrapped:
            yield kept
            kept = ""
        kept = f"{kept}\n{line}" if kept else line
    if kept:
        yield kept
