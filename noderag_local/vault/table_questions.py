"""Answers questions about a table of the notes with a query, after a search has shown which table may be meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from noderag_local.aggregation.asked_table import asked_table
from noderag_local.aggregation.question_content import with_days
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Retrieval, Scope, Source
from noderag_local.domain.tables import TypedTable
from noderag_local.generation.answering import Answer
from noderag_local.generation.computed_answers import COMPUTED, computed_answer
from noderag_local.generation.table_answers.table_answer import table_answer
from noderag_local.models.llm.engine import Completion, Engine
from noderag_local.system.printing.amounts import counted
from noderag_local.vault.computing import COMPUTING_METHOD
from noderag_local.vault.reader import Reader


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question that a table may answer."""

    question: str
    """With the days that its dates mean."""
    table: TypedTable
    found: Retrieval
    """What the search for the question found."""
    sources: Callable[[Sequence[int]], Sequence[Source]]
    """Returns sentences as numbered sources, by their nodes, in this order."""


def table_question(
    read: Callable[[], Reader],
    search: Callable[[str], Retrieval],
    method: str,
    scope: Scope,
    question: str,
) -> TableQuestion | None:
    """Returns the table that a question seems to be about, with the question; None for any other question.

    Args:
        read: opens the vault.
        search: finds the passages for a question.
        method: name of the retrieval method that the user chose.
        scope: documents outside it are not looked at.
        question: the question in the user's own words.

    Raises:
        VaultMissing, NotFound, SettingsError: as for `Vault.search`.
    """
    if method != COMPUTING_METHOD:
        return None
    entries, today = read().entries_within(scope), date.today()
    found = search(question)
    nodes = [one.node for one in found.ranked if one.type is NodeType.SENTENCE]
    table = asked_table(question, nodes, entries, today)
    return TableQuestion(with_days(question, today), table, found, entries.sources_of) if table else None


def answered_by_table(
    engine: Engine, asked: TableQuestion, cancelled: Callable[[], bool]
) -> tuple[Answer | None, Completion]:
    """Returns the answer from the table, None where the table does not tell, and what it cost.

    Args:
        engine: engine that writes the query.
        asked: the question and its table.
        cancelled: called many times a second; when it returns True, there is no answer.

    Raises:
        SettingsError, ModelError: as for `table_answer`.
    """
    told = table_answer(engine, asked.table, asked.question, date.today(), cancelled)
    if not told.lines:
        return None, told.completion
    nodes = list(dict.fromkeys(node for line in told.lines for node in line.nodes))
    sources = asked.sources(nodes)
    number_of = {node: source.number for node, source in zip(nodes, sources, strict=True)}
    retrieval = Retrieval(COMPUTED, asked.found.question, 0, "", 0, tuple(sources), (), (), asked.found.elapsed_ms)
    parts = [(line.text, [number_of[node] for node in line.nodes]) for line in told.lines]
    note = (
        f"Computed from {counted(len(nodes), 'rows')} of the table {asked.table.title!r}. "
        f"{_left_out(asked.table, told.query)}The language model, which may err, wrote the query: {told.query}"
    )
    answer = computed_answer(parts, retrieval, note, short=False)
    return replace(answer, model=engine.name, completion=told.completion), told.completion


def _left_out(table: TypedTable, query: str) -> str:
    """Returns a sentence about the cells that could not be computed with; "" if there are none."""
    cells = [
        f"{counted(one.unread, 'cells')} of {one.title}" for one in table.columns if one.unread and one.name in query
    ]
    return f"Left out, as they hold no single number or day: {', '.join(cells)}. " if cells else ""
