"""Finds what notes may say of the thing that is counted in words that are not understood; then the count would be a guess."""

from __future__ import annotations

from functools import cache

from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.operations.happenings import (
    Happenings,
    asks_for_meetings,
    is_not_told,
    only_sounds_alike,
)
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import in_notes, is_any, other_forms, words_of
from noderag_local.domain.documents import BlockKind
from noderag_local.text.dates.days import Days
from noderag_local.text.stems import question_stems

MOST_UNDATED = 0.25
"""Highest number of sentences without a day, in the folders of those that tell of the thing, for each of these."""
LONGEST_READ = 100
"""Days of the longest time whose sentences are all read for longer words: "Velotour" for "Velo"."""
SHORTEST_PART = 4
"""Letters of the shortest word that is looked for inside longer ones."""


def is_unexplained(plan: Plan, entries: Entries, found: Happenings, days: Days | None) -> bool:
    """Returns whether notes of some days may tell of more than what was found.

    They may if one of these is so:

    - sentences that tell of it have no day, though others of their folder do;
    - a sentence names a person and leaves open whether there was a meeting;
    - a sentence has the words for the thing without those for doing it.

    Args:
        plan: the reading of the question.
        entries: the notes.
        found: what they tell of it.
        days: the days that count; None for all.
    """
    known = {one.day for one in found.told}
    # Pages about people and things have no days, and tell of no happenings.
    folders = {_folder(one) for one in found.told}
    if sum(_folder(one) in folders for one in found.undated) > MOST_UNDATED * len(found.told):
        return True
    if asks_for_meetings(plan):
        more = [one for one in (*found.unclear, *_with_first_name(plan, entries)) if not _is_something_else(one)]
    else:
        more = _half_found(plan, entries, days)
    return any(one.day not in known and _is_within(one, days) for one in more)


def _folder(entry: NoteEntry) -> str:
    return entry.sentence.path.rpartition("/")[0]


def _is_within(entry: NoteEntry, days: Days | None) -> bool:
    return entry.day is not None and (days is None or days.first <= entry.day <= days.last)


def _with_first_name(plan: Plan, entries: Entries) -> list[NoteEntry]:
    """Returns the sentences with the first name alone of which no other full name is known, that deny or plan nothing."""
    first = words_of(plan.names[0])[:1]
    if len(plan.names) > 1 or len(words_of(plan.names[0])) < 2:
        return []
    named = [one for stems in question_stems(" ".join(first)).values() for one in entries.with_all([stems])]
    of_others = {
        sentence
        for sentence, name in entries.names_in(one.sentence.id for one in named)
        if len(words_of(name)) > 1 and set(first) & set(words_of(name))
    }
    return [one for one in named if one.sentence.id not in of_others and not is_not_told(one, plan)]


def _is_something_else(entry: NoteEntry) -> bool:
    """Returns whether a sentence says what somebody had to do with that was no visit: a list of who was there, a call, a loan."""
    text = entry.sentence.text
    label, found, _ = text.partition(":")
    if found and set(words_of(label)) <= in_notes("attended") | in_notes("absent") | in_notes("members"):
        return True
    return is_any(words_of(text), in_notes("remote") | _loans())


@cache
def _loans() -> frozenset[str]:
    return next(forms for forms in other_forms() if "lent" in forms)


def _half_found(plan: Plan, entries: Entries, days: Days | None) -> list[NoteEntry]:
    """Returns the sentences with the words for the thing but not for doing it, or with a longer word that has it as a part.

    "Out on the bike" has no "ride", and "Velotour" no "Velo". What denies or plans it is left out.
    """
    things = [(word, stems) for word, stems in plan.wanted if word not in in_notes("motions")]
    found = entries.with_all([stems for _, stems in things])
    if len(things) == 1 and days and days.length <= LONGEST_READ and plan.language == "de":
        found += [one for one in entries.on_days(days) if _has_part(one, things[0][0])]
    told = (one for one in found if one.sentence.kind is not BlockKind.HEADING and not only_sounds_alike(one, plan))
    return [one for one in told if not is_not_told(one, plan)]


def _has_part(entry: NoteEntry, part: str) -> bool:
    is_long = len(part) >= SHORTEST_PART
    return is_long and any(part in word and part != word for word in words_of(entry.sentence.text))
