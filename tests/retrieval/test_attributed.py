"""ArchRAG's layer for searches: in memory without a model, from the store where it is there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import add, document, link_and_embed

from noderag_local.domain.graph import NodeType
from noderag_local.papers.archrag.arch_levels import AttributedLayer, attributed_layer
from noderag_local.papers.archrag.attributed_build import AttributedStep
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions
from noderag_local.retrieval.graph_arrays import read_graph_arrays
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.attributed_rows import AttributedRows, leading_entities
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vector_index import VectorIndex

TOWNS = tuple("Delft Gouda Breda Zwolle Emmen Sneek Tiel Venlo Almelo Hoorn Kampen Utrecht Joure Lisse".split())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Some towns with two people each, and a road from each to the next."""
    with Store.open(tmp_path / "vault", write=True) as made:
        towns = [
            document(f"/notes/{town}.md", [f"{town[:3]}an met {town[:3]}el in {town}.", f"{town[:3]}el likes {town}."])
            for town in TOWNS
        ]
        roads = [[f"one road leads from {one} to {other}."] for one, other in pairwise(TOWNS)]
        add(made, *towns, document("/notes/roads.md", *roads))
        link_and_embed(made)
        yield made


def search_context(store: Store) -> SearchContext:
    """Over the store as it is now."""
    kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
    arrays = read_graph_arrays(store, *(VectorIndex.open(store, kind) for kind in kinds))
    return SearchContext(
        store,
        lambda: arrays,
        lambda: pytest.fail("no question is asked"),
        lambda: pytest.fail("communities are of the entities alone"),
        lambda kind: VectorIndex.open(store, kind),
        lambda text: pytest.fail("no question is asked"),
        None,
    )


def said(store: Store, layer: AttributedLayer) -> list[list[tuple[str, str]]]:
    """Titles and texts of each level, in an order of their own."""
    told = AttributedRows(store).texts
    levels = zip(layer.levels, leading_entities(layer.levels), strict=True)
    return [sorted(told(level.ids.tolist(), leading, level.key_sentences)) for level, leading in levels]


def test_without_a_stored_layer_one_is_made_that_says_the_same(store: Store) -> None:
    made = attributed_layer(search_context(store), ARCHRAG)
    AttributedStep().run(store, lambda done, total: None, lambda: False)
    kept = attributed_layer(search_context(store), ARCHRAG)
    assert len(made.levels) > 1
    assert said(store, made) == said(store, kept)
    for one, other in zip(made.vectors, kept.vectors, strict=True):
        assert np.allclose(np.sort(one, axis=0), np.sort(other, axis=0), atol=1e-3)
        assert np.allclose(np.linalg.norm(one, axis=1), 1, atol=1e-3)


def test_its_communities_have_numbers_that_no_node_has(store: Store) -> None:
    made = attributed_layer(search_context(store), ARCHRAG)
    nodes = {number for (number,) in store.rows("SELECT id FROM nodes")}
    below = set(search_context(store).graph_arrays().entities.tolist())
    for level in made.levels:
        assert not nodes & set(level.ids.tolist())
        assert (np.diff(level.ids) > 0).all()
        assert set(np.concatenate(level.members).tolist()) <= below
        below = set(level.ids.tolist())


def test_what_the_model_wrote_is_said_in_place_of_sentences(store: Store) -> None:
    AttributedStep().run(store, lambda done, total: None, lambda: False)
    rows = AttributedRows(store)
    first = rows.of_level(1)[0]
    rows.write(first, "People of a town", "They like it there.")
    layer = attributed_layer(search_context(store), ARCHRAG)
    assert ("People of a town", "They like it there.") in said(store, layer)[0]


def test_a_variant_is_made_once_and_is_not_what_is_stored(store: Store) -> None:
    flat = HierarchyOptions(levels=1)
    AttributedStep().run(store, lambda done, total: None, lambda: False)
    here = search_context(store)
    assert len(here.layer(attributed_layer, flat).levels) == 1
    assert here.layer(attributed_layer, flat) is here.layer(attributed_layer, HierarchyOptions(levels=1))
    assert len(attributed_layer(here, ARCHRAG).levels) > 1


def test_a_vault_of_nothing_has_no_communities(tmp_path: Path) -> None:
    with Store.open(tmp_path / "empty", write=True) as empty:
        assert attributed_layer(search_context(empty), ARCHRAG).levels == ()


def in_first_level(store: Store, layer: AttributedLayer, name: str) -> int:
    """The community of an entity, by its name."""
    (entity,) = [
        number
        for number, found in zip(*GraphRows(store).named(NodeType.ENTITY), strict=True)
        if found.casefold() == name.casefold()
    ]
    (community,) = [
        int(number)
        for number, members in zip(layer.levels[0].ids, layer.levels[0].members, strict=True)
        if entity in members
    ]
    return community


def test_what_is_newer_than_the_stored_hierarchy_is_in_it_at_once(store: Store) -> None:
    AttributedStep().run(store, lambda done, total: None, lambda: False)
    before = attributed_layer(search_context(store), ARCHRAG)
    rows = AttributedRows(store)
    community = in_first_level(store, before, "Delan")
    rows.write(community, "People of Delft", "They like it there.")
    add(store, document("/notes/new.md", ["Delan showed Quentin around in Delft."]))
    link_and_embed(store)
    after = attributed_layer(search_context(store), ARCHRAG)
    assert in_first_level(store, after, "Quentin") == community
    row = after.levels[0].ids.tolist().index(community)
    (told,) = [int(number) for number in after.unread[0][row]]
    assert TextRows(store).sentence_texts([told]) == ["Delan showed Quentin around in Delft."]
    assert rows.written([community]) == {community: ("People of Delft", "They like it there.")}
    assert not any(len(found) for level in before.unread for found in level)
    assert all(not len(found) for place, found in enumerate(after.unread[0]) if place != row)


def test_what_has_gone_is_in_it_no_longer(store: Store) -> None:
    AttributedStep().run(store, lambda done, total: None, lambda: False)
    FileRows(store).remove([FileRows(store).known()["/notes/Delft.md"].id])
    link_and_embed(store)
    after = attributed_layer(search_context(store), ARCHRAG)
    entities = set(search_context(store).graph_arrays().entities.tolist())
    assert set(np.concatenate(after.levels[0].members).tolist()) <= entities
    stored = {number for level in AttributedRows(store).levels() for number in level.ids.tolist()}
    assert stored & set(after.levels[0].ids.tolist())
