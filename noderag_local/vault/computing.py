"""Answers questions about many notes of a vault by computing, before any search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from noderag_local.aggregation.compute import computed, to_judge
from noderag_local.aggregation.described import described, trails_of
from noderag_local.aggregation.entries import NoteEntry
from noderag_local.aggregation.overview_questions import overview_asked
from noderag_local.aggregation.question_content import with_years
from noderag_local.aggregation.reworded import is_worth_rewording
from noderag_local.aggregation.usual.usual_forms import usual_form
from noderag_local.domain.documents import BlockKind
from noderag_local.domain.passages import Retrieval, Scope, Source
from noderag_local.generation.answering import Answer
from noderag_local.generation.computed_answers import COMPUTED, computed_answer
from noderag_local.retrieval.default.default_method import NodeRag
from noderag_local.text.dates.days import Days
from noderag_local.vault.reader import Reader

OVERVIEW_BUDGETS = 4
"""Multiple of the budget that the search for an overview may fill; its sentences are judged one by one."""
JUDGED_LETTERS = 500
"""Characters of each note that the model reads to judge it."""
COMPUTING_METHOD = NodeRag.name
"""The method that computes; whoever chooses another one wants to see what that one finds."""


def answered_by_computing(
    read: Callable[[], Reader], method: str, scope: Scope, short: bool, question: str
) -> Answer | None:
    """Returns the answer to a question that can be computed or quoted from the notes; None for any other question.

    Args:
        read: opens the vault.
        method: name of the retrieval method that the user chose.
        scope: documents outside it are not looked at.
        short: whether the answer is a short phrase without citations.
        question: the question in the user's own words.

    Raises:
        VaultMissing, NotFound, SettingsError: as for `Vault.search`.
    """
    if method != COMPUTING_METHOD:
        return None
    started = time.perf_counter()
    entries = read().entries_within(scope)
    found = computed(question, entries, date.today())
    if found is None:
        return None
    used: dict[int, NoteEntry] = {one.sentence.id: one for part in found.parts for one in part.entries}
    sources = entries.sources(list(used.values()))
    number_of = {sentence: source.number for sentence, source in zip(used, sources, strict=True)}
    elapsed = (time.perf_counter() - started) * 1000
    retrieval = Retrieval(COMPUTED, question, 0, "", 0, tuple(sources), (), (), elapsed)
    parts = [
        (part.text, list(dict.fromkeys(number_of[one.sentence.id] for one in part.entries))) for part in found.parts
    ]
    return computed_answer(parts, retrieval, found.note, short=short)


def with_told_months(read: Callable[[], Reader], method: str, scope: Scope, question: str) -> str:
    """Returns a question in which "in March" has a year if the notes have nothing of the latest March, but of an earlier one.

    Args and raises: as for `answered_by_computing`.
    """
    if method != COMPUTING_METHOD:
        return question
    return with_years(question, date.today(), read().entries_within(scope).has_written)


def in_usual_form(read: Callable[[], Reader], method: str, scope: Scope, question: str) -> str:
    """Returns a question in plain words that mean the same and that the rules understand; "" if it is no usual question.

    Args and raises: as for `answered_by_computing`.
    """
    if method != COMPUTING_METHOD:
        return ""
    reader = read()
    return usual_form(question, reader.entries_within(scope), reader.meanings, date.today())


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """A person whom a question describes, found without a language model."""

    name: str
    search_for: str
    """What to search for: the name and what the question asks about it."""
    path: tuple[Source, ...]
    """The sentences that lead to the person, one for each step; unnumbered."""
    read_first: tuple[int, ...]
    """Nodes of the sentences that the answer needs: those that seem to tell it, and those of the path."""


def followed_to_person(read: Callable[[], Reader], method: str, scope: Scope, question: str) -> FoundPerson | None:
    """Returns whom a question describes ("the friend who lent me the drill"); None if it describes nobody, or it is not clear.

    Args and raises: as for `answered_by_computing`.
    """
    if method != COMPUTING_METHOD:
        return None
    entries = read().entries_within(scope)
    found = described(trails_of(question, entries))
    if found is None or not found.rest:
        return None
    path = tuple(replace(source, number=0) for source in entries.sources(found.path))
    first = tuple(one.sentence.id for one in (*found.told, *found.path))
    return FoundPerson(found.name, f"{found.name} {found.rest}", path, first)


def rewording_may_help(read: Callable[[], Reader], method: str, scope: Scope, question: str) -> bool:
    """Returns whether `answered_by_computing` or `followed_to_person` could probably answer a question if it were reworded.

    Args and raises: as for `answered_by_computing`.
    """
    return method == COMPUTING_METHOD and is_worth_rewording(question, read().entries_within(scope))


@dataclass(frozen=True, slots=True)
class NotesToJudge:
    """Notes of which a model has to say whether they fit a question."""

    retrieval: Retrieval
    """The notes as sources, one each, with their first sentence."""
    texts: tuple[str, ...]
    """The title and the beginning of each note."""


def notes_for_judging(read: Callable[[], Reader], method: str, scope: Scope, question: str) -> NotesToJudge | None:
    """Returns the notes of a kind that a model has to judge ("Which of my recipes are vegetarian?"); None for any other question.

    Args and raises: as for `answered_by_computing`, which comes first.
    """
    if method != COMPUTING_METHOD:
        return None
    entries = read().entries_within(scope)
    notes = to_judge(question, entries, date.today())
    if not notes:
        return None
    sources = entries.sources([_first_told(note) for note in notes])
    texts = (_beginning(note) for note in notes)
    return NotesToJudge(Retrieval(COMPUTED, question, 0, "", 0, tuple(sources), (), (), 0.0), tuple(texts))


def _first_told(note: Sequence[NoteEntry]) -> NoteEntry:
    """Returns the first sentence of a note that is no heading, or else the heading."""
    return next((one for one in note if one.sentence.kind is not BlockKind.HEADING), note[0])


def _beginning(note: Sequence[NoteEntry]) -> str:
    """Returns the title of a note and its first sentences, a line each."""
    title = note[0].sentence.title
    lines = [" ".join(one.sentence.text.split()) for one in note]
    kept = "\n".join([title, *(line for line in lines if line != title)])
    return kept[:JUDGED_LETTERS]


def people_called(read: Callable[[], Reader], scope: Scope, first_name: str) -> list[str]:
    """Returns the full names of the people with a first name who have a page; arguments and errors as for `answered_by_computing`."""
    return read().entries_within(scope).namesakes(first_name)


@dataclass(frozen=True, slots=True)
class OverviewPassages:
    """Passages for an overview."""

    retrieval: Retrieval
    """The passages, best first, of the asked days alone if there are any."""
    days: tuple[date, ...]
    """The day of each passage if the question names days, else nothing."""


def passages_to_survey(
    read: Callable[[], Reader],
    search: Callable[[str, int], Retrieval],
    method: str,
    scope: Scope,
    budget_tokens: int,
    question: str,
) -> OverviewPassages | None:
    """Returns the passages for an overview of a time or theme; None if the question asks for something else, or nothing is found.

    Args:
        read: opens the vault.
        search: returns the passages for a question within a number of tokens, however far they are.
        method: name of the retrieval method that the user chose.
        scope: documents outside it are not looked at.
        budget_tokens: tokens of the passages of a usual question.
        question: the question in the user's own words.

    Raises:
        VaultMissing, NotFound, SettingsError: as for `Vault.search`.
    """
    asked = overview_asked(question, date.today()) if method == COMPUTING_METHOD else None
    if asked is None:
        return None
    found = search(question, OVERVIEW_BUDGETS * budget_tokens)
    if asked.days is None:
        return OverviewPassages(found, ()) if found.sources else None
    told: dict[tuple[str, str], list[NoteEntry]] = {}
    for one in read().entries_within(scope).on_days(asked.days):
        told.setdefault((one.sentence.path, one.sentence.title), []).append(one)
    days = {source: _day_of(source, told.get((source.path, source.title), ()), asked.days) for source in found.sources}
    kept = tuple(source for source, day in days.items() if day is not None)
    return OverviewPassages(replace(found, sources=kept), tuple(day for day in days.values() if day)) if kept else None


def _day_of(source: Source, entries: Sequence[NoteEntry], days: Days) -> date | None:
    """Returns the day of the first of some entries that a source holds; None if it holds none of them."""
    text = " ".join(source.text.split())
    held = (one for one in entries if " ".join(one.sentence.text.split()) in text)
    first = next(held, None)
    return None if first is None else first.day or days.first
