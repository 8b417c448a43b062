from __future__ import annotations

import numpy as np
import pytest
from store.notes import add, document, linking_document

from noderag_local.records import BlockKind, Chunk, Document, Passage, Sentence, WikiLink
from noderag_local.store.database import Store
from noderag_local.store.texts import SentenceSpan, TextRows

A = document("/notes/a.md", ["Ada wrote to Bob.", "It was late."], ["Bob answered."], title="Letters")
B = document("/notes/b.md", ["Carol sang."], title="Songs")


def test_tables_are_in_the_order_of_the_ids(store: Store) -> None:
    first, second = add(store, A, B)
    texts = TextRows(store)
    sentences, chunks, documents = texts.sentence_table(), texts.chunk_table(), texts.document_table()
    assert sentences.ids.tolist() == sorted(sentences.ids.tolist())
    assert sentences.document_ids.tolist() == [first, first, first, second]
    assert sentences.positions.tolist() == [0, 1, 2, 0]
    assert sentences.tokens.tolist() == [4, 3, 2, 2]
    assert sentences.tokens.dtype == sentences.positions.dtype == np.int32
    assert sentences.chunk_ids.tolist() == np.repeat(chunks.ids, [2, 1, 1]).tolist()
    assert chunks.document_ids.tolist() == [first, first, second]
    assert chunks.positions.tolist() == [0, 1, 0]
    assert (documents.ids.tolist(), documents.titles) == ([first, second], ["Letters", "Songs"])


def test_an_empty_vault_has_empty_tables(store: Store) -> None:
    texts = TextRows(store)
    assert texts.sentence_table().ids.shape == texts.chunk_table().ids.shape == texts.document_table().ids.shape == (0,)
    assert list(texts.all_sentences()) == list(texts.iter_chunks()) == texts.passages([]) == []


def test_texts_come_in_the_order_asked_for(store: Store) -> None:
    add(store, A, B)
    texts = TextRows(store)
    ids = texts.sentence_table().ids
    assert texts.sentence_texts(ids[[3, 0, 3]]) == ["Carol sang.", "Ada wrote to Bob.", "Carol sang."]
    assert texts.chunk_texts(texts.chunk_table().ids[::-1]) == [
        "Carol sang.",
        "Bob answered.",
        "Ada wrote to Bob. It was late.",
    ]
    with pytest.raises(KeyError):
        texts.sentence_texts([999])


def test_more_ids_than_a_query_takes(store: Store) -> None:
    add(store, document("/notes/a.md", *([f"Number {n}."] for n in range(1300))))
    ids = TextRows(store).sentence_table().ids[::-1]
    assert TextRows(store).sentence_texts(ids) == [f"Number {n}." for n in reversed(range(1300))]
    assert [chunk.text for chunk in TextRows(store).iter_chunks()] == [f"Number {n}." for n in range(1300)]


def test_a_passage_says_where_its_sentence_stands(store: Store) -> None:
    add(store, A)
    ids = TextRows(store).sentence_table().ids
    (found,) = TextRows(store).passages(ids[2:])
    expected = A.chunks[1].sentences[0].passage
    assert (found.path, found.record, found.title, found.headings) == ("/notes/a.md", 0, "Letters", ("Top", "Part 1"))
    assert (found.first_line, found.last_line) == (expected.first_line, expected.last_line)
    assert (found.start_byte, found.end_byte) == (expected.start_byte, expected.end_byte)
    assert (found.sentence_id, found.text) == (ids[2], "Bob answered.")


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


class TestSpans:
    def test_offsets_of_the_file_where_the_chunk_is_verbatim(self, store: Store) -> None:
        text = "- *One* thing\n- another"
        chunk = self.chunk(text, Passage(100, 123, 100, 123, 9, 10), ("One thing", 102, 113), ("another", 116, 123))
        assert self.spans(store, chunk) == [("One thing", "*One* thing"), ("another", "another")]

    def test_by_search_where_passages_are_whole_records(self, store: Store) -> None:
        chunk = self.chunk(
            "Twice. Twice. Once.", Passage(0, 99, 0, 99, 1, 1), ("Twice.", 0, 99), ("Twice.", 0, 99), ("Once.", 0, 99)
        )
        add(store, Document("/notes/a.jsonl", 0, "", "utf-8", "00", (chunk,)))
        (found,) = TextRows(store).iter_chunks()
        assert [(span.start, span.end) for span in found.spans] == [(0, 6), (7, 13), (14, 19)]

    def test_empty_where_the_chunk_does_not_have_the_sentence(self, store: Store) -> None:
        chunk = self.chunk(
            "A **bold** word. End.", Passage(0, 99, 0, 99, 1, 1), ("A bold word.", 0, 99), ("End.", 0, 99)
        )
        assert self.spans(store, chunk) == [("A bold word.", ""), ("End.", "End.")]

    def chunk(self, text: str, passage: Passage, *sentences: tuple[str, int, int]) -> Chunk:
        read = tuple(
            Sentence(position, sentence, BlockKind.LIST_ITEM, Passage(start, end, start, end, 1, 1))
            for position, (sentence, start, end) in enumerate(sentences)
        )
        return Chunk(0, text, (), passage, read)

    def spans(self, store: Store, chunk: Chunk) -> list[tuple[str, str]]:
        """(sentence, its stretch of the chunk)"""
        add(store, Document("/notes/a.md", 0, "", "utf-8", "00", (chunk,)))
        (found,) = TextRows(store).iter_chunks()
        assert all(isinstance(span, SentenceSpan) for span in found.spans)
        return [(span.text, found.text[span.start : span.end]) for span in found.spans]
