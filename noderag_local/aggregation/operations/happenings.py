"""Finds the entries that tell of what a question asks about, without those that only plan it or say that it was not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from noderag_local.aggregation.denial import is_planned_or_denied
from noderag_local.aggregation.entries import Entries, NoteEntry, by_day
from noderag_local.aggregation.loan_ways import loan_stems, loan_way
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import in_notes, is_any, words_of
from noderag_local.domain.documents import BlockKind
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.stems import all_stems

NEAR = 3
"""Words between a name and a sign that somebody was met: "met", "with", "came by"."""
NEAR_BEHIND = 5
"""The same for a sign behind the name: verbs stand late in German, "ist am Nachmittag vorbeigekommen"."""


@dataclass(frozen=True, slots=True)
class Happenings:
    """Entries of what a question asks about."""

    told: list[NoteEntry]
    """Those with a day up to today, in the order of their days."""
    unclear: list[NoteEntry]
    """Those with a day up to today that name the person without saying that there was a meeting."""
    undated: list[NoteEntry]
    """Those of which nothing tells the day."""
    left_out: int
    """Number of entries that plan or deny it, have no day or name the person without a meeting."""


def happenings(plan: Plan, entries: Entries, today: date) -> Happenings:
    """Returns what happened of what the question asks about, whenever it was."""
    found = lent_as_asked([one for one in _found(plan, entries) if not only_sounds_alike(one, plan)], plan)
    fitting = [one for one in found if not is_not_told(one, plan)]
    past = [one for one in by_day(fitting, only_named=not plan.is_own) if _is_past(one, today)]
    meetings = {one.sentence.id for one in fitting if not asks_for_meetings(plan) or _is_meeting(one, plan)}
    told = [one for one in past if one.sentence.id in meetings]
    unclear = [one for one in past if one.sentence.id not in meetings]
    undated = [one for one in fitting if one.sentence.id in meetings and _has_no_day(one)]
    return Happenings(told, unclear, undated, len(found) - len(told))


def lent_as_asked(found: list[NoteEntry], plan: Plan) -> list[NoteEntry]:
    """Returns the entries that lend in the way that a question about lending asks for; none where one leaves open which way it was.

    A question that leaves it open itself may mean either; then they are returned if none of them is of the other way.
    """
    if not is_of_loans(plan):
        return found
    asked, ways = loan_way(plan.text), [loan_way(one.sentence.text) for one in found]
    if asked is None:
        return found if len({way for way in ways if way}) < 2 else []
    return [] if None in ways else [one for one, way in zip(found, ways, strict=True) if way is asked]


def is_of_loans(plan: Plan) -> bool:
    """Returns whether a question asks what was lent or borrowed."""
    return any(stems & loan_stems() for _, stems in plan.wanted)


def _has_no_day(entry: NoteEntry) -> bool:
    return entry.day is None and not entry.is_of_other_days and entry.sentence.kind is not BlockKind.HEADING


def _is_past(entry: NoteEntry, today: date) -> bool:
    """Whether the day of an entry has come; what was written before about this very day is an appointment."""
    return entry.day is not None and (entry.day < today or (entry.day == today and entry.written == today))


def within(plan: Plan, told: list[NoteEntry]) -> list[NoteEntry]:
    """Returns the entries of the days that the question limits itself to."""
    days = plan.days
    return told if days is None else [one for one in told if one.day and days.first <= one.day <= days.last]


def _found(plan: Plan, entries: Entries) -> list[NoteEntry]:
    """The entries with all words of the question; a person may be called by the first name alone."""
    meet = plan.phrases.single("meet") if asks_for_meetings(plan) else frozenset[str]()
    named = " ".join(plan.names).casefold().split()
    others = [stems for word, stems in plan.wanted if word not in named and word not in meet]
    if not plan.names:
        return entries.with_all(others)
    return entries.naming(plan.names, others)


def only_sounds_alike(entry: NoteEntry, plan: Plan) -> bool:
    """Returns whether a sentence has a word of the question only by its stem: French "cour" is no form of "courir"."""
    said = set(words_of(entry.sentence.text))
    others = said & in_notes("means_other")
    if not others:
        return False
    stems = all_stems(" ".join(said - others))
    return any(wanted & all_stems(" ".join(others)) and not wanted & stems for _, wanted in plan.wanted)


def asks_for_meetings(plan: Plan) -> bool:
    """Returns whether a question names somebody and asks of a meeting, or of nothing but when or how often it was."""
    named = {word for name in plan.names for word in words_of(name)}
    meet = plan.phrases.single("meet")
    if not named or is_any(plan.words, meet):
        return bool(named)
    return plan.operation in (Operation.COUNT, Operation.LAST) and all(word in named for word, _ in plan.wanted)


def is_not_told(entry: NoteEntry, plan: Plan) -> bool:
    """Returns whether an entry only plans, recommends or denies what the question asks about."""
    return is_planned_or_denied(entry.sentence.text, plan.words, [stems for _, stems in plan.wanted])


def _is_meeting(entry: NoteEntry, plan: Plan) -> bool:
    """Whether a sentence says that the person was met: "Coffee with Jonas", "Jonas came by", "Jonas's birthday party"."""
    words = words_of(entry.sentence.text)
    first, *others = words_of(plan.names[0])
    surnames = {word for run in capitalised_runs(entry.sentence.text) for word in words_of(" ".join(run[1:]))}
    for at, word in enumerate(words):
        if word.removesuffix("'s") != first:
            continue
        before = words[max(at - NEAR, 0) : at]
        if is_any(before, in_notes("meeting_before")) and not is_any(before, in_notes("remote")):
            return True
        end = at + 1
        while end < len(words) and (words[end].removesuffix("'s") in others or words[end] in surnames):
            end += 1
        if is_any(words[end : end + NEAR_BEHIND], in_notes("meeting_after") | in_notes("meeting_of")):
            return True
        # "Ana was here in the afternoon."
        if is_any(words[end : end + 1], in_notes("was")) and is_any(words[end + 1 :], in_notes("at_home")):
            return True
    return False
