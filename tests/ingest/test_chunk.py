"""Chunks hold whole sentences, all of them, in order and within bounds."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.documents import BlockKind, Passage, Sentence
from noderag_local.ingest.chunks.packing import ChunkSize, chunk_documents, pack
from noderag_local.ingest.chunks.parsed_document import Draft, DraftSentence

SIZE = ChunkSize(minimum=25, maximum=35)


def make(kinds: Sequence[tuple[bool, bool]]) -> list[DraftSentence]:
    made = []
    for position, (starts_block, heading) in enumerate(kinds):
        kind = BlockKind.HEADING if heading else BlockKind.PARAGRAPH
        passage = Passage(2 * position, 2 * position + 1, 2 * position, 2 * position + 1, 1, 1)
        sentence = Sentence(position, "x", kind, passage)
        made.append(DraftSentence(sentence, 2 * position, 2 * position + 1, (), starts_block or heading))
    return made


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 60)), max_size=60))
def test_chunks_cover_all_sentences_in_order_within_bounds(rows: list[tuple[bool, bool, int]]) -> None:
    tokens = [count for *_, count in rows]
    ranges = pack(make([(starts, heading) for starts, heading, _ in rows]), tokens, SIZE)
    assert [index for included in ranges for index in included] == list(range(len(rows)))
    for included in ranges:
        assert len(included) == 1 or sum(tokens[included.start : included.stop]) <= SIZE.maximum


def packed(*rows: tuple[str, int]) -> list[list[int]]:
    """Chunks of sentences given as (mark, tokens): "." goes on in its block, "¶" starts one, "#" is a heading."""
    sentences = make([(mark == "¶", mark == "#") for mark, _ in rows])
    return [list(included) for included in pack(sentences, [count for _, count in rows], SIZE)]


def test_a_chunk_goes_on_to_the_maximum_inside_a_block() -> None:
    assert packed(("¶", 10), (".", 10), (".", 10), (".", 10), (".", 20)) == [[0, 1, 2], [3, 4]]


def test_a_chunk_with_the_minimum_ends_where_a_block_ends() -> None:
    assert packed(("¶", 13), (".", 13), ("¶", 5), (".", 20), (".", 9)) == [[0, 1], [2, 3, 4]]


def test_a_heading_goes_with_what_follows() -> None:
    assert packed(("¶", 20), ("#", 3), ("¶", 20), (".", 10)) == [[0], [1, 2, 3]]


def test_a_small_rest_joins_the_last_chunk_where_it_fits() -> None:
    assert packed(("¶", 26), ("¶", 5)) == [[0, 1]]
    assert packed(("¶", 30), ("¶", 6)) == [[0], [1]]


def test_tokens_of_many_documents_are_counted_in_one_call() -> None:
    calls: list[list[str]] = []

    def count(texts: Sequence[str]) -> list[int]:
        calls.append(list(texts))
        return [30] * len(texts)

    draft = Draft("/a", 0, "", "utf-8", "", "a b c", tuple(make([(True, False)] * 3)))
    documents = chunk_documents([draft, draft], count, SIZE)
    assert calls == [["a", "b", "c"] * 2]
    assert [chunk.text for chunk in documents[1].chunks] == ["a", "b", "c"]
    assert [chunk.position for chunk in documents[1].chunks] == [0, 1, 2]
