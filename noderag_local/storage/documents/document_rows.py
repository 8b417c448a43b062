"""Writes and removes whole documents with their chunks and sentences."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence

from noderag_local.domain.documents import Chunk, Document, Sentence
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Row, Store
from noderag_local.storage.documents.bigrams import bigrams
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.graph.derived import derived_from_gone, list_gone, remove_derived, remove_edges_of_gone
from noderag_local.storage.graph.edge_letters import BY_TARGET
from noderag_local.system.printing.plain_text import printable

_INSERT_NODE = "INSERT INTO nodes (id, type) VALUES (?, ?)"
_INSERT_DOCUMENT = """
INSERT INTO documents (id, file_id, record, title, encoding, content_hash, tags, aliases, day) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_CHUNK = """
INSERT INTO chunks (id, document_id, position, text, headings, label, bigrams,
  start_char, end_char, start_byte, end_byte, first_line, last_line, place)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_SENTENCE = """
INSERT INTO sentences (id, chunk_id, position, text, kind, links, tags, tokens,
  start_char, end_char, start_byte, end_byte, first_line, last_line, place)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

_INDEX_WORDS = """
INSERT INTO chunk_words (rowid, text, label, bigrams) SELECT id, text, label, bigrams FROM chunks WHERE id >= ?
"""

_OWNED = """
SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?1))
UNION ALL SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?1))
UNION ALL SELECT sentences.id FROM sentences JOIN chunks ON chunks.id = sentences.chunk_id
  WHERE document_id IN (SELECT value FROM json_each(?1))
"""
_REMOVE = (
    "INSERT INTO chunk_words (chunk_words, rowid, text, label, bigrams)"
    " SELECT 'delete', id, text, label, bigrams FROM chunks WHERE id IN temp.gone",
    "DELETE FROM embeddings WHERE node_id IN temp.gone",
    "DELETE FROM coming_embeddings WHERE node_id IN temp.gone",
    "DELETE FROM sentences WHERE id IN temp.gone",
    "DELETE FROM chunks WHERE id IN temp.gone",
    "DELETE FROM documents WHERE id IN temp.gone",
    "DELETE FROM nodes WHERE id IN temp.gone",
)


class DocumentRows:
    """Writes the tables `documents`, `chunks` and `sentences`, and the nodes with the same ids.

    Ids ascend in reading order: a document, its first chunk, that chunk's sentences, its second chunk …
    The store must be open for writing: its lock makes sure that no other process takes the next free id.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, file_id: int, documents: Sequence[Document], sentence_tokens: Sequence[int]) -> list[int]:
        """Writes documents with their chunks and sentences.

        Args:
            file_id: id from `FileRows.begin`.
            documents: documents of the file; none of their record numbers may be stored already.
            sentence_tokens: number of tokens of each sentence of all documents, in reading order.

        Returns:
            Ids of the documents.

        Raises:
            ValueError: there are not as many counts as sentences.
        """
        sentences = sum(len(chunk.sentences) for document in documents for chunk in document.chunks)
        if sentences != len(sentence_tokens):
            raise ValueError(f"{len(sentence_tokens)} token counts for {sentences} sentences; one each is needed")
        with self._store.transaction():
            self._store.touch()
            next_id = self._store.next_node_id()
            rows = _Rows(file_id, next_id, sentence_tokens)
            for document in documents:
                rows.take(document)
            self._store.run_many(_INSERT_NODE, rows.nodes)
            self._store.run_many(_INSERT_DOCUMENT, rows.documents)
            self._store.run_many(_INSERT_CHUNK, rows.chunks)
            self._store.run_many(_INSERT_SENTENCE, rows.sentences)
            self._store.run(_INDEX_WORDS, (next_id,))
        return [row[0] for row in rows.documents]

    def records(self, file_id: int) -> dict[int, tuple[int, str]]:
        """Returns record number -> (document id, content hash) for all documents of a file."""
        rows = self._store.rows(
            "SELECT record, id, content_hash FROM documents WHERE file_id = ? ORDER BY record", (file_id,)
        )
        return {record: (number, content_hash) for record, number, content_hash in rows}

    def remove(self, document_ids: Collection[int]) -> None:
        """Removes documents with their chunks, sentences, edges, embeddings and words of the full-text index.

        Also removes what a language model made from their chunks alone, and all summaries that used these chunks.
        Entities and keywords that no text mentions any more are removed by `GraphRows.drop_orphans`.
        """
        if not document_ids:
            return
        with self._store.transaction():
            self._store.touch()
            self._store.forget_words(len(document_ids))
            list_gone(self._store, _OWNED, (json.dumps(list(document_ids)),))
            derived = derived_from_gone(self._store)
            unwrite_gone(self._store)
            remove_edges_of_gone(self._store)
            for statement in _REMOVE:
                self._store.run(statement)
            remove_derived(self._store, derived)

    def set_tokens(self, counts: Iterable[tuple[int, int]]) -> None:
        """Replaces the token counts of sentences, after a change of tokenizer.

        Args:
            counts: pairs (sentence id, number of tokens).
        """
        with self._store.transaction():
            self._store.touch()
            self._store.run_many(
                "UPDATE sentences SET tokens = ? WHERE id = ?", ((tokens, number) for number, tokens in counts)
            )


class _Rows:
    """Collects the rows of one call of `add` and numbers them in reading order."""

    def __init__(self, file_id: int, next_id: int, sentence_tokens: Sequence[int]) -> None:
        self._file_id = file_id
        self._next_id = next_id
        self._tokens: Iterator[int] = iter(sentence_tokens)
        self.nodes: list[Row] = []
        self.documents: list[Row] = []
        self.chunks: list[Row] = []
        self.sentences: list[Row] = []

    def take(self, document: Document) -> None:
        number = self._number(NodeType.DOCUMENT)
        self.documents.append(
            (
                number,
                self._file_id,
                document.record,
                storable(document.title),
                document.encoding,
                document.content_hash,
                _json_list(document.tags),
                _json_list(document.aliases),
                document.day,
            )
        )
        for chunk in document.chunks:
            self._take_chunk(number, document.title, chunk)

    def _take_chunk(self, document_id: int, title: str, chunk: Chunk) -> None:
        number = self._number(NodeType.TEXT)
        text = storable(chunk.text)
        label = storable(" ".join((title, *chunk.headings, *_as_seen(chunk.text))).strip())
        passage = chunk.passage
        self.chunks.append(
            (
                number,
                document_id,
                chunk.position,
                text,
                storable("\n".join(chunk.headings)),
                label,
                " ".join(bigrams(f"{label} {text}")),
                passage.start,
                passage.end,
                passage.start_byte,
                passage.end_byte,
                passage.first_line,
                passage.last_line,
                storable(passage.place),
            )
        )
        for sentence in chunk.sentences:
            self._take_sentence(number, sentence)

    def _take_sentence(self, chunk_id: int, sentence: Sentence) -> None:
        passage = sentence.passage
        self.sentences.append(
            (
                self._number(NodeType.SENTENCE),
                chunk_id,
                sentence.position,
                storable(sentence.text),
                str(sentence.kind),
                _json_list([(link.target, link.label) for link in sentence.links]) if sentence.links else "",
                _json_list(sentence.tags) if sentence.tags else "",
                next(self._tokens),
                passage.start,
                passage.end,
                passage.start_byte,
                passage.end_byte,
                passage.first_line,
                passage.last_line,
                storable(passage.place),
            )
        )

    def _number(self, kind: NodeType) -> int:
        number = self._next_id
        self._next_id += 1
        self.nodes.append((number, str(kind)))
        return number


def _as_seen(text: str) -> list[str]:
    """Returns the words of a text that contain invisible characters, without these characters, for the full-text index."""
    if printable(text) == text:
        return []
    return [seen for word in text.split() if (seen := printable(word)) != word and seen]


def _json_list(items: Sequence[object]) -> str:
    return json.dumps(items) if items else "[]"


# Whether a community has a text by the model, or a work item, which keeps a rejected text in the cache of calls.
_ANY_WRITTEN = """
SELECT EXISTS (SELECT 1 FROM nodes WHERE type = 'G' AND key IS NOT NULL AND name <> '')
  OR EXISTS (SELECT 1 FROM nodes JOIN work_items ON node_id = id WHERE type = 'G' AND key IS NOT NULL)
"""
_NAMED = "SELECT target FROM edges WHERE type IN ('m', 'r', 'u') AND source IN temp.gone"
_TOUCHED = f"""
SELECT source FROM {BY_TARGET} AND type = 'g' AND target IN ({_NAMED})
UNION SELECT source FROM {BY_TARGET} AND type = 'q' AND target IN temp.gone
"""


def unwrite_gone(store: Store) -> None:
    """Removes each community's text that used a sentence in `temp.gone`, and the texts of all communities above it.

    A community's text uses the sentences chosen for it and those that mention one of its entities. Call this before the edges
    of the sentences are removed, in the same transaction. It also removes the work items, so that the next enrichment writes the
    texts again.
    """
    if not store.value(_ANY_WRITTEN):
        return
    rows = AttributedRows(store)
    own = [number for (number,) in store.rows(_TOUCHED)]
    touched = [*own, *rows.above(own)]
    rows.unwrite(touched)
    rows.forget_items(touched)
