"""The sentences at a place in a file, as sources that can be opened."""

from __future__ import annotations

from noderag_local.domain.passages import Source
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows


def sources_at(store: Store, path: str, line: int, place: str = "") -> tuple[Source, ...]:
    """The sentences that a line of a file holds; where it has no lines, and `line` is 0, those at a place."""
    overview = Overview(store)
    found = overview.sentences_at(path, line) if line else overview.sentences_placed(path, place)
    return tuple(TextRows(store).passages(found))
