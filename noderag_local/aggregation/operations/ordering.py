"""Tells which of two things happened first or last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache

from noderag_local.aggregation.computed import AnswerPart, Computed, told_day
from noderag_local.aggregation.entries import Entries, NoteEntry, by_day
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.operations.happenings import is_not_told
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import near_forms, other_forms
from noderag_local.aggregation.sentences_about import held
from noderag_local.text.stems import all_stems, question_stems


def earlier_or_later(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Compares the days of two things by the sentences that have their words and those of what happened to them."""
    titles = entries.titles_in(plan.words)
    options = titles if len(titles) == 2 else plan.options
    if len(options) != 2:
        return None
    found = [_told(option, options, plan, entries, today) for option in options]
    if not all(found):
        return None
    is_sooner = plan.operation is Operation.SOONER
    chosen = [of_one[0 if is_sooner else -1] for of_one in found]
    days = [one.day for one in chosen if one.day]
    if len(days) != 2 or days[0] == days[1]:
        return None
    winner = days.index(min(days) if is_sooner else max(days))
    told = " and ".join(f"{option}: {told_day(day, plan)}" for option, day in zip(options, days, strict=True))
    entries_of = (chosen[winner], chosen[1 - winner])
    return Computed((AnswerPart(options[winner], entries_of),), f"By the days of your notes: {told}.")


def _told(option: str, options: Sequence[str], plan: Plan, entries: Entries, today: date) -> list[NoteEntry]:
    """The entries of one of the two in the order of their days."""
    own = question_stems(option)
    others = {word for one in options for word in question_stems(one)}
    # "Which book did I finish first": every note of the folder of books is one.
    event = [stems for word, stems in plan.wanted if word not in others and not entries.labelled(stems)]
    found = [one for one in entries.with_all([*own.values(), *event]) if not is_not_told(one, plan)]
    if len(found) > 1:
        # "Ana says that I must read it" is a tip.
        found = [one for one in found if not _forms_of("recommended") & held(one)]
    if not event and len(found) > 1:
        # A mention of a book may be a loan; which of two came first mostly asks for the end.
        found = [one for one in found if _forms_of("finished") & held(one)]
    return [one for one in by_day(found, only_named=not plan.is_own) if one.day and one.day <= today]


@cache
def _forms_of(word: str) -> frozenset[str]:
    """Returns the stems of the words that stand for a word, in all languages."""
    return all_stems(" ".join(next(forms for forms in (*other_forms(), *near_forms()) if word in forms)))
