"""Chooses the table of the notes that a question is about: by its name, its columns, and the rows that a search finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.measures import asked_measures, measure_of
from noderag_local.aggregation.question_content import Stems, languages_of, stems_in_all, with_other_forms
from noderag_local.aggregation.question_phrases import other_forms, phrases, words_of
from noderag_local.aggregation.tables import tables_in
from noderag_local.aggregation.typed_tables import typed_tables
from noderag_local.domain.tables import TypedTable
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stopwords import stop_words

FEWEST_ROWS = 3
"""Rows of the smallest table that is worth a query."""
FIRST_FOUND = 8
"""Sentences at the top of a search among which a row shows that the question may be about its table."""
MOST_TITLED = 20
"""Documents whose names have words of the question beyond which these words tell nothing."""
_FOR_NAME, _FOR_COLUMN, _FOR_VALUE, _FOR_FOUND = 2.0, 1.0, 1.0, 1.0
"""Weights of a word of the question in a table's name, in a column and in a cell, and of a row at the top of the search."""
LEAST = 2.0
"""Least that a table must reach."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, read."""

    words: tuple[Stems, ...]
    """Stems of each word that matters."""
    measures: frozenset[str]

    def shared_with(self, text: str) -> set[int]:
        """Returns the positions of the words that a text has."""
        there = frozenset[str]().union(*map(stems_in_all, words_of(text.replace("_", " "))))
        return {at for at, stems in enumerate(self.words) if stems & there}


def asked_table(question: str, found: Sequence[int], entries: Entries, today: date) -> TypedTable | None:
    """Returns the table that a question is most likely about; None if it seems to be about none.

    Args:
        question: in the user's own words.
        found: nodes of the sentences that a search found for it, best first.
        entries: the notes.
        today: day that the question is asked on.
    """
    asked = _asked(question)
    place = {node: at for at, node in enumerate(found)}
    best, most = None, LEAST
    for table in typed_tables(tables_in(_documents(asked, found, entries), entries), today):
        weight = _weight(table, asked, place) if len(table.rows) >= FEWEST_ROWS else 0.0
        if weight >= most and (best is None or weight > most):
            best, most = table, weight
    return best


def _asked(question: str) -> _Asked:
    words, measures, stems = words_of(question), set[str](), dict[str, Stems]()
    for language in languages_of(question):
        known = phrases(language)
        measures |= set(asked_measures(words, known))
        passed = stop_words(language) | interrogatives(language) | known.single("ignored") | known.single("own")
        for word in words:
            if word not in passed and len(word) > 1:
                stems[word] = with_other_forms(word, stems_in_all(word), language, other_forms())
    return _Asked(tuple(stems.values()), frozenset(measures))


def _documents(asked: _Asked, found: Sequence[int], entries: Entries) -> list[int]:
    """The documents that the search found, and those whose name has a word of the question."""
    documents = set(entries.documents_of(found))
    for stems in asked.words:
        titled = entries.titled([stems])
        documents.update(one.id for one in titled if len(titled) <= MOST_TITLED)
    return sorted(documents)


def _weight(table: TypedTable, asked: _Asked, place: dict[int, int]) -> float:
    """Returns how much speaks for a table."""
    in_name = asked.shared_with(table.title)
    in_columns = set[int]().union(*(asked.shared_with(column.title) for column in table.columns)) - in_name
    in_cells = _shared_with_cells(table, asked) - in_name - in_columns
    measured = sum(measure_of(column.title) in asked.measures for column in table.columns)
    if not measured and 2 * len(in_name | in_columns | in_cells) < len(asked.words):
        # A long table has some word of nearly any question.
        return 0.0
    first = min((place[node] for node in table.nodes if node in place), default=FIRST_FOUND)
    rows = sum(node in place for node in table.nodes[: len(place)])
    shared = (
        _FOR_NAME * len(in_name) + _FOR_COLUMN * max(len(in_columns), min(measured, 1)) + _FOR_VALUE * len(in_cells)
    )
    # Among few notes a search finds rows of a table for any question.
    return shared + _FOR_FOUND * ((first < FIRST_FOUND) + (rows > 1)) if shared else 0.0


def _shared_with_cells(table: TypedTable, asked: _Asked) -> set[int]:
    texts: Iterable[str] = {cell for row in table.rows for cell in row if isinstance(cell, str)}
    return asked.shared_with(" ".join(texts))
