"""Computes one hash over a vault's content, without ids: the same notes give the same hash, in whatever order they came."""

from __future__ import annotations

import hashlib

from noderag_local.storage.database.columns import day_column, place_column
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fulltext import VOCABULARIES
from noderag_local.storage.graph.edge_letters import LETTERS, UNDIRECTED
from noderag_local.storage.graph.merged_names import HAS_MERGES

_NAMED = """
CREATE TEMP TABLE named AS
SELECT id, 'D ' || hex(path) || ' ' || record AS name FROM placed_documents
UNION ALL SELECT c.id, 'T ' || hex(path) || ' ' || record || ' ' || c.position
  FROM chunks c JOIN placed_documents d ON d.id = c.document_id
UNION ALL SELECT s.id, 'X ' || hex(path) || ' ' || record || ' ' || c.position || ' ' || s.position
  FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN placed_documents d ON d.id = c.document_id
UNION ALL SELECT id, type || ' ' || key FROM nodes WHERE key IS NOT NULL
"""
# A node without a key is identified by its chunks, or by its text and the nodes that it describes or contains.
_NAMED_BY_FRAGMENTS = """
INSERT INTO temp.named (id, name)
SELECT id, type || ' ' || group_concat(place, char(10)) FROM (
  SELECT nodes.id, nodes.type, named.name || ' ' || position AS place
  FROM nodes JOIN fragments ON node_id = nodes.id JOIN temp.named ON named.id = chunk_id
  WHERE nodes.key IS NULL AND nodes.id NOT IN (SELECT id FROM temp.named) ORDER BY nodes.id, place
) GROUP BY id
"""
_NAMED_BY_OTHERS = """
INSERT INTO temp.named (id, name)
SELECT id, type || ' ' || coalesce(text, '') || char(10) || coalesce(group_concat(place, char(10)), '') FROM (
  SELECT nodes.id, nodes.type, nodes.name AS text, named.name AS place
  FROM nodes LEFT JOIN edges ON source = nodes.id AND edges.type IN ('d', 'c') LEFT JOIN temp.named ON named.id = target
  WHERE nodes.type IN ({types}) AND nodes.id NOT IN (SELECT id FROM temp.named) ORDER BY nodes.id, place
) GROUP BY id
"""
_PREPARED = (
    "DROP VIEW IF EXISTS temp.placed_documents",
    "CREATE TEMP VIEW placed_documents AS"
    " SELECT d.id, f.path, d.record FROM main.documents d JOIN main.files f ON f.id = d.file_id",
    "DROP TABLE IF EXISTS temp.named",
    _NAMED,
    "CREATE UNIQUE INDEX temp.named_by_id ON named (id)",
    _NAMED_BY_FRAGMENTS,
    # Communities contain attributes, so attributes are named first.
    _NAMED_BY_OTHERS.format(types="'S', 'R', 'A', 'H', 'O'"),
    _NAMED_BY_OTHERS.format(types="'C'"),
)
_UNDIRECTED = ", ".join(sorted(f"'{LETTERS[kind]}'" for kind in UNDIRECTED))
_CONTENT = (
    "SELECT path, root, by_lines, complete FROM files ORDER BY path",
    "SELECT named.name, title, encoding, content_hash, tags, aliases, {day} FROM documents d JOIN named USING (id) ORDER BY 1",
    "SELECT named.name, text, headings, label, bigrams, start_char, end_char, start_byte, end_byte, first_line, last_line, {place}"
    " FROM chunks JOIN named USING (id) ORDER BY 1",
    "SELECT named.name, text, kind, links, tags, tokens, start_char, end_char, start_byte, end_byte, first_line, last_line, {place}"
    " FROM sentences JOIN named USING (id) ORDER BY 1",
    "SELECT type, key, nodes.name, named.name FROM nodes LEFT JOIN named USING (id) ORDER BY 1, 2, 4",
    "SELECT named.name, vector FROM embeddings LEFT JOIN named ON named.id = node_id ORDER BY 1",
    # These types have no direction; which end is the source depends on the ids.
    "SELECT edges.type, min(s.name, t.name), max(s.name, t.name), weight FROM edges JOIN named s ON s.id = source"
    f" JOIN named t ON t.id = target WHERE edges.type IN ({_UNDIRECTED}) ORDER BY 1, 2, 3",
    "SELECT edges.type, s.name, t.name, weight FROM edges LEFT JOIN named s ON s.id = source"
    f" LEFT JOIN named t ON t.id = target WHERE edges.type NOT IN ({_UNDIRECTED}) ORDER BY 1, 2, 3",
    "SELECT chunk.name, node.name, position, text FROM fragments LEFT JOIN named chunk ON chunk.id = chunk_id"
    " LEFT JOIN named node ON node.id = node_id ORDER BY 1, 3, 2, 4",
    # Error messages are left out: they come from a server, not from the notes.
    "SELECT stage, named.name, model, prompt, input_hash, status, accepted, rejected"
    " FROM work_items LEFT JOIN named ON named.id = node_id ORDER BY 1, 2",
    "SELECT term, col, offset, named.name FROM temp.words_of_chunks LEFT JOIN named ON named.id = doc ORDER BY 1, 2, 3, 4",
    "SELECT term, offset, named.name FROM temp.words_of_entities LEFT JOIN named ON named.id = doc ORDER BY 1, 2, 3",
)
_ENDS = "JOIN named a ON a.id = {first} JOIN named b ON b.id = {second}"
_MERGES = (
    "SELECT min(a.name, b.name), max(a.name, b.name), rule FROM same_names"
    f" {_ENDS.format(first='first', second='second')} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    "SELECT min(a.name, b.name), max(a.name, b.name), same FROM name_decisions"
    f" {_ENDS.format(first='first', second='second')} ORDER BY 1, 2",
    f"SELECT a.name, b.name FROM merged_names {_ENDS.format(first='node_id', second='into_id')} ORDER BY 1",
)


def digest(store: Store) -> str:
    """Returns the hexadecimal SHA-256 of all documents, graph, merged names, vectors, work items and full-text indexes."""
    store.make_temporary((*_PREPARED, *VOCABULARIES))
    hashed = hashlib.sha256()
    place, day = place_column(store), day_column(store)
    for query in (*_CONTENT, *(_MERGES if store.value(HAS_MERGES) else ())):
        for row in store.rows(query.format(place=place, day=day)):
            hashed.update(repr(row).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()
