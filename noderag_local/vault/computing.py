"""Answers questions about many notes of a vault by computing, before any search."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

from noderag_local.aggregation.compute import computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.domain.passages import Retrieval, Scope
from noderag_local.generation.answering import Answer
from noderag_local.generation.computed_answers import COMPUTED, computed_answer
from noderag_local.retrieval.default.default_method import NodeRag
from noderag_local.retrieval.scope import documents_within
from noderag_local.vault.reader import Reader

COMPUTING_METHOD = NodeRag.name
"""The method that computes; whoever chooses another one wants to see what that one finds."""


def answered_by_computing(
    read: Callable[[], Reader], method: str, scope: Scope, short: bool, question: str
) -> Answer | None:
    """Returns the answer to a question that asks for a count, a sum, a day, an order or a list; None for any other question.

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
    opened: list[Entries] = []

    def entries() -> Entries:
        opened.append(_entries(read(), scope))
        return opened[0]

    found = computed(question, entries, date.today())
    if found is None:
        return None
    used: dict[int, NoteEntry] = {one.sentence.id: one for part in found.parts for one in part.entries}
    sources = opened[0].sources(list(used.values()))
    number_of = {sentence: source.number for sentence, source in zip(used, sources, strict=True)}
    elapsed = (time.perf_counter() - started) * 1000
    retrieval = Retrieval(COMPUTED, question, 0, "", 0, tuple(sources), (), (), elapsed)
    parts = [
        (part.text, list(dict.fromkeys(number_of[one.sentence.id] for one in part.entries))) for part in found.parts
    ]
    return computed_answer(parts, retrieval, found.note, short=short)


def _entries(reader: Reader, scope: Scope) -> Entries:
    if scope.is_everything:
        return reader.entries
    ids, chosen = documents_within(reader.store, scope)
    inside = frozenset(ids[chosen].tolist())
    return Entries(reader.store, reader.words, inside.__contains__)
