"""What gives a file away wherever it is quoted: its sentences, and the names that stand in no other."""

from __future__ import annotations

import json
from collections.abc import Collection

from noderag_local.store.database import Store

_OWN = """
SELECT sentences.id FROM sentences JOIN chunks ON chunks.id = chunk_id JOIN documents ON documents.id = document_id
WHERE file_id IN (SELECT value FROM json_each(?1))
"""
_SENTENCES = f"SELECT text FROM sentences WHERE id IN ({_OWN})"
_TITLES = "SELECT title FROM documents WHERE title <> '' AND file_id IN (SELECT value FROM json_each(?1))"
_NAMES = f"""
SELECT name FROM nodes WHERE id IN (SELECT target FROM edges WHERE type IN ('m', 'k', 'r') AND source IN ({_OWN}))
  AND id NOT IN (SELECT target FROM edges WHERE type IN ('m', 'k', 'r') AND source NOT IN ({_OWN}))
"""


def telltales(store: Store, file_ids: Collection[int]) -> frozenset[str]:
    """Sentences and titles of some files, and the entities and keywords that no other file has."""
    files = (json.dumps(list(file_ids)),)
    return frozenset(text for sql in (_SENTENCES, _TITLES, _NAMES) for (text,) in store.rows(sql, files))
