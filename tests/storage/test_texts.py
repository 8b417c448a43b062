from __future__ import annotations

import numpy as np
import pytest
from helpers.small_documents import add, document, linking_document

from noderag_local.domain.documents import WikiLink
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows

A = document("/notes/a.md", ["Ada wrote to Bob.", "It was late."], ["Bob answered."], title="Letters")
B = document("/notes/b.md", ["Carol sang."], title="Songs")


def test_tables_are_in_the_order_of_the_ids(store: Store) -> None:
    first, second = add(store, A, B)
    texts = TextRows(store)
    sentences, chunks = texts.sentence_table(), texts.chunk_table()
    assert sentences.ids.tolist() == sorted(sentences.ids.tolist())
    assert sentences.document_ids.tolist() == [first, first, first, second]
    assert sentences.positions.tolist() == [0, 1, 2, 0]
    assert sentences.tokens.tolist() == [4, 3, 2, 2]
    assert sentences.tokens.dtype == sentences.positions.dtype == np.int32
    assert sentences.chunk_ids.tolist() == np.repeat(chunks.ids, [2, 1, 1]).tolist()
    assert chunks.document_ids.tolist() == [first, first, second]
    assert chunks.positions.tolist() == [0, 1, 0]


def test_an_empty_vault_has_empty_tables(store: Store) -> None:
    texts = TextRows(store)
    assert texts.sentence_table().ids.shape == texts.chunk_table().ids.shape == (0,)
    assert list(texts.all_sentences()) == texts.passages([]) == []


def test_texts_come_in_the_order_asked_for(store: Store) -> None:
    add(store, A, B)
    texts = TextRows(store)
    ids = texts.sentence_table().ids
    assert texts.sentence_texts(ids[[3, 0, 3]]) == ["Carol sang.", "Ada wrote to Bob.", "Carol sang."]
    with pytest.raises(KeyError):
        texts.sentence_texts([999])


def test_more_ids_than_a_query_takes(store: Store) -> None:
    add(store, document("/notes/a.md", *([f"Number {n}."] for n in range(1300))))
    ids = TextRows(store).sentence_table().ids[::-1]
    assert TextRows(store).sentence_texts(ids) == [f"Number {n}." for n in reversed(range(1300))]


def test_a_passage_says_where_its_sentence_stands(store: Store) -> None:
    add(store, A)
    ids = TextRows(store).sentence_table().ids
    (found,) = TextRows(store).passages(ids[2:])
    expected = A.chunks[1].sentences[0].passage
    assert (found.path, found.record, found.title, found.headings) == ("/notes/a.md", 0, "Letters", ("Top", "Part 1"))
    assert (found.first_line, found.last_line) == (expected.first_line, expected.last_line)
    assert (found.start_byte, found.end_byte) == (expected.start_byte, expected.end_byte)
    assert (found.number, found.text) == (0, "Bob answered.")


def test_documents_come_back_as_they_were(store: Store) -> None:
    linking = linking_document("/notes/c.md", "See the list.", WikiLink("list", "the list"), WikiLink("b", "b"))
    add(store, A, linking)
    first, second = TextRows(store).all_sentences()
    assert (first.path, first.record, first.title, first.tags, first.aliases) == (
        "/notes/a.md",
        0,
        "Letters",
        ("tag",),
        ("other name",),
    )
    assert [chunk.sentences for chunk in first.chunks] == [chunk.sentences for chunk in A.chunks]
    assert [chunk.headings for chunk in first.chunks] == [("Top", "Part 0"), ("Top", "Part 1")]
    assert first.sentences == [sentence for chunk in A.chunks for sentence in chunk.sentences]
    assert second.sentences == list(linking.chunks[0].sentences)
