"""What a vault says, as one hash that knows nothing of ids: two ways to the same notes must give the same."""

from __future__ import annotations

import hashlib

from noderag_local.store.database import Store
from noderag_local.store.fulltext import VOCABULARIES

_NAMED = """
CREATE TEMP TABLE named AS
SELECT id, 'D ' || hex(path) || ' ' || record AS name FROM placed_documents
UNION ALL SELECT c.id, 'T ' || hex(path) || ' ' || record || ' ' || c.position
  FROM chunks c JOIN placed_documents d ON d.id = c.document_id
UNION ALL SELECT s.id, 'X ' || hex(path) || ' ' || record || ' ' || c.position || ' ' || s.position
  FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN placed_documents d ON d.id = c.document_id
UNION ALL SELECT id, type || ' ' || key FROM nodes WHERE key IS NOT NULL
"""
_PREPARED = (
    "DROP VIEW IF EXISTS temp.placed_documents",
    "CREATE TEMP VIEW placed_documents AS"
    " SELECT d.id, f.path, d.record FROM main.documents d JOIN main.files f ON f.id = d.file_id",
    "DROP TABLE IF EXISTS temp.named",
    _NAMED,
    "CREATE UNIQUE INDEX temp.named_by_id ON named (id)",
)
_CONTENT = (
    "SELECT path, root, by_lines, complete FROM files ORDER BY path",
    "SELECT named.name, title, encoding, content_hash, tags, aliases FROM documents JOIN named USING (id) ORDER BY 1",
    "SELECT named.name, text, headings, label, bigrams, start_char, end_char, start_byte, end_byte, first_line, last_line"
    " FROM chunks JOIN named USING (id) ORDER BY 1",
    "SELECT named.name, text, kind, links, tags, tokens, start_char, end_char, start_byte, end_byte, first_line, last_line"
    " FROM sentences JOIN named USING (id) ORDER BY 1",
    "SELECT type, key, nodes.name, named.name FROM nodes LEFT JOIN named USING (id) ORDER BY 1, 2, 4",
    "SELECT named.name, vector FROM embeddings LEFT JOIN named ON named.id = node_id ORDER BY 1",
    # These two types have no direction; which end is the source depends on the ids.
    "SELECT edges.type, min(s.name, t.name), max(s.name, t.name), weight FROM edges JOIN named s ON s.id = source"
    " JOIN named t ON t.id = target WHERE edges.type IN ('s', 'a') ORDER BY 1, 2, 3",
    "SELECT edges.type, s.name, t.name, weight FROM edges LEFT JOIN named s ON s.id = source"
    " LEFT JOIN named t ON t.id = target WHERE edges.type NOT IN ('s', 'a') ORDER BY 1, 2, 3",
    "SELECT term, col, offset, named.name FROM temp.words_of_chunks LEFT JOIN named ON named.id = doc ORDER BY 1, 2, 3, 4",
    "SELECT term, offset, named.name FROM temp.words_of_entities LEFT JOIN named ON named.id = doc ORDER BY 1, 2, 3",
)


def digest(store: Store) -> str:
    """SHA-256, hexadecimal, of all documents with their graph, vectors and full-text indexes."""
    store.make_temporary((*_PREPARED, *VOCABULARIES))
    hashed = hashlib.sha256()
    for query in _CONTENT:
        for row in store.rows(query):
            hashed.update(repr(row).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()
