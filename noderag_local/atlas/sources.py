"""Sentences as sources that can be opened."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.records import Source
from noderag_local.store.database import Store
from noderag_local.store.overview import Overview
from noderag_local.store.texts import StoredPassage, TextRows


def sources(passages: Sequence[StoredPassage]) -> tuple[Source, ...]:
    """One for each, with the number 0: they stand in no context."""
    return tuple(passage.as_source() for passage in passages)


def sources_at(store: Store, path: str, line: int) -> tuple[Source, ...]:
    """The sentences that a line of a file holds."""
    return sources(TextRows(store).passages(Overview(store).sentences_at(path, line)))
