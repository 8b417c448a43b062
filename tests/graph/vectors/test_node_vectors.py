"""Vectors of derived nodes and the similar edges among them, against numpy worked out slowly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.hand_made_graph import fill
from helpers.small_documents import DIMENSION, unit_rows, vector
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.vectors.node_embedding import NodeEmbeddingStep, missing_texts
from noderag_local.graph.vectors.similar_edges import SimilarEdgesStep, diverse, similar_pairs
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vectors import KeyedVectors, VectorRows, read_keyed_vectors


class TextVectors:
    """An embedder that gives each text a vector of its own."""

    name = "by text"
    dim = DIMENSION

    def __init__(self) -> None:
        self.read: list[str] = []

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        for place, one in enumerate(passages):
            self.read.append(one.text())
            yield {place: PassageVectors(vector(one.text()), np.stack([vector(text) for text in one.sentences]))}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """The notes by hand, their chunks and sentences embedded."""
    with Store.open(tmp_path / "vault", write=True) as opened:
        fill(opened)
        texts = [
            (number, text)
            for table in ("chunks", "sentences")
            for number, text in opened.rows(f"SELECT id, text FROM {table} ORDER BY id")
        ]
        VectorRows(opened).put([number for number, _ in texts], np.stack([vector(text) for _, text in texts]))
        yield opened


def run(step: NodeEmbeddingStep | SimilarEdgesStep, store: Store) -> None:
    step.run(store, lambda done, total: None, lambda: False)


def test_a_unit_of_one_sentence_has_its_vector_and_is_not_read(store: Store) -> None:
    model = TextVectors()
    step = NodeEmbeddingStep(lambda: model)
    assert step.needed(store)
    run(step, store)
    assert not step.needed(store)
    units, vectors = VectorRows(store).matrix(NodeType.SEMANTIC_UNIT)
    texts = GraphRows(store).names(units.tolist())
    for text, stored in zip(texts, vectors, strict=True):
        assert stored.astype(np.float32) == pytest.approx(vector(text), abs=2e-3)
    assert not set(texts) & set(model.read)


def test_a_unit_of_two_sentences_has_their_mean(store: Store) -> None:
    first, second = TextRows(store).sentence_table().ids[:2].tolist()
    (unit,) = GraphRows(store).put_nodes(NodeType.SEMANTIC_UNIT, [("both", "both")]).tolist()
    GraphRows(store).add_edges(EdgeType.PART, [unit, unit], [first, second], [1.0, 1.0])
    run(NodeEmbeddingStep(TextVectors), store)
    mean = sum(vector(text) for text in TextRows(store).sentence_texts([first, second]))
    ids, vectors = VectorRows(store).matrix(NodeType.SEMANTIC_UNIT)
    assert vectors[ids.tolist().index(unit)].astype(np.float32) == pytest.approx(mean / np.linalg.norm(mean), abs=2e-3)


def test_relationships_are_read_as_their_statements_and_attributes_as_they_are(store: Store) -> None:
    GraphRows(store).put_nodes(NodeType.ATTRIBUTE, [("marta", "Marta is a baker.")])
    assert "Marta moved to Porto" in [text for _, text in missing_texts(store, NodeType.RELATIONSHIP)]
    model = TextVectors()
    run(NodeEmbeddingStep(lambda: model), store)
    assert "Marta is a baker." in model.read


def test_only_what_is_missing_or_changed_is_read_again(store: Store) -> None:
    graph = GraphRows(store)
    graph.put_nodes(NodeType.ATTRIBUTE, [("marta", "Marta is a baker."), ("porto", "Porto is a city.")])
    run(NodeEmbeddingStep(TextVectors), store)
    graph.put_nodes(NodeType.ATTRIBUTE, [("marta", "Marta is a cook."), ("porto", "Porto is a city.")])
    model = TextVectors()
    run(NodeEmbeddingStep(lambda: model), store)
    assert model.read == ["Marta is a cook."]


class NoPorto(TextVectors):
    """The same, but it fails on texts about Porto."""

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        if any("Porto is" in one.text() for one in passages):
            raise IndexError
        yield from super().batches(passages)

    def questions(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([vector(text) for text in texts])


def test_a_text_on_which_the_model_fails_has_no_vector_until_it_changes(store: Store) -> None:
    graph = GraphRows(store)
    graph.put_nodes(NodeType.ATTRIBUTE, [("marta", "Marta is a baker."), ("porto", "Porto is a city.")])
    step = NodeEmbeddingStep(NoPorto)
    run(step, store)
    ids, _ = VectorRows(store).matrix(NodeType.ATTRIBUTE)
    assert graph.names(ids.tolist()) == ["Marta is a baker."]
    assert not step.needed(store)
    graph.put_nodes(NodeType.ATTRIBUTE, [("marta", "Marta is a baker."), ("porto", "A city.")])
    run(step, store)
    assert len(VectorRows(store).matrix(NodeType.ATTRIBUTE)[0]) == 2


def test_no_model_is_loaded_where_nothing_must_be_read(store: Store) -> None:
    run(NodeEmbeddingStep(TextVectors), store)
    units = VectorRows(store).matrix(NodeType.SEMANTIC_UNIT)[0]
    VectorRows(store).remove(units.tolist())

    def refuse() -> TextVectors:
        raise AssertionError("the model was loaded")

    run(NodeEmbeddingStep(refuse), store)
    assert VectorRows(store).matrix(NodeType.SEMANTIC_UNIT)[0].tolist() == units.tolist()


def test_dropping_leaves_what_was_there_before(store: Store) -> None:
    before = digest(store)
    embedding, similar = NodeEmbeddingStep(TextVectors), SimilarEdgesStep()
    run(embedding, store)
    assert similar.needed(store)
    run(similar, store)
    assert not similar.needed(store)
    assert len(GraphRows(store).edges(EdgeType.SIMILAR)[0])
    similar.drop(store)
    assert similar.needed(store)
    embedding.drop(store)
    assert digest(store) == before
    assert not similar.needed(store)


def test_a_text_and_what_was_made_of_it_are_not_joined_again(store: Store) -> None:
    run(NodeEmbeddingStep(TextVectors), store)
    run(SimilarEdgesStep(), store)
    texts, units, _ = GraphRows(store).edges(EdgeType.INSERTED)
    own = {tuple(sorted(pair)) for pair in zip(texts.tolist(), units.tolist(), strict=True)}
    sources, targets, weights = GraphRows(store).edges(EdgeType.SIMILAR)
    joined = set(zip(sources.tolist(), targets.tolist(), strict=True))
    assert joined
    assert not joined & own
    assert all(source < target for source, target in joined)
    assert (weights > 0).all()


def test_units_are_ordered_by_key_and_texts_in_reading_order(store: Store) -> None:
    run(NodeEmbeddingStep(TextVectors), store)
    found = read_keyed_vectors(store, [NodeType.TEXT, NodeType.SEMANTIC_UNIT, NodeType.HIGH_LEVEL_ELEMENT])
    ids, keys, _ = GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)
    by_key = [number for _, number in sorted(zip(keys, ids.tolist(), strict=True))]
    assert found.ids.tolist() == [*TextRows(store).chunk_table().ids.tolist(), *by_key]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 500))
def test_pruning_is_the_rule_of_hnsw(seed: int) -> None:
    vectors = unit_rows(30, 4, seed)
    cosines = vectors @ vectors.T
    neighbours = np.argsort(-cosines, axis=1, kind="stable")[:, 1:9]
    near = np.take_along_axis(cosines, neighbours, 1)
    found = diverse(vectors, neighbours, near)
    for row in range(len(vectors)):
        kept: list[int] = []
        for other in neighbours[row]:
            closer_to_kept = any(cosines[other, one] >= cosines[row, other] for one in kept)
            if cosines[row, other] > 0 and not closer_to_kept:
                kept.append(int(other))
        assert neighbours[row][found[row]].tolist() == kept


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 500))
def test_edges_are_the_same_whatever_the_ids(seed: int) -> None:
    vectors = unit_rows(60, 6, seed).astype(np.float16)
    ids = np.random.default_rng(seed).permutation(1000)[:60].astype(np.int64)
    kinds = (NodeType.SEMANTIC_UNIT,) * 60
    found = similar_pairs(KeyedVectors(np.arange(60), kinds, vectors), set())
    shuffled = similar_pairs(KeyedVectors(ids, kinds, vectors), set())
    assert found is not None
    assert shuffled is not None
    expected = {tuple(sorted((int(ids[a]), int(ids[b])))) for a, b in found[0]}
    assert {tuple(pair) for pair in shuffled[0].tolist()} == expected
