"""Finds in a question whom and what it names, and when, so that its meaning can be told apart from its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.question_content import dates_in
from noderag_local.aggregation.question_phrases import WORD, is_any, kin_forms, phrases, words_of
from noderag_local.aggregation.question_subject import QuestionSubject
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stopwords import stop_words

PERSON, KIN, THING, THING2, ITEM, ACTIVITY, TIME, DAY = (
    "person",
    "kin",
    "thing",
    "thing2",
    "item",
    "activity",
    "time",
    "day",
)
"""Kinds of slots, by their names in `forms.toml`."""
MASKS = {
    PERSON: "Anna",
    KIN: "sister",
    THING: "Alpha",
    THING2: "Beta",
    ITEM: "ladder",
    ACTIVITY: "running",
    TIME: "May 2024",
    DAY: "5 May 2024",
}
"""The words that stand in the slots while meanings are compared."""
MOST_GUESSED = 12
"""Maximum number of things without a name that are tried."""
LONGEST_COMMON = 3
"""Maximum words of such a thing."""
DOING = "ing"
"""Ending of what one does, in English."""
NOUNS_HAVE_CAPITALS = "de"
"""ISO 639-1 code of the language in which a capital letter makes no name."""
_CLAUSE = re.compile(r"[,;:.!?–—]\s")
_PROJECT = re.compile(r"^(?:project|projekte?s?|projet|proyecto)\s+", re.IGNORECASE)
_CALENDAR = frozenset(
    "day days week weeks month months year years tag tage tagen woche wochen monat monate monats jahr jahre jour jours semaine mois"
    " année an ans día días semana semanas mes meses año años time times mal fois veces vez".split()
)
"""Words for spans of time, which no question is about."""
_QUOTES = "\"'“”„‟‘‚«»‹›*_"
_FEMALE = frozenset("sister mother daughter aunt wife niece grandmother girlfriend cousine prima".split())
_ARTICLES = {"de": ("die", "der"), "fr": ("la", "le"), "es": ("la", "el")}
"""For a woman and for a man."""


@dataclass(frozen=True, slots=True)
class Slotted:
    """A question with masks in place of what it names."""

    text: str
    """The question with masks."""
    named: dict[str, str]
    """The names that the masks stand for, by their slots."""
    is_guessed: bool
    """Whether one of them has no name, and only may be what the question is about."""

    @property
    def slots(self) -> frozenset[str]:
        """The kinds of slots."""
        return frozenset(self.named)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    slot: str
    name: str

    def meets(self, start: int, end: int) -> bool:
        """Returns whether it has a place in common with another span."""
        return start < self.end and self.start < end


def slotted(
    question: str, language: str, entries: Entries, today: date, is_usual: Callable[[str], bool]
) -> list[Slotted]:
    """Returns a question with masks, in each way in which one may understand what it is about.

    The first way knows only what has a name: a person, the title of a note, or what has a capital letter or stands in quotation
    marks. Each further one also takes some words that the notes know for a thing or for something that one does: "bicycle light",
    "running".

    Args:
        question: the question.
        language: ISO 639-1 code.
        entries: the notes.
        today: present day, from which "last May" is counted.
        is_usual: tells of a casefolded word whether any question may have it: "cost" names no thing.

    Returns:
        Nothing if the question names two people, three things or two times.
    """
    spans = _spans(question, language, entries, today)
    if spans is None:
        return []
    whole = _masked(question, spans)
    guessed = (
        [] if any(span.slot == THING for span in spans) else _guesses(question, language, entries, spans, is_usual)
    )
    ways = [whole, *(_masked(question, [*spans, one], is_guessed=True) for one in guessed)]
    return ways if (asking := _asking_clause(whole, language)) is None else [*ways, asking]


def _asking_clause(way: Slotted, language: str) -> Slotted | None:
    """Returns "What can't Anna eat?" for "Anna comes on Sunday, what can't she eat?"; None where no clause asks about somebody named before."""
    _, _, behind = way.text.rpartition(MASKS[PERSON])
    clauses = _CLAUSE.split(behind)
    pronouns, last = phrases(language).single("pronouns"), clauses[-1].strip()
    if way.slots != {PERSON} or len(clauses) < 2 or not is_any(words_of(last), pronouns):
        return None
    spoken = WORD.sub(lambda word: MASKS[PERSON] if word[0].casefold() in pronouns else word[0], last)
    return replace(way, text=spoken)


def _spans(question: str, language: str, entries: Entries, today: date) -> list[_Span] | None:
    """Returns what a question names; None where it is too much."""
    subject, known = QuestionSubject(question, language, entries), phrases(language)
    spans = [
        _Span(start, end, DAY if days.first == days.last else TIME, question[start:end])
        for start, end, days in dates_in(question, known, today)
    ]
    times, people, things = len(spans), 0, 0
    for anchor in subject.anchors():
        person = entries.is_person(anchor)
        if not person and (_only_opens(question, anchor, entries) or known.knows(anchor.casefold())):
            continue
        found = [place for place in _places(question, anchor, person) if not any(span.meets(*place) for span in spans)]
        if not found or not (person or _is_name(question, found[0], anchor, language, entries)):
            continue
        people, things = people + person, things + (not person)
        slot = PERSON if person else (THING, THING2)[min(things, 2) - 1]
        # Somebody may be called by the first name alone.
        for start, end in found:
            start = start if person else _with_kind(question, start, language)
            spans.append(_Span(start, end, slot, anchor if person else question[start:end]))
    if people > 1 or things > 2 or times > 1:
        return None
    return [*_in_order(spans), *_relatives(question, language, subject, spans)]


def _in_order(spans: Sequence[_Span]) -> list[_Span]:
    """Returns spans in which the first thing of the question is the first: "Alpha or Beta"."""
    things = sorted((span for span in spans if span.slot in (THING, THING2)), key=lambda span: span.start)
    slots = dict(zip(dict.fromkeys(span.name for span in things), (THING, THING2), strict=False))
    return [replace(span, slot=slots[span.name]) if span in things else span for span in spans]


def _is_name(question: str, place: tuple[int, int], anchor: str, language: str, entries: Entries) -> bool:
    """Returns whether something with a capital letter is a name, and no mere noun of German."""
    if language != NOUNS_HAVE_CAPITALS:
        return True
    is_quoted = question[place[0] - 1 : place[0]] in tuple(_QUOTES)
    return is_quoted or entries.begins_title(_PROJECT.sub("", anchor))


def _only_opens(question: str, anchor: str, entries: Entries) -> bool:
    """Returns whether a word has its capital letter only because it opens a sentence: the notes have no such name."""
    opens = re.search(rf"(?:^|[.!?:]\s+){re.escape(anchor)}(?!\w)", question) is not None
    return opens and not entries.begins_title(anchor) and not entries.naming([anchor], [])


def _with_kind(question: str, start: int, language: str) -> int:
    """Returns where a name begins with the kind of thing in front of it: "Hotel Linde", "the Villa Mirto"."""
    if language == NOUNS_HAVE_CAPITALS:
        return start
    before = re.search(r"(?<=[^.!?:\s]\s)[A-Z]\w+\s$", question[:start])
    return before.start() if before else start


def _places(question: str, anchor: str, is_person: bool) -> Iterator[tuple[int, int]]:
    """Yields where a name stands; of a person the first name may stand alone, and a page may have the surname in front."""
    words = anchor.split()
    turned = (" ".join(reversed(words)), words[0], words[1]) if len(words) == 2 else words[:1]
    for name in (anchor, *turned) if is_person else (anchor,):
        # Names come without the "'s" within them: "The Miller's Tale".
        written = r"(?:['’]s)?\s+".join(map(re.escape, name.split()))
        found = [match.span() for match in re.finditer(rf"(?<!\w){written}(?!\w)", question, re.IGNORECASE)]
        if found:
            yield from found
            return


def _relatives(question: str, language: str, subject: QuestionSubject, spans: Sequence[_Span]) -> Iterator[_Span]:
    """Yields the words for the relative of somebody else; in other languages than English with an article."""
    if not subject.kin:
        return
    stopped = stop_words(language)
    for match in WORD.finditer(question):
        word = match[0].casefold().removesuffix("'s")
        end = match.start() + len(word)
        # French "son" is "his".
        forms = None if word in stopped else next((forms for forms in kin_forms() if word in forms), None)
        if forms and not any(span.meets(match.start(), end) for span in spans):
            yield _Span(match.start(), end, KIN, _called(question[match.start() : end], language, forms))


def _called(word: str, language: str, forms: Collection[str]) -> str:
    """Returns the plain word for a relative."""
    if language not in _ARTICLES:
        return next((name for name in ("sister", "brother", "mother", "father") if name in forms), word.casefold())
    return f"{_ARTICLES[language][_FEMALE.isdisjoint(forms)]} {word}"


def _guesses(
    question: str, language: str, entries: Entries, spans: Sequence[_Span], is_usual: Callable[[str], bool]
) -> list[_Span]:
    """Returns what a question may be about: content words that the notes know, some of which follow each other."""
    found: list[_Span] = []
    for start, end in _common_runs(question, language, entries, spans, is_usual)[:MOST_GUESSED]:
        name = question[start:end]
        found += [_Span(start, end, slot, name) for slot in _kinds_of(name, language)]
    return found


def _kinds_of(name: str, language: str) -> tuple[str, ...]:
    """Returns the slots that words of the notes may stand in."""
    if language == "en":
        return (ITEM, ACTIVITY) if name.endswith(DOING) else (ITEM,)
    return (ITEM, THING) if name[0].isupper() else (ITEM, ACTIVITY)


def _common_runs(
    question: str, language: str, entries: Entries, spans: Sequence[_Span], is_usual: Callable[[str], bool]
) -> list[tuple[int, int]]:
    """Returns where words stand that may name a thing."""
    ignored = stop_words(language) | interrogatives(language)
    runs: list[list[tuple[int, int]]] = [[]]
    for match in WORD.finditer(question):
        word = match[0].casefold()
        may_name = word not in ignored | _CALENDAR and (word.endswith(DOING) or not is_usual(word))
        is_free = not any(span.meets(*match.span()) for span in spans)
        if is_free and len(word) > 2 and may_name and entries.knows(match[0]):
            if runs[-1] and question[runs[-1][-1][1] : match.start()].strip():
                runs.append([])
            runs[-1].append(match.span())
        elif runs[-1]:
            runs.append([])
    return [
        (run[first][0], run[last][1])
        for run in runs
        for first in range(len(run))
        for last in range(first, min(first + LONGEST_COMMON, len(run)))
    ]


def _masked(question: str, spans: Sequence[_Span], *, is_guessed: bool = False) -> Slotted:
    text = question
    for span in sorted(spans, key=lambda span: -span.start):
        text = f"{text[: span.start]}{MASKS[span.slot]}{text[span.end :]}"
    named = {span.slot: _PROJECT.sub("", span.name) if span.slot == THING else span.name for span in spans}
    return Slotted(text, named, is_guessed)
