"""ArchRAG: what each level brings into a context, what the ablations leave out, and what a scope lets be told."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from helpers import musique

from noderag_local.config import load_settings
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Scope
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.papers.archrag.arch_evidence import named_first, relationships
from noderag_local.papers.archrag.arch_levels import allowed_levels, attributed_layer, search_levels
from noderag_local.papers.archrag.attributed_build import AttributedStep
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.default.seeds import entity_seeds
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

QUESTION = "Who is the spouse of Big Eye's main director?"
METHODS = ("arch", "arch-paper", "arch-spectral", "arch-plain", "arch-flat", "arch-entities", "arch-direct")
TITLE, TEXT = "Films of Tim Burton", "Tim Burton directed Big Eyes and lived with Helena Bonham Carter."


@contextmanager
def opened(folder: Path) -> Iterator[SearchContext]:
    with Store.open(folder, write=False) as store:
        reader, encoder = Reader(store, load_settings()), QuestionEncoder()
        yield SearchContext(
            store,
            lambda: reader.graph_arrays,
            lambda: reader.search_arrays,
            lambda: pytest.fail("ArchRAG does not walk over the full graph"),
            lambda kind: VectorIndex.open(store, kind),
            encoder.encode_all,
            None,
        )


@pytest.fixture(scope="module")
def search_context(vault: Vault) -> Iterator[SearchContext]:
    """What the methods search in, over the excerpt of MuSiQue."""
    with opened(vault.folder) as found:
        yield found


@pytest.fixture(scope="module")
def written(vault: Vault, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the vault with a stored hierarchy; the model has written about the community of Tim Burton."""
    folder = tmp_path_factory.mktemp("written") / "vault"
    shutil.copytree(vault.folder, folder)
    with Store.open(folder, write=True) as store:
        AttributedStep().run(store, lambda done, total: None, lambda: False)
        AttributedRows(store).write(community_of_burton(store), TITLE, TEXT)
    return folder


def community_of_burton(store: Store) -> int:
    entity = GraphRows(store).find(NodeType.ENTITY, ["tim burton"])["tim burton"]
    return AttributedRows(store).above([entity])[0]


def test_every_level_is_searched_by_what_it_says(search_context: SearchContext) -> None:
    arrays, found = search_context.graph_arrays(), search_context.layer(attributed_layer, ARCHRAG)
    entities, *communities = search_levels(search_context, ARCHRAG)
    assert len(communities) == len(found.levels) > 1
    assert entities.shape == arrays.entity_vectors.shape
    assert [len(vectors) for vectors in communities] == [len(level.ids) for level in found.levels]


def test_summaries_are_told_by_sentences_that_stand_in_the_notes(vault: Vault, search_context: SearchContext) -> None:
    told = {
        sentence
        for level in search_context.layer(attributed_layer, ARCHRAG).levels
        for sentences in level.key_sentences
        for sentence in sentences.tolist()
    }
    found = {ranked.node for ranked in vault.search(QUESTION, method="arch", budget_tokens=2000).ranked}
    without = {ranked.node for ranked in vault.search(QUESTION, method="arch-entities", budget_tokens=2000).ranked}
    assert found & told - without


def test_relationships_between_two_entities_come_before_those_of_one(search_context: SearchContext) -> None:
    evidence, vector = KeyValueEvidence(search_context), search_context.encode(QUESTION)
    arrays = search_context.graph_arrays()
    entities = np.unique(arrays.mentions[:6].indices).astype(np.int64)
    rows = relationships(evidence, entities, vector, with_one_end=4, budget_tokens=2000)
    ends = [np.isin(evidence.stores.ends[row].indices, entities).sum() for row in rows]
    assert [count > 1 for count in ends] == sorted((count > 1 for count in ends), reverse=True)
    assert sum(count == 1 for count in ends) == 4
    cosines = evidence.stores.vectors[rows] @ vector
    split = sum(count > 1 for count in ends)
    assert (np.diff(cosines[:split]) <= 0).all()
    assert (np.diff(cosines[split:]) <= 0).all()
    assert relationships(evidence, np.zeros(0, np.int64), vector, 4, 2000) == []
    assert relationships(evidence, entities, vector, 4, budget_tokens=0) == rows[:10]


def test_entities_that_the_question_names_come_first_and_are_half_at_most(search_context: SearchContext) -> None:
    question = "Did Tim Burton know Margaret Keane?"
    arrays, vector = search_context.graph_arrays(), search_context.encode(question)
    named = list(entity_seeds(question, search_context.store, arrays))
    cosines = arrays.entity_vectors @ vector
    nearest = np.array([row for row in np.argsort(-cosines, kind="stable").tolist() if row not in named][:10])
    rows = named_first(search_context, question, vector, nearest).tolist()
    first = sorted(named, key=lambda row: (-cosines[row], row))[:5]
    assert {"Tim Burton", "Margaret Keane"} & set(
        GraphRows(search_context.store).names(arrays.entities[first].tolist())
    )
    assert rows == [*first, *nearest.tolist()][:10]
    assert named_first(search_context, "which of these?", vector, nearest).tolist() == nearest.tolist()
    nowhere = Inside(*(np.zeros(len(ids), dtype=bool) for ids in (arrays.sentences, arrays.chunks, arrays.entities)))
    assert named_first(replace(search_context, inside=nowhere), question, vector, nearest).tolist() == nearest.tolist()


def test_what_the_model_wrote_is_a_source_of_its_own_that_opens_the_notes(written: Path) -> None:
    with Vault(written, load_settings()) as vault:
        found = vault.search(QUESTION, method="arch", budget_tokens=2000)
        other = vault.search(QUESTION, method="arch-flat", budget_tokens=2000)
    (source,) = [one for one in found.sources if one.title == TITLE]
    assert source.text == TEXT
    assert Path(source.path) == musique.CORPUS
    assert source.headings == ()
    assert NodeType.ATTRIBUTED_COMMUNITY in {ranked.type for ranked in found.ranked}
    assert NodeType.ATTRIBUTED_COMMUNITY not in {ranked.type for ranked in other.ranked}


@pytest.mark.parametrize("names_it", [True, False])
def test_what_the_model_wrote_is_told_only_where_no_sentence_outside_names_its_entities(
    written: Path, names_it: bool
) -> None:
    with opened(written) as search_context:
        arrays, communities = search_context.graph_arrays(), search_context.layer(attributed_layer, ARCHRAG)
        (row,) = np.flatnonzero(communities.levels[0].ids == community_of_burton(search_context.store))
        members = np.searchsorted(arrays.entities, communities.levels[0].members[row])
        named = np.asarray(arrays.mentions[:, members].sum(axis=1)).ravel() > 0
        sentences = np.ones(len(arrays.sentences), dtype=bool)
        sentences[np.flatnonzero(named == names_it)[-1]] = False
        every_chunk = np.ones(len(arrays.chunks), dtype=bool)
        inside = Inside(sentences, every_chunk, np.ones(len(arrays.entities), dtype=bool))
        levels = allowed_levels(replace(search_context, inside=inside), communities)
    assert levels is not None
    assert levels[1][row] == (not names_it)


def test_there_is_nothing_to_tell_apart_without_a_scope(search_context: SearchContext) -> None:
    assert allowed_levels(search_context, search_context.layer(attributed_layer, ARCHRAG)) is None
    assert attributed_layer(search_context, HierarchyOptions(levels=0)).levels == ()


def test_sentences_of_a_community_are_told_as_far_as_they_lie_inside(search_context: SearchContext) -> None:
    arrays, communities = search_context.graph_arrays(), search_context.layer(attributed_layer, ARCHRAG)
    sentences = np.arange(len(arrays.sentences)) % 2 == 0
    inside = Inside(sentences, np.ones(len(arrays.chunks), dtype=bool), np.ones(len(arrays.entities), dtype=bool))
    levels = allowed_levels(replace(search_context, inside=inside), communities)
    assert levels is not None
    for level, told in zip(communities.levels, levels[1:], strict=True):
        assert told.tolist() == [sentences[np.searchsorted(arrays.sentences, one)].any() for one in level.key_sentences]


@pytest.mark.parametrize("method", METHODS)
def test_only_direct_answers_are_made_in_one_step(vault: Vault, method: str) -> None:
    assert (vault.search(QUESTION, method=method).filtering is None) == (method == "arch-direct")


def test_the_paper_takes_the_same_few_nodes_at_any_budget(vault: Vault) -> None:
    small, large = (vault.search(QUESTION, method="arch-paper", budget_tokens=budget) for budget in (4000, 12000))
    assert {ranked.node for ranked in small.ranked} == {ranked.node for ranked in large.ranked}
    assert max(small.tokens, large.tokens) < 4000


def test_the_paper_filters_each_layer_by_itself(vault: Vault) -> None:
    found = vault.search(QUESTION, method="arch-paper", budget_tokens=2000)
    assert found.filtering is not None
    assert found.filtering.most_score == 100
    numbers = [number for layer in found.filtering.layers for number in layer]
    assert len(found.filtering.layers) > 2
    assert sorted(numbers) == [source.number for source in found.sources]


def test_the_direct_prompt_has_the_same_context(vault: Vault) -> None:
    contexts = {vault.search(QUESTION, method=method).context for method in ("arch", "arch-direct")}
    assert len(contexts) == 1


def test_more_budget_reaches_further(vault: Vault) -> None:
    small, large = (vault.search(QUESTION, method="arch-entities", budget_tokens=budget) for budget in (1000, 3000))
    assert large.tokens > 2 * small.tokens
    assert len({source.title for source in large.sources} - {source.title for source in small.sources}) > 5


@pytest.mark.parametrize("method", METHODS)
def test_where_nothing_is_inside_there_is_no_context(enriched: Vault, method: str) -> None:
    found = enriched.search(QUESTION, method=method, scope=Scope(until=date(1990, 1, 1)))
    assert (found.context, found.sources) == ("", ())
