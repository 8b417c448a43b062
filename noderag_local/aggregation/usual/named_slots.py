"""Finds in a question whom and what it names, and when, so that its meaning can be told apart from its names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.question_content import dates_in
from noderag_local.aggregation.question_phrases import WORD, kin_forms, phrases
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
MOST_COMMON = 12
"""Maximum number of things without a capital letter that are tried."""
LONGEST_COMMON = 3
"""Maximum words of such a thing."""
DOING = "ing"
"""Ending of what one does."""
_PROJECT = re.compile(r"^project\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slotted:
    """A question with masks in place of what it names."""

    text: str
    """The question with masks."""
    named: dict[str, str]
    """The names that the masks stand for, by their slots."""

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


def slotted(question: str, language: str, entries: Entries, today: date, usual: Collection[str]) -> list[Slotted]:
    """Returns a question with masks, in each way in which one may understand what it is about.

    The first way knows only what has a capital letter or is the title of a note. Each further one also takes some words that the
    notes know for a thing or for something that one does: "bicycle light", "running".

    Args:
        question: the question.
        language: ISO 639-1 code.
        entries: the notes.
        today: present day, from which "last May" is counted.
        usual: casefolded words that name no thing, since any question may have them: "cost".

    Returns:
        Nothing if the question names two people, three things or two times.
    """
    spans = _spans(question, language, entries, today)
    if spans is None:
        return []
    ways = [_masked(question, spans)]
    if not any(span.slot == THING for span in spans):
        for start, end in _common_runs(question, language, entries, spans, usual):
            name = question[start:end]
            kinds = (ITEM, ACTIVITY) if name.endswith(DOING) else (ITEM,)
            ways += [_masked(question, [*spans, _Span(start, end, kind, name)]) for kind in kinds]
    return ways


def _spans(question: str, language: str, entries: Entries, today: date) -> list[_Span] | None:
    """Returns what a question names; None where it is too much."""
    subject, known = QuestionSubject(question, language, entries), phrases(language)
    free = [(start, end, days) for start, end, days in dates_in(question, known, today)]
    spans = [
        _Span(start, end, DAY if days.first == days.last else TIME, question[start:end]) for start, end, days in free
    ]
    people, things = 0, 0
    for anchor in subject.anchors():
        person = entries.is_person(anchor)
        if not person and (_only_opens(question, anchor, entries) or known.knows(anchor.casefold())):
            continue
        found = [
            (start, end)
            for start, end in _places(question, anchor, person)
            if all(end <= span.start or span.end <= start for span in spans)
        ]
        if not found:
            continue
        people, things = people + person, things + (not person)
        slot = PERSON if person else (THING, THING2)[min(things, 2) - 1]
        # Somebody may be called by the first name alone.
        for start, end in found:
            start = start if person else _with_kind(question, start)
            spans.append(_Span(start, end, slot, anchor if person else question[start:end]))
    if people > 1 or things > 2 or len(free) > 1:
        return None
    # "Alpha or Beta": the first in the question is the first.
    if things == 2:
        first = min((span for span in spans if span.slot in (THING, THING2)), key=lambda span: span.start).name
        spans = [
            _Span(span.start, span.end, THING if span.name == first else THING2, span.name)
            if span.slot in (THING, THING2)
            else span
            for span in spans
        ]
    return [*spans, *_relatives(question, subject, spans)]


def _only_opens(question: str, anchor: str, entries: Entries) -> bool:
    """Returns whether a word has its capital letter only because it opens a sentence: the notes have no such name."""
    opens = re.search(rf"(?:^|[.!?:]\s+){re.escape(anchor)}(?!\w)", question) is not None
    return opens and not entries.begins_title(anchor) and not entries.naming([anchor], [])


def _with_kind(question: str, start: int) -> int:
    """Returns where a name begins with the kind of thing in front of it: "Hotel Linde", "the Villa Mirto"."""
    before = re.search(r"(?<=[^.!?:\s]\s)[A-Z]\w+\s$", question[:start])
    return before.start() if before else start


def _places(question: str, anchor: str, is_person: bool) -> Iterator[tuple[int, int]]:
    """Yields where a name stands; of a person the first name may stand alone."""
    words = anchor.split()
    for name in (anchor, words[0]) if is_person and len(words) > 1 else (anchor,):
        # Names come without the "'s" within them: "The Miller's Tale".
        written = r"(?:['’]s)?\s+".join(map(re.escape, name.split()))
        found = [match.span() for match in re.finditer(rf"(?<!\w){written}(?!\w)", question, re.IGNORECASE)]
        if found:
            yield from found
            return


def _relatives(question: str, subject: QuestionSubject, spans: Sequence[_Span]) -> Iterator[_Span]:
    """Yields the words for the relative of somebody else."""
    if not subject.kin:
        return
    for match in WORD.finditer(question):
        word = match[0].casefold().removesuffix("'s")
        forms = next((forms for forms in kin_forms() if word in forms), None)
        is_free = all(match.end() <= span.start or span.end <= match.start() for span in spans)
        if forms and is_free:
            plain = next((name for name in ("sister", "brother", "mother", "father") if name in forms), word)
            yield _Span(match.start(), match.start() + len(word), KIN, plain)


def _common_runs(
    question: str, language: str, entries: Entries, spans: Sequence[_Span], usual: Collection[str]
) -> list[tuple[int, int]]:
    """Returns where words stand that may name a thing: content words of the notes, some of which follow each other."""
    ignored = stop_words(language) | interrogatives(language)
    runs: list[list[tuple[int, int]]] = [[]]
    for match in WORD.finditer(question):
        is_free = all(match.end() <= span.start or span.end <= match.start() for span in spans)
        word = match[0].casefold()
        may_name = word not in ignored and (word not in usual or word.endswith(DOING))
        if is_free and len(word) > 2 and may_name and entries.knows(match[0]):
            if runs[-1] and question[runs[-1][-1][1] : match.start()].strip():
                runs.append([])
            runs[-1].append(match.span())
        elif runs[-1]:
            runs.append([])
    parts = (
        (run[first][0], run[last][1])
        for run in runs
        for first in range(len(run))
        for last in range(first, min(first + LONGEST_COMMON, len(run)))
    )
    return list(parts)[:MOST_COMMON]


def _masked(question: str, spans: Sequence[_Span]) -> Slotted:
    text = question
    for span in sorted(spans, key=lambda span: -span.start):
        text = f"{text[: span.start]}{MASKS[span.slot]}{text[span.end :]}"
    named = {span.slot: _PROJECT.sub("", span.name) if span.slot == THING else span.name for span in spans}
    return Slotted(text, named)
