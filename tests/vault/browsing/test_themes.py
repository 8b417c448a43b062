"""Communities as themes."""

from __future__ import annotations

import pytest
from helpers.browsable_notes import node, put_theme, put_unit, sentence

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.catalogue import read_catalogue
from noderag_local.vault.browsing.themes import read_themes, theme_page


@pytest.fixture
def repairs(store: Store) -> int:
    """A small theme that was summed up."""
    unit = put_unit(store, "Tomasz repairs bicycles.", [sentence(store, "Tomasz")], ["Tomasz Nowak"])
    members = [unit, node(store, "Tomasz Nowak")]
    return put_theme(store, "repairs", members, [("Repairs", "Tomasz repairs bicycles in Porto.")])


@pytest.fixture
def people(store: Store) -> int:
    """A larger one that was not."""
    return put_theme(store, "people", [node(store, name) for name in ("Marta Oliveira", "Ghent", "2014")])


def test_there_are_none_before_the_model_was_there(store: Store) -> None:
    assert read_themes(store, read_catalogue(store)) == ()


def test_the_largest_comes_first_and_one_without_title_is_told_by_its_names(
    store: Store, repairs: int, people: int
) -> None:
    first, second = read_themes(store, read_catalogue(store))
    assert (first.community, first.title, first.members, first.elements) == (people, "Ghent · Marta Oliveira", 3, 0)
    assert (second.community, second.title, second.members, second.elements) == (repairs, "Repairs", 2, 1)


def test_a_page_has_what_it_says_of_whom_and_where_it_stands(store: Store, repairs: int) -> None:
    page = theme_page(store, read_catalogue(store), repairs)
    assert page.title == "Repairs"
    assert [element.description for element in page.elements] == ["Tomasz repairs bicycles in Porto."]
    assert [(entity.name, entity.together) for entity in page.entities] == [("Tomasz Nowak", 1)]
    (unit,) = page.units
    assert unit.source is not None
    assert (unit.text, unit.source.path) == ("Tomasz repairs bicycles.", "/notes/bicycle.md")


def test_a_theme_that_was_made_anew_and_a_node_that_is_none(store: Store) -> None:
    for number in (10**6, node(store, "Ghent")):
        with pytest.raises(NotFound, match="made anew"):
            theme_page(store, read_catalogue(store), number)


def test_amounts_and_scraps_of_sentences_are_no_title_where_there_are_names(store: Store) -> None:
    scraps = ["12 km along the river", "30 lengths", "corner, too sweet"]
    nodes = GraphRows(store).put_nodes(NodeType.ENTITY, [(scrap, scrap) for scrap in scraps])
    put_theme(store, "walks", [*nodes.tolist(), node(store, "Porto")])
    (theme,) = read_themes(store, read_catalogue(store))
    assert theme.title == "Porto"


def test_a_theme_without_names_is_called_by_its_commonest_word(store: Store) -> None:
    texts = ["She swims in the lake.", "The lake was cold.", "Two swans crossed the lake."]
    units = [put_unit(store, text, [sentence(store, "Tomasz")], []) for text in texts]
    community = put_theme(store, "lake", units)
    catalogue = read_catalogue(store)
    (theme,) = read_themes(store, catalogue)
    assert theme.title == "lake" == theme_page(store, catalogue, community).title
