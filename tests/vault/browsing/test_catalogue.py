"""Entities by weight, and finding them as one types."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.browsable_notes import node, put_unit, sentence
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.graph import EdgeType, EntityKind, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.catalogue import EntityCatalogue, kind_of, read_catalogue

MANY = 100_000


def catalogue_of(*names: str) -> EntityCatalogue:
    """All of the same weight."""
    zeros = np.zeros(len(names), np.int64)
    return EntityCatalogue(np.arange(len(names), dtype=np.int64), names, zeros, zeros)


def found(catalogue: EntityCatalogue, query: str) -> list[str]:
    return [catalogue.names[row] for row in catalogue.matching(query)]


def test_what_is_named_most_comes_first_then_by_name(store: Store) -> None:
    catalogue = read_catalogue(store)
    first = [catalogue.entity(row) for row in range(3)]
    assert [(entity.name, entity.mentions) for entity in first] == [
        ("Ghent", 3),
        ("Jonas Brandt", 2),
        ("Porto", 2),
    ]
    assert {entity.kind for entity in first} == {EntityKind.NAME}


def test_a_sentence_in_which_model_and_rules_found_the_same_counts_once(store: Store) -> None:
    tomasz = node(store, "Tomasz Nowak")
    GraphRows(store).add_edges(EdgeType.RECOGNISED, [sentence(store, "Tomasz")], [tomasz], [1.0])
    catalogue = read_catalogue(store)
    assert catalogue.entity(catalogue.row_of(tomasz) or 0).mentions == 1


def test_units_and_relationships_break_ties_of_mentions(store: Store) -> None:
    put_unit(store, "Tomasz Nowak repairs bicycles.", [sentence(store, "Tomasz")], ["Tomasz Nowak"])
    catalogue = read_catalogue(store)
    (row,) = catalogue.matching("nowak")
    assert catalogue.entity(row).relations == 1
    of_one_mention = [catalogue.names[row] for row in range(len(catalogue)) if catalogue.entity(row).mentions == 1]
    assert of_one_mention[0] == "Tomasz Nowak"


def test_the_name_itself_then_beginnings_then_words_then_any_place() -> None:
    catalogue = catalogue_of("Exporting", "New Port", "Port", "Porto", "Portugal")
    assert found(catalogue, "port") == ["Port", "Porto", "Portugal", "New Port", "Exporting"]


def test_case_and_accents_do_not_matter_and_every_word_must_be_there() -> None:
    catalogue = catalogue_of("Guimarães", "Marta Oliveira", "Oliveira & Marta Ltd")
    assert found(catalogue, "GUIMARAES") == ["Guimarães"]
    assert found(catalogue, "oliv mar") == ["Marta Oliveira", "Oliveira & Marta Ltd"]
    assert found(catalogue, "marta x") == []


@given(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=12), st.text(max_size=3))
def test_the_order_of_reading_never_matters(names: list[str], query: str) -> None:
    assert found(catalogue_of(*names), query) == found(catalogue_of(*names[::-1]), query)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("5 March", EntityKind.DATE),
        ("2,400 euros", EntityKind.QUANTITY),
        ("Apollo 11", EntityKind.NAME),
        ("1984 (film)", EntityKind.NAME),
    ],
)
def test_the_kind_is_what_the_whole_name_is(name: str, kind: EntityKind) -> None:
    assert kind_of(name) is kind


def test_a_hundred_thousand_entities_are_all_found(tmp_path: Path) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        GraphRows(store).put_nodes(NodeType.ENTITY, [(f"name {number}", f"Name {number}") for number in range(MANY)])
        catalogue = read_catalogue(store)
    assert len(catalogue) == MANY == len(catalogue.matching("name"))
    assert found(catalogue, "name 99999") == ["Name 99999"]
    assert len(catalogue.matching("9999")) == 10 + 9, "99990 to 99999, and those that end in it"


def test_a_name_that_another_stands_for_finds_it() -> None:
    catalogue = EntityCatalogue(
        np.array([1, 4]), ["Søren Nygård", "Porto"], np.array([3, 1]), np.array([0, 0]), {1: {2: "S. Nygard"}}
    )
    assert [catalogue.names[row] for row in catalogue.matching("s. ny")] == ["Søren Nygård"]
    assert catalogue.row_of(2) == catalogue.row_of(1) == 0
