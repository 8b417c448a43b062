"""Searching what the language model has read: statements in the context, every type of node in its place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from helpers import musique

from noderag_local.config import load_settings
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.papers.noderag.noderag_paper import SHARES
from noderag_local.retrieval.full_graph import read_full_graph
from noderag_local.retrieval.packing.stated_sentences import WHOLE_SHARE
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

QUESTION = "Who is the spouse of Big Eye's main director?"


@pytest.mark.parametrize("method", musique.SILENT_METHODS)
def test_every_source_opens_at_what_it_was_made_of(enriched: Vault, method: str) -> None:
    data = musique.CORPUS.read_bytes()
    records = musique.records()
    for source in enriched.search(QUESTION, method=method, budget_tokens=1000).sources:
        assert Path(source.path) == musique.CORPUS
        assert source.first_line == source.record + 1
        assert data[source.start_byte : source.end_byte].decode().strip()
        assert records[source.record]["title"] in data.decode().splitlines()[source.first_line - 1]


def test_the_best_sentences_are_whole_and_later_ones_may_be_statements(enriched: Vault, vault: Vault) -> None:
    found = enriched.search(QUESTION, budget_tokens=1000)
    types = [ranked.type for ranked in found.ranked]
    whole = int(WHOLE_SHARE * len(types) / 2)
    assert set(types[:whole]) == {NodeType.SENTENCE}
    assert NodeType.RELATIONSHIP in types[whole:]
    before = vault.search(QUESTION, budget_tokens=1000)
    assert len(found.ranked) > len(before.ranked), "statements are shorter, so that more goes in"


def test_the_paper_s_context_has_its_types_within_their_shares_and_never_names(enriched: Vault) -> None:
    types: Counter[NodeType] = Counter()
    for question in musique.questions():
        found = enriched.search(question["question"], method="noderag-paper", budget_tokens=2000)
        types.update(ranked.type for ranked in found.ranked)
    assert set(types) == {NodeType.SENTENCE, *SHARES} - {NodeType.TEXT}, "a text is in the context by its sentences"


def test_the_stats_count_every_type(enriched: Vault) -> None:
    nodes = dict(enriched.stats().nodes)
    assert nodes[NodeType.TEXT] == len(musique.records())
    for kind in SHARES:
        assert nodes[kind] > 0
    assert nodes[NodeType.OVERVIEW] <= nodes[NodeType.HIGH_LEVEL_ELEMENT]


def test_everything_is_whole(enriched: Vault) -> None:
    assert [finding for finding in enriched.check() if not finding.ok] == []


def test_relationships_are_joined_to_the_units_that_tell_them_and_every_edge_weighs_as_the_paper_says(
    enriched: Vault,
) -> None:
    with Store.open(enriched.folder, write=False) as store:
        arrays = Reader(store, load_settings()).graph_arrays
        graph = read_full_graph(store, arrays.entities)
        stated = GraphRows(store).edges(EdgeType.STATED)
        parts = GraphRows(store).edges(EdgeType.PART)
    units_of = {sentence: unit for unit, sentence in zip(parts[0].tolist(), parts[1].tolist(), strict=True)}
    told = [
        (relationship, units_of[sentence])
        for relationship, sentence in zip(stated[0].tolist(), stated[1].tolist(), strict=True)
        if sentence in units_of
    ]
    assert told
    for ends in told[::20]:
        relationship, unit = graph.rows(np.array(sorted(ends)))
        assert graph.walk[relationship, unit] > 0 < graph.walk[unit, relationship]
    # A column of the walk has equal steps to all neighbours, or steps of twice that length along doubled edges.
    for column in range(0, len(graph.ids), 50):
        steps = graph.walk.getcol(column).data
        if len(steps):
            assert np.allclose(steps / steps.min(), np.round(steps / steps.min()), atol=1e-3)
