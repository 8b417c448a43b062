from __future__ import annotations

import numpy as np
import pytest
from helpers.small_documents import add, document, unit_rows

from noderag_local.domain.errors import StoreError
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.vectors.vectors import VectorRows


def test_vectors_come_back_as_float16_by_type(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote.", "Bob read."], ["Carol sang."]))
    sentences, chunks = TextRows(store).sentence_table().ids, TextRows(store).chunk_table().ids
    rows = unit_rows(5, 16, seed=1)
    VectorRows(store).put([*sentences, *chunks], rows)
    ids, matrix = VectorRows(store).matrix(NodeType.SENTENCE)
    assert ids.tolist() == sentences.tolist()
    assert matrix.dtype == np.float16
    assert (matrix == rows[:3].astype(np.float16)).all()
    ids, matrix = VectorRows(store).matrix(NodeType.TEXT)
    assert ids.tolist() == chunks.tolist()
    assert (matrix == rows[3:].astype(np.float16)).all()
    assert VectorRows(store).count() == 5


def test_a_chunk_is_missing_until_all_its_sentences_are_embedded(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote.", "Bob read."], ["Carol sang."]))
    chunks = TextRows(store).chunk_table().ids.tolist()
    sentences = TextRows(store).sentence_table().ids.tolist()
    vectors = VectorRows(store)
    assert vectors.missing_chunks() == chunks
    vectors.put([chunks[0], chunks[1], sentences[2]], unit_rows(3, 16, seed=1))
    assert vectors.missing_chunks() == chunks[:1]
    vectors.put(sentences[:2], unit_rows(2, 16, seed=2))
    assert vectors.missing_chunks() == []
    vectors.clear()
    assert vectors.missing_chunks() == chunks


def test_an_empty_vault_has_an_empty_matrix(store: Store) -> None:
    ids, matrix = VectorRows(store).matrix(NodeType.SENTENCE)
    assert (ids.shape, matrix.shape) == ((0,), (0, 0))


def test_ids_and_rows_must_match(store: Store) -> None:
    with pytest.raises(StoreError, match="2 ids for vectors of shape"):
        VectorRows(store).put([1, 2], unit_rows(3, 16, seed=1))


def test_vectors_of_another_length_are_refused(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."]))
    (sentence,), (chunk,) = TextRows(store).sentence_table().ids, TextRows(store).chunk_table().ids
    VectorRows(store).put([sentence], unit_rows(1, 16, seed=1))
    with pytest.raises(StoreError, match=r"8 numbers .* 16"):
        VectorRows(store).put([chunk], unit_rows(1, 8, seed=1))
    VectorRows(store).clear()
    VectorRows(store).put([chunk], unit_rows(1, 8, seed=1))


def test_a_vector_of_nothing_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        VectorRows(store).put([999], unit_rows(1, 8, seed=1))
    assert VectorRows(store).count() == 0
