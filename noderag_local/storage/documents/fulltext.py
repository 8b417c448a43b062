"""Searches chunks by their words, ranked by BM25."""

from __future__ import annotations

import json
from collections.abc import Collection

from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.bigrams import bigrams
from noderag_local.storage.documents.fts_query import any_word, labelled, words_begun

TEXT_WEIGHT, LABEL_WEIGHT, BIGRAMS_WEIGHT = 1.0, 1.0, 1.0

_SEARCH = f"""
SELECT rowid, -bm25(chunk_words, {TEXT_WEIGHT}, {LABEL_WEIGHT}, {BIGRAMS_WEIGHT}) AS score
FROM chunk_words WHERE chunk_words MATCH ? ORDER BY score DESC, rowid LIMIT ?
"""
_BEGUN = """
SELECT id, document_id FROM (
  SELECT rowid AS chunk, rank AS score FROM chunk_words WHERE chunk_words MATCH ? {within} ORDER BY rank, rowid LIMIT ?
) JOIN chunks ON id = chunk ORDER BY score, id
"""
# The sign + keeps SQLite from looking up each of these rows in the index one by one, which took 27 s for 10,000 documents.
_WITHIN = "AND +rowid IN (SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?)))"
_LABELLED = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? ORDER BY rowid"
_LABELLED_UNSPACED = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? AND instr(label, ?) ORDER BY rowid"
_DISTINCT_WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.distinct_words USING fts5vocab('main', 'chunk_words', 'row')"
_WORDS = "SELECT term FROM temp.distinct_words WHERE length(term) >= ? ORDER BY term"
_WORDS_OF_LETTER = """
SELECT term FROM temp.distinct_words WHERE term >= ?1 AND term < ?1 || char(0x10FFFF) AND length(term) >= ?2 ORDER BY term
"""
_WORDS_HELD = "SELECT term FROM temp.distinct_words WHERE term IN (SELECT value FROM json_each(?))"
VOCABULARIES = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_chunks USING fts5vocab('main', 'chunk_words', 'instance')",
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_entities USING fts5vocab('main', 'entity_names', 'instance')",
)
"""Temporary tables with each word of the two indexes, its row (`doc`), column and offset; readers can create them, too."""


def distinct_words(store: Store, shortest: int, letter: str = "") -> list[str]:
    """Returns the words that some chunk, title or heading has, as the index folds them, ascending; the time grows with their number.

    Args:
        store: the vault, open for reading or writing.
        shortest: fewest characters of a word.
        letter: the first letter of the words; "" for all words.
    """
    store.make_temporary((_DISTINCT_WORDS,))
    rows = store.rows(_WORDS_OF_LETTER, (letter, shortest)) if letter else store.rows(_WORDS, (shortest,))
    return [word for (word,) in rows]


def words_held(store: Store, words: Collection[str]) -> frozenset[str]:
    """Returns which of some words a chunk, title or heading has, by one look-up for each, whatever the size of the vault.

    Args:
        store: the vault, open for reading or writing.
        words: words as the index folds them.
    """
    store.make_temporary((_DISTINCT_WORDS,))
    return frozenset(word for (word,) in store.rows(_WORDS_HELD, (json.dumps(list(words)),)))


def labelled_chunks(store: Store, word: str, stems: Collection[str]) -> list[int]:
    """Returns the ids, ascending, of the chunks whose title or headings contain a word; arguments as for `fts_query.labelled`."""
    query = labelled(word, stems)
    if not query:
        return []
    rows = store.rows(_LABELLED_UNSPACED, (query, word)) if bigrams(word) else store.rows(_LABELLED, (query,))
    return [number for (number,) in rows]


def search_chunks(store: Store, question: str, limit: int) -> list[tuple[int, float]]:
    """Finds the chunks that share words with a question.

    Args:
        store: the vault, open for reading or writing.
        question: any text that a user types.
        limit: maximal number of chunks to return.

    Returns:
        Pairs (chunk id, BM25 score), highest score first, ties by id.
    """
    query = any_word(question)
    return [(number, score) for number, score in store.rows(_SEARCH, (query, limit))] if query else []


def chunks_begun(
    store: Store, text: str, limit: int, documents: Collection[int] | None = None
) -> list[tuple[int, int]]:
    """Finds the chunks that have, for each word of a text, a word that begins with it, as a search needs it while one types.

    Args:
        store: the vault, open for reading or writing.
        text: any text that a user types.
        limit: maximal number of chunks to return.
        documents: ids of the documents to search in; None for all.

    Returns:
        Pairs (chunk id, id of its document), best BM25 score first, ties by chunk id.
    """
    query = words_begun(text)
    if not query:
        return []
    if documents is None:
        return store.rows(_BEGUN.format(within=""), (query, limit))
    return store.rows(_BEGUN.format(within=_WITHIN), (query, json.dumps(list(documents)), limit))
