"""What `noderag show` tells of entities, relationships and overviews once the language model has been there."""

from __future__ import annotations

import pytest

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries.attributes import AttributeStage
from noderag_local.graph.summaries.communities import CommunitiesStep
from noderag_local.graph.summaries.entity_summary import Element, EntitySummary, entity_summary
from noderag_local.graph.summaries.high_level import put_elements
from noderag_local.graph.summaries.summary_lines import ElementLine
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.show import ShownEntity, shown

ELEMENT = ElementLine("Baking in Porto", "Marta bakes chestnut cake in Porto.")


@pytest.fixture
def described(store: Store) -> Store:
    """Marta has an attribute, and her community an element."""
    graph = GraphRows(store)
    marta = graph.find(NodeType.ENTITY, ["marta"])["marta"]
    with store.transaction():
        AttributeStage().accept(store, marta, "Marta bakes chestnut cake in Porto.")
    CommunitiesStep().run(store, lambda done, total: None, lambda: False)
    (community,) = [source for source, _, _ in graph.edges_to(EdgeType.MEMBER, [marta])]
    with store.transaction():
        put_elements(store, community, "key", [ELEMENT])
    return store


def of_marta(store: Store) -> EntitySummary:
    found = shown(store, "Marta")
    assert isinstance(found, ShownEntity)
    return found.portrait


def test_an_entity_with_everything_and_its_places(described: Store) -> None:
    found = of_marta(described)
    assert (found.attribute, found.attribute_copied) == ("Marta bakes chestnut cake in Porto.", False)
    assert [one.text for one in found.relationships] == ["Marta bakes Chestnut cake", "Marta moved to Porto"]
    assert {one.path for one in (*found.relationships, *found.units)} == {"/notes/2.md"}
    assert [one.text for one in found.units if "2019" in one.text] == ["Marta moved to Porto in 2019."]
    (community,) = found.communities
    assert community.elements == (Element(ELEMENT.title, ELEMENT.description),)
    assert community.members > 3


def test_before_the_model_was_there_the_portrait_is_what_the_graph_says(store: Store) -> None:
    found = entity_summary(store, GraphRows(store).find(NodeType.ENTITY, ["douro"])["douro"])
    assert (found.attribute, found.relationships, found.communities) == ("", (), ())
    assert [one.text for one in found.units] == ["Porto lies on the Douro."]


def test_a_relationship_by_its_two_ends_in_any_order(described: Store) -> None:
    for name in ("Marta | Porto", "porto|MARTA"):
        found = shown(described, name)
        assert found.type is NodeType.RELATIONSHIP
        assert found.kinds == (("says", "Marta moved to Porto  (/notes/2.md:1)"),)
    with pytest.raises(NotFound):
        shown(described, "Marta | Douro")


def test_an_overview_by_its_title(described: Store) -> None:
    found = shown(described, "baking in porto")
    assert (found.type, found.name) == (NodeType.OVERVIEW, "Baking in Porto")
    assert found.kinds == (("tells", ELEMENT.description),)
