"""KET-RAG: the graph of chunks, the keyword channel, the skeleton, and what a scope leaves of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
import pytest
from helpers import musique
from numpy.typing import NDArray

from noderag_local.config import load_settings
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Scope
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.papers.ketrag.keyword_channel import keyword_parts, keyword_scores
from noderag_local.papers.ketrag.skeleton_channel import (
    BY_LOT,
    BY_PAGERANK,
    CoreParameters,
    chunk_neighbours,
    core_chunks,
    local_evidence,
    ranked_chunks,
)
from noderag_local.papers.ketrag.sub_chunks import EQUAL_PARTS, SENTENCES, parts_of, sub_chunks
from noderag_local.retrieval.closeness import sentence_cosines
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

QUESTION = "Who is the spouse of Big Eye's main director?"


@pytest.fixture(scope="module")
def search_context(vault: Vault) -> Iterator[SearchContext]:
    """What the methods search in, over the excerpt of MuSiQue."""
    with Store.open(vault.folder, write=False) as store:
        reader, encoder = Reader(store, load_settings()), QuestionEncoder()
        yield SearchContext(
            store,
            lambda: reader.graph_arrays,
            lambda: reader.search_arrays,
            lambda: pytest.fail("no method of KET-RAG walks over the full graph"),
            lambda kind: VectorIndex.open(store, kind),
            encoder.encode_all,
            None,
        )


@pytest.fixture(scope="module")
def cosines(search_context: SearchContext) -> NDArray[np.float32]:
    return sentence_cosines(search_context, search_context.encode(QUESTION))


def test_chunks_are_joined_to_the_one_with_most_shared_words_and_to_the_nearest_other(
    search_context: SearchContext,
) -> None:
    arrays = search_context.graph_arrays()
    near = search_context.layer(chunk_neighbours, 2, 0.1).toarray()
    assert (near == near.T).all()
    assert not near.diagonal().any()
    assert set(np.unique(near)) == {0.0, 1.0}
    words = np.zeros((len(arrays.chunks), len(arrays.keywords)))
    np.maximum.at(words, arrays.chunk_of, arrays.keyword_edges.toarray())
    words = words[:, words.sum(axis=0) <= max(2, 0.1 * len(words))]
    alike = arrays.chunk_vectors @ arrays.chunk_vectors.T
    for chunk in range(len(near)):
        shared = words @ words[chunk]
        shared[chunk] = alike[chunk, chunk] = 0
        alike[chunk, shared.argmax()] = 0
        assert near[chunk, shared.argmax()] == 1
        assert near[chunk, alike[chunk].argmax()] == 1


def test_one_graph_of_chunks_serves_methods_with_other_centrality(search_context: SearchContext) -> None:
    for teleport in (0.15, 0.5):
        core_chunks(search_context, CoreParameters(beta=0.3, teleport=teleport, whole_up_to=0))
    graphs = [key for key in search_context.layers if key[0] is chunk_neighbours]
    assert graphs == [(chunk_neighbours, 2, 0.1)]


def test_the_core_is_the_head_of_the_ranking_and_small_vaults_are_core_as_a_whole(
    search_context: SearchContext,
) -> None:
    central = search_context.layer(ranked_chunks, 2, 0.1, 0.15)
    degrees = np.asarray(search_context.layer(chunk_neighbours, 2, 0.1).sum(axis=0)).ravel()
    assert sorted(central.tolist()) == list(range(len(degrees)))
    assert degrees[central[:10]].mean() > degrees[central[-10:]].mean()
    assert core_chunks(search_context, CoreParameters(whole_up_to=len(central))).all()
    core = core_chunks(search_context, CoreParameters(beta=0.3, whole_up_to=0))
    assert set(np.flatnonzero(core)) == set(central[: int(np.ceil(0.3 * len(central)))])


def test_as_many_chunks_are_drawn_by_lot_and_the_same_ones_each_time(search_context: SearchContext) -> None:
    ranked = core_chunks(search_context, CoreParameters(beta=0.3, whole_up_to=0))
    drawn = core_chunks(search_context, CoreParameters(beta=0.3, whole_up_to=0, core=BY_LOT))
    assert drawn.sum() == ranked.sum()
    assert (drawn != ranked).any()
    assert (drawn == core_chunks(search_context, CoreParameters(beta=0.3, whole_up_to=0, core=BY_LOT))).all()


def test_a_keyword_is_as_near_as_the_mean_of_its_sentences(
    search_context: SearchContext, cosines: NDArray[np.float32]
) -> None:
    arrays = search_context.graph_arrays()
    scores = keyword_scores(search_context, cosines, 0.5)
    vector = search_context.encode(QUESTION)
    for keyword in range(0, len(scores), 97):
        rows = arrays.keyword_edges[:, keyword].nonzero()[0]
        mean = arrays.sentence_vectors[rows].astype(np.float32).mean(axis=0)
        assert scores[keyword] == pytest.approx(vector @ mean / np.sqrt(np.linalg.norm(mean)), abs=1e-3)


@pytest.mark.parametrize("candidate_tokens", [0, 100, 800, 6000, 10**6])
@pytest.mark.parametrize(("kind", "tau"), [(SENTENCES, 0), (EQUAL_PARTS, 0), (EQUAL_PARTS, 1)])
def test_keywords_are_taken_until_their_sub_chunks_have_as_many_tokens(
    search_context: SearchContext, cosines: NDArray[np.float32], kind: str, tau: int, candidate_tokens: int
) -> None:
    divided = search_context.layer(sub_chunks, kind, tau)
    scores, near = keyword_scores(search_context, cosines, 0.5), divided.cosines(cosines)
    taken: set[int] = set()
    for keyword in np.argsort(-scores, kind="stable"):
        taken |= set(divided.keyword_edges[:, keyword].nonzero()[0].tolist())
        if divided.tokens[sorted(taken)].sum() >= candidate_tokens:
            break
    found = keyword_parts(divided, None, scores, near, candidate_tokens)
    assert set(found.tolist()) == taken
    assert (np.diff(near[found]) <= 0).all()


def test_a_chunk_is_divided_into_equal_parts_of_whole_sentences() -> None:
    chunk_of = np.array([0, 0, 0, 0, 1, 2, 2])
    tokens = np.array([10, 10, 10, 10, 50, 30, 10], np.int32)
    assert parts_of(chunk_of, tokens, 1).tolist() == [0, 0, 0, 0, 1, 2, 2]
    assert parts_of(chunk_of, tokens, 2).tolist() == [0, 0, 1, 1, 2, 3, 4]
    assert parts_of(chunk_of, tokens, 64).tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_a_sub_chunk_is_as_near_as_the_mean_of_its_sentences(
    search_context: SearchContext, cosines: NDArray[np.float32]
) -> None:
    arrays, vector = search_context.graph_arrays(), search_context.encode(QUESTION)
    near = search_context.layer(sub_chunks, EQUAL_PARTS, 0).cosines(cosines)
    for chunk in range(0, len(near), 7):
        mean = arrays.sentence_vectors[arrays.chunk_of == chunk].astype(np.float32).mean(axis=0)
        assert near[chunk] == pytest.approx(vector @ mean / np.linalg.norm(mean), abs=1e-3)


def test_with_the_papers_extremes_one_channel_is_alone(vault: Vault) -> None:
    skeleton = vault.search(QUESTION, method="ket(theta=1)", budget_tokens=600)
    assert skeleton.context == vault.search(QUESTION, method="ket-skeleton", budget_tokens=600).context
    keywords = vault.search(QUESTION, method="ket(theta=0)", budget_tokens=600)
    assert keywords.context == vault.search(QUESTION, method="ket-keyword", budget_tokens=600).context


@pytest.mark.parametrize("order", [BY_PAGERANK, BY_LOT])
def test_nothing_of_the_skeleton_lies_outside_of_its_chunks(
    search_context: SearchContext, cosines: NDArray[np.float32], order: str
) -> None:
    arrays = search_context.graph_arrays()
    core = core_chunks(search_context, CoreParameters(core=order, beta=0.5, whole_up_to=0))
    found = local_evidence(search_context, core, search_context.encode(QUESTION), cosines, 40, 2000)
    pieces = [piece for evidence in (found.statements, found.texts) for _, group in evidence for piece in group]
    assert pieces
    assert core[[piece.passage for piece in pieces]].all()
    named = np.unique(arrays.mentions[core[arrays.chunk_of]].indices)
    assert set(found.seeds.tolist()) <= set(arrays.entities[named].tolist())
    assert len(found.seeds) == 40


def test_the_model_s_relationships_take_turns_with_what_describes_the_entities(vault: Vault, enriched: Vault) -> None:
    for method in ("ket", "ket-skeleton", "hybrid"):
        before, after = (
            {
                ranked.type
                for question in musique.questions()
                for ranked in of.search(question["question"], method=method, budget_tokens=400).ranked
            }
            for of in (vault, enriched)
        )
        assert before == {NodeType.SENTENCE}
        assert after == {NodeType.SENTENCE, NodeType.RELATIONSHIP}


def test_no_answer_is_lost_where_the_model_has_read(vault: Vault, enriched: Vault) -> None:
    def answered(of: Vault) -> int:
        return sum(
            question["answer"] in of.search(question["question"], method="ket", budget_tokens=600).context
            for question in musique.questions()
        )

    assert answered(enriched) >= answered(vault)


def test_both_channels_are_in_the_context(vault: Vault) -> None:
    contexts = {
        method: {ranked.node for ranked in vault.search(QUESTION, method=method, budget_tokens=600).ranked}
        for method in ("ket", "ket-keyword", "ket-skeleton")
    }
    assert contexts["ket"] & contexts["ket-keyword"] - contexts["ket-skeleton"]
    assert contexts["ket"] & contexts["ket-skeleton"] - contexts["ket-keyword"]


def test_neighbours_come_behind_the_chunk_that_brings_them(vault: Vault, search_context: SearchContext) -> None:
    found = vault.search(QUESTION, method="ket-knn", budget_tokens=2000)
    arrays, near = search_context.graph_arrays(), search_context.layer(chunk_neighbours, 2, 0.1)
    of_sentence = [arrays.chunk_of[np.searchsorted(arrays.sentences, ranked.node)] for ranked in found.ranked]
    order = list(dict.fromkeys(of_sentence))
    nearest = vault.search(QUESTION, method="naive", budget_tokens=100).ranked[0].node
    assert order[0] == arrays.chunk_of[np.searchsorted(arrays.sentences, nearest)]
    assert set(order[1 : 1 + near[order[0]].nnz]) == set(near[order[0]].indices)


@pytest.mark.parametrize("method", ["ket", "ket-uniform", "ket-keyword", "ket-skeleton", "ket-knn", "hippo", "hybrid"])
def test_where_nothing_is_inside_there_is_no_context(enriched: Vault, method: str) -> None:
    found = enriched.search(QUESTION, method=method, scope=Scope(until=date(1990, 1, 1)))
    assert (found.context, found.sources) == ("", ())


def test_two_hops_are_found_more_often_than_by_plain_retrieval(vault: Vault) -> None:
    def supported(method: str) -> int:
        contexts = (vault.search(one["question"], method=method, budget_tokens=600) for one in musique.questions())
        titles = ({source.title for source in found.sources} for found in contexts)
        return sum(
            set(question["supports"]) <= found for question, found in zip(musique.questions(), titles, strict=True)
        )

    assert supported("ket") >= supported("naive")
    assert supported("hippo") > supported("naive")
