"""The parameter `evidence`: the model's graph alone, the rules' alone, or both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from helpers import musique

from noderag_local.config import load_settings
from noderag_local.domain.errors import LayerMissing
from noderag_local.domain.graph import EdgeType, GraphPart, NodeType
from noderag_local.retrieval.evidence import chosen_edges, is_read
from noderag_local.retrieval.full_graph import read_full_graph
from noderag_local.retrieval.graph_arrays import GraphArrays, read_graph_arrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

METHODS = ("noderag-paper", "hippo", "light-local", "light-global", "light-hybrid", "light-mix", "graphrag-local")
QUESTION = "Who is the spouse of Big Eye's main director?"


@contextmanager
def arrays_of(vault: Vault, evidence: GraphPart) -> Iterator[tuple[Store, GraphArrays]]:
    with Store.open(vault.folder, write=False) as store:
        reader = Reader(store, load_settings())
        kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
        sentences, chunks, relationships = (reader._index(kind) for kind in kinds)
        yield store, read_graph_arrays(store, sentences, chunks, relationships, evidence)


@pytest.mark.parametrize("method", METHODS)
def test_the_rules_alone_find_what_they_find_in_a_vault_that_no_model_has_read(
    vault: Vault, enriched: Vault, method: str
) -> None:
    for question in musique.questions()[:4]:
        before = vault.search(question["question"], method=method, budget_tokens=1000)
        after = enriched.search(question["question"], method=f"{method}(evidence=rules)", budget_tokens=1000)
        assert after.context == before.context


@pytest.mark.parametrize("method", METHODS)
def test_each_part_is_a_context_of_its_own_and_the_same_each_time(enriched: Vault, method: str) -> None:
    contexts = {
        part: enriched.search(QUESTION, method=f"{method}(evidence={part})", budget_tokens=1000) for part in GraphPart
    }
    again = enriched.search(QUESTION, method=f"{method}(evidence=model)", budget_tokens=1000)
    assert contexts[GraphPart.MODEL].context == again.context
    assert contexts[GraphPart.MODEL].context != contexts[GraphPart.RULES].context
    assert contexts[GraphPart.ALL].method == method
    assert contexts[GraphPart.MODEL].method == f"{method}(evidence=model)"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("part", ["model", "rules"])
def test_without_a_chunk_that_was_read_there_is_no_part_to_choose(vault: Vault, method: str, part: str) -> None:
    with pytest.raises(LayerMissing, match=r"has read no chunk of this vault\. Let it read some with 'noderag enrich'"):
        vault.search(QUESTION, method=f"{method}(evidence={part})", budget_tokens=1000)


def test_the_model_s_part_has_only_names_that_the_model_found_where_it_has_read(enriched: Vault) -> None:
    with arrays_of(enriched, GraphPart.MODEL) as (store, arrays):
        snapshot = Snapshot.open(store)
        edges = MergedNames(store).edges(snapshot.edges)
        read = is_read(edges, snapshot.sentences)
        recognised = set(
            zip(edges[EdgeType.RECOGNISED][0].tolist(), edges[EdgeType.RECOGNISED][1].tolist(), strict=True)
        )
        sentences, entities = arrays.mentions[np.flatnonzero(read)].nonzero()
        named = zip(arrays.sentences[read][sentences].tolist(), arrays.entities[entities].tolist(), strict=True)
        assert read.any()
        assert set(named) <= recognised
        part = chosen_edges(edges, snapshot.sentences, GraphPart.MODEL)
        sentence_of = set(zip(part[EdgeType.PART][0].tolist(), part[EdgeType.PART][1].tolist(), strict=True))
        found = {(unit, entity) for unit, sentence in sentence_of for one, entity in recognised if one == sentence}
        names = set(zip(part[EdgeType.NAMES][0].tolist(), part[EdgeType.NAMES][1].tolist(), strict=True))
        assert names == found & set(
            zip(edges[EdgeType.NAMES][0].tolist(), edges[EdgeType.NAMES][1].tolist(), strict=True)
        )
        assert len(names) < len(edges[EdgeType.NAMES][0]), "units name what the rules found, too"


def test_the_model_s_part_has_no_sentences_that_stand_in_and_the_rules_part_nothing_of_the_model(
    enriched: Vault,
) -> None:
    kinds = {}
    for part in (GraphPart.MODEL, GraphPart.RULES):
        with arrays_of(enriched, part) as (store, arrays):
            kinds[part] = set(read_full_graph(store, arrays.entities[arrays.is_named], part).types.tolist())
    assert str(NodeType.SENTENCE) not in kinds[GraphPart.MODEL]
    assert {str(NodeType.SEMANTIC_UNIT), str(NodeType.RELATIONSHIP)} <= kinds[GraphPart.MODEL]
    assert kinds[GraphPart.RULES] == {str(NodeType.TEXT), str(NodeType.SENTENCE), str(NodeType.ENTITY)}


def test_relationships_of_the_model_s_part_are_the_model_s(enriched: Vault) -> None:
    found = enriched.search(QUESTION, method="light-global(evidence=model, origin=false)", budget_tokens=1000)
    both = enriched.search(QUESTION, method="light-global(origin=false)", budget_tokens=1000)
    assert {one.type for one in found.ranked} & {NodeType.RELATIONSHIP}
    assert [one.node for one in found.ranked] != [one.node for one in both.ranked]
