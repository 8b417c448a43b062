"""Quotes what the notes of some days say about what the question asks: "What did we decide on 5 May about the roof?"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from noderag_local.aggregation.computed import AnswerPart, Computed, told_days
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.operations.happenings import is_not_told
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import WORD, words_of
from noderag_local.domain.documents import BlockKind
from noderag_local.text.dates.days import OLDEST_YEAR
from noderag_local.text.stems import all_stems

MOST = 3
"""Most sentences that are quoted; more of them have to be read."""
MOST_IN_TIME = 24
"""The same for several days."""


def said_on_day(plan: Plan, entries: Entries) -> Computed | None:
    """Quotes the sentences of a day that have the asked words; names may stand in the title or a heading instead.

    Only what the one who asks did, or what was decided: what others said in a conversation has to be read.
    """
    days = plan.days
    if days is None or days.length > 1 or not (plan.is_own or plan.phrases.has("decided", plan.words)):
        return None
    named = {word for name in plan.names for word in words_of(name)}
    asked = [stems for word, stems in plan.wanted if word not in named]
    names = [stems for word, stems in plan.wanted if word in named]
    of_day = [
        one for one in entries.on_days(days) if one.written == days.first and one.sentence.kind is not BlockKind.HEADING
    ]
    about = [(one, _matches(one.sentence.text, asked)) for one in of_day if _is_about(one, plan.names, names)]
    best = max((count for _, count in about), default=0)
    told = [one for one, count in about if count == best]
    if not best or len(told) > MOST:
        return None
    note = f"The sentences of {days.first} that fit best, of {len(of_day)} that were written on this day."
    return Computed(tuple(AnswerPart(one.sentence.text.strip(), (one,)) for one in told), note)


def said_in_time(plan: Plan, entries: Entries) -> Computed | None:
    """Quotes all sentences of several days that have the asked words: "What did I decide in October?".

    Only what the one who asks did, or what was decided, as in `said_on_day`; and everything about what is named where the
    question has no other word: "What happened with project Weir in May?".
    """
    days, is_agenda = plan.days, plan.phrases.has("agenda", plan.words)
    if days is None or not (plan.is_own or is_agenda or plan.phrases.has("decided", plan.words)):
        return None
    agenda = {word for phrase in plan.phrases.words["agenda"] for word in phrase} | plan.phrases.single("generic")
    named = {word for name in plan.names for word in words_of(name)}
    asked = [stems for word, stems in plan.wanted if word not in named and word not in agenda]
    names = [stems for word, stems in plan.wanted if word in named]
    if not asked and not (is_agenda and names):
        return None
    if asked and not plan.is_own and not plan.phrases.has("decided", plan.words):
        return None
    is_decided = plan.phrases.has("decided", plan.words)
    dated = [
        (day, one)
        for one in entries.on_days(days)
        # What is decided takes effect on other days than on that of the decision: "Paused until May".
        if (day := (one.written if is_decided else None) or one.day) and one.sentence.kind is not BlockKind.HEADING
    ]
    inside = {one.sentence.id: day for day, one in dated if days.first <= day <= days.last}
    told = [
        one
        for _, one in dated
        if one.sentence.id in inside
        and _is_about(one, plan.names, names)
        and _matches(one.sentence.text, asked) == len(asked)
    ]
    if not is_decided:
        told = _own(told, plan, entries) if plan.is_own else told
    if not told or len(told) > MOST_IN_TIME:
        return None
    stretch = f"up to {days.last}" if days.first.year == OLDEST_YEAR else told_days([days.first, days.last])
    note = f"The {len(told)} of {len(inside)} sentences of these days ({stretch}) with these words."
    in_order = sorted(told, key=lambda one: (inside[one.sentence.id], one.sentence.id))
    parts = (AnswerPart(f"{inside[one.sentence.id]}: {one.sentence.text.strip()}", (one,)) for one in in_order)
    return Computed(tuple(parts), note)


def _own(told: list[NoteEntry], plan: Plan, entries: Entries) -> list[NoteEntry]:
    """Those that neither plan nor deny it, nor tell of a person whom the question does not name."""
    others = {
        sentence
        for sentence, name in entries.names_in(one.sentence.id for one in told)
        if entries.is_person(name) and not set(words_of(name)) & set(plan.words)
    }
    return [one for one in told if one.sentence.id not in others and not is_not_told(one, plan)]


def _is_about(entry: NoteEntry, names: Sequence[str], stems: list[Stems]) -> bool:
    """Whether a sentence, or what stands over it, has all names; "herons" are no project Heron."""
    sentence = entry.sentence
    around = " ".join((sentence.text, sentence.title, *sentence.headings, PurePath(sentence.path).stem))
    written = set(words_of(" ".join(names)))
    may_name = (word for word in WORD.findall(around) if word[0].isupper() or not written.isdisjoint(words_of(word)))
    return _matches(" ".join(may_name), stems) == len(stems)


def _matches(text: str, wanted: list[frozenset[str]]) -> int:
    held = all_stems(text)
    return sum(bool(stems & held) for stems in wanted)
