"""Finds the spans of a context that may be the answer to a question, and the passage that each stands in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.markers import sentences
from noderag_local.generation.question_language import language_of
from noderag_local.storage.documents.bigrams import without_unspaced
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.document_days import day_in_name
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
_ASKS_DAY = re.compile(
    r"\b(?:when (?:did|was|were|had)|(?:what|which) (?:day|date)|date of|wann (?:hat|hatte|habe|hatten|haben|war|waren|wurde|bin|sind|ist)"
    r"|an welchem (?:tag|datum)|(?:quel jour|quelle date|date d|le jour où|c['’]était quand|c['’]est quand)"
    r"|quand (?:a|ai|as|avons|avez|ont|est|sont|s['’]est|était)|qué (?:día|fecha)|fecha de|cuándo \w+(?:ó|é|í|aron|ieron|fue))\b",
    re.IGNORECASE,
)
_ANY_DAY = date(2000, 1, 1)
"""Day from which dates without a year are seen: only where they stand matters."""
_ASKS_PRESENT = re.compile(
    r"\b(?:now|nowadays|these days|currently|current|at the moment|latest|newest|still|any ?more|as of|since"
    r"|jetzt|derzeit|zurzeit|aktuell(?:e[rsnm]?)?|momentan|inzwischen|mittlerweile|noch|heute|neueste[rsnm]?|seit"
    r"|maintenant|actuellement|désormais|actuel(?:le)?|encore|aujourd['’]hui|depuis"
    r"|ahora|actualmente|actual|todavía|hoy|desde)\b",
    re.IGNORECASE,
)
_ASKS_SEVERAL = re.compile(
    r"\b(?:(?:which|what) (?!was\b|is\b|does\b|has\b)\w+[^s\W]s|who (?:are|were|all|have)|what (?:are|were|all)|everybody|all the|list"
    r"|wer (?:sind|waren)|was (?:sind|waren)|welche \w+en|alle[rsn]?"
    r"|quels|quelles|qui (?:sont|étaient|ont|avaient)|tous|toutes|cuáles|quiénes|qué \w+s|todos|todas)\b",
    re.IGNORECASE,
)
_ASKS_CLAUSE = re.compile(
    r"\b(?:decid\w+|agree\w*|happen\w*|say|said|tell|told|think|thought|mean|meant|advise\w*|complain\w*|promis\w+"
    r"|entschieden|beschlossen|vereinbart|abgemacht|passiert|gesagt|meint\w*|denk\w*|versprochen"
    r"|décid\w+|convenu\w*|passé\w*|dit|promis\w*|pens\w+|decidi\w+|acord\w+|pas[óo]|dij\w+|prometi\w+)\b"
    r"|\b(?:what|was|que|qué|quoi) (?:do|does|did|has|have|habe|hat|haben) \w+ (?:\w+ )?(?:do|done|gemacht|getan)\b",
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


def asks_for_fact(question: str) -> bool:
    """Returns whether a question asks for one name, place, day or number; in English, German, French and Spanish.

    What holds now is told by how the notes follow upon each other, and what was said or decided is a clause: a model that writes does
    both better.
    """
    others = (_ASKS_PRESENT, _ASKS_SEVERAL, _ASKS_CLAUSE)
    return asks_for_span(question) and not any(shape.search(question) for shape in others)


def asks_who_or_where(question: str) -> bool:
    """Returns whether a question asks who or where, in English, German, French or Spanish."""
    return asks_for_span(question) and _ASKS_NAME.search(question) is not None


def answer_spans(context: str, question: str, language: str) -> list[str]:
    """Returns the runs of up to `MOST_WORDS` words of a context that can answer a question, each once, sorted; to one for a day, dates.

    A span begins with no stop word but "the", ends with none, and says more than the question does: small models like to repeat a
    name of the question. If the question offers a choice ("A or B?"), its names are allowed. If it asks how much or how many, each
    span has a number in digits or words.

    Args:
        context: what the model reads.
        question: the question.
        language: ISO 639-1 code of the question's language.
    """
    if _ASKS_DAY.search(question) and (dates := sorted(_dates_in(context))):
        return dates
    asked = set() if _ASKS_CHOICE.search(question) else _words(question)
    little = stop_words(language) | stop_words("en")
    is_number = _ASKS_NUMBER.search(question) is not None
    found: set[str] = set()
    for line in _PARTS.split(context):
        words = _LABEL.sub("", line).split()
        found.update(span for span in _runs(words, little) if span not in found and not _words(span) <= asked)
    return sorted(span for span in found if not is_number or _has_number(span))


def _dates_in(context: str) -> set[str]:
    """Returns the dates of a context as they stand there, those in labels included."""
    return {line[one.start : one.end] for line in context.split("\n") for one in written_dates(line, _ANY_DAY)}


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

    A date that stands in labels alone is told of every sentence below them, where a question asks for a day. None for any other span
    that no source holds: it stands in a label or across sources.
    """
    whole = re.compile(rf"(?<!\w){re.escape(span)}(?!\w)")
    held = _best_passage(question, sources, whole.search)
    if held is not None:
        source, text = held
        place = whole.search(text)
        told = _around(text, place.start() if place else 0)
        return source, f"{source.title}: {told}" if source.title else told
    if not _ASKS_DAY.search(question):
        return None
    labelled = [one for one in sources if whole.search(_label(one))]
    below = _best_passage(question, labelled, lambda _: True)
    return (below[0], f"{_label(below[0])}: {below[1][:PASSAGE_LETTERS]}") if below else None


def _label(source: Source) -> str:
    return " > ".join(dict.fromkeys(filter(None, (day_in_name(source.path), source.title, *source.headings))))


def _best_passage(
    question: str, sources: Sequence[Source], may_be: Callable[[str], object]
) -> tuple[Source, str] | None:
    """Returns the sentence that has most words of the question, of those that it may be, with its neighbours and its source."""
    asked = _words(question)
    best: tuple[int, Source, str] | None = None
    for source in sources:
        parts = [" ".join(part.split()) for part in sentences(source.text)]
        around = ["", *parts, ""]
        titled = _words(source.title)
        for at, part in enumerate(parts, 1):
            if not may_be(part):
                continue
            shared = len(asked & (titled | _words(part)))
            if best is None or shared > best[0]:
                best = shared, source, " ".join(filter(None, around[at - 1 : at + 2]))
    return best[1:] if best else None


def _around(text: str, place: int) -> str:
    """Returns at most `PASSAGE_LETTERS` of a text around a place."""
    start = max(0, min(place - PASSAGE_LETTERS // 2, len(text) - PASSAGE_LETTERS))
    return text[start : start + PASSAGE_LETTERS]
