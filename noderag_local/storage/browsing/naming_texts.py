"""Reads what tells names from other words: sentences with the kind of their block, and what notes and links are called."""

from __future__ import annotations

import json
from collections.abc import Collection

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store

_TEXTS = "SELECT text, kind FROM sentences WHERE id IN (SELECT value FROM json_each(?)) AND kind <> ? ORDER BY id"
_CALLED = """
WITH asked AS (SELECT value AS name FROM json_each(?))
SELECT name FROM note_names WHERE name IN asked UNION SELECT name FROM note_links WHERE name IN asked
"""


class NamingTexts:
    """Reads `sentences`, `note_names` and `note_links`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def texts(self, sentences: Collection[int]) -> list[tuple[str, BlockKind]]:
        """Returns the texts of some sentences with the kind of their block, in reading order, without code."""
        rows = self._store.rows(_TEXTS, (json.dumps(sorted(sentences)), str(BlockKind.CODE)))
        return [(text, BlockKind(kind)) for text, kind in rows]

    def called(self, names: Collection[str]) -> set[str]:
        """Returns those of some names that a note has as its title, alias or file name, or that a link leads to.

        Args:
            names: names in the spelling of `extraction.rules.document_reading.note_key`.
        """
        rows = self._store.rows(_CALLED, (json.dumps([storable(name) for name in names]),))
        return {name for (name,) in rows}
