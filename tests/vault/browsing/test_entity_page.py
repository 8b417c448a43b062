"""The page of an entity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.browsable_notes import node, put_unit, sentence
from helpers.small_documents import add, document

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, EntityKind, NodeType
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.entity_page import MENTIONS, entity_page
from noderag_local.vault.browsing.show import sources_at


def test_mentions_come_in_the_order_of_their_notes_days(store: Store) -> None:
    page = entity_page(store, node(store, "Ghent"))
    # The file of the first one was changed in 1970, the other one has a day in its name.
    assert [mention.source.text[:12] for mention in page.mentions] == ["Marta Olivei", "Jonas Brandt", "The school i"]
    assert [mention.day for mention in page.mentions][1:] == ["2025-03-05", "2025-03-05"]
    assert page.all_mentions == 3


def test_neighbours_are_who_stands_in_a_sentence_with_it_and_can_be_walked_to(store: Store) -> None:
    page = entity_page(store, node(store, "Ghent"))
    assert [(near.name, near.together) for near in page.near][:2] == [("2014", 2), ("Jonas Brandt", 2)]
    assert all(entity_page(store, near.node).name == near.name for near in page.near)


def test_other_names_stand_apart(store: Store) -> None:
    one, other = sorted([node(store, "Jonas Brandt"), node(store, "Tomasz Nowak")])
    GraphRows(store).add_edges(EdgeType.ALIAS, [one], [other], [1.0])
    assert [same.node for same in entity_page(store, one).same] == [other]
    assert [same.node for same in entity_page(store, other).same] == [one]


def test_what_the_model_made_is_the_portrait(store: Store) -> None:
    put_unit(store, "Marta lives in Porto.", [sentence(store, "Marta Oliveira moved")], ["Marta Oliveira"])
    (unit,) = entity_page(store, node(store, "Marta Oliveira")).summary.units
    assert (unit.text, unit.path, unit.first_line) == ("Marta lives in Porto.", "/notes/people/marta.md", 1)


def test_a_date_is_an_entity_with_a_page_like_any_other(store: Store) -> None:
    page = entity_page(store, node(store, "2019"))
    assert page.kind is EntityKind.DATE
    assert [near.name for near in page.near] == ["Marta Oliveira", "Porto"]


def test_an_entity_that_is_gone_and_a_node_that_is_none(store: Store) -> None:
    for number in (10**6, sentence(store, "Tomasz")):
        with pytest.raises(NotFound, match="not in the vault any more"):
            entity_page(store, number)


def test_a_long_list_says_how_long_it_is(tmp_path: Path) -> None:
    with Store.open(tmp_path / "long", write=True) as store:
        add(store, document("/notes/a.md", [f"Porto, {number}." for number in range(MENTIONS + 50)]))
        (porto,) = GraphRows(store).put_nodes(NodeType.ENTITY, [("porto", "Porto")]).tolist()
        ids = TextRows(store).sentence_table().ids
        GraphRows(store).add_edges(EdgeType.MENTION, ids, [porto] * len(ids), [1.0] * len(ids))
        page = entity_page(store, porto)
    assert (len(page.mentions), page.all_mentions) == (MENTIONS, MENTIONS + 50)
    assert page.mentions[0].source.text == "Porto, 0."


def test_the_sentences_at_a_line_can_be_opened(store: Store) -> None:
    (found,) = sources_at(store, "/notes/bicycle.md", 1)
    assert found.text.startswith("Tomasz Nowak")
    assert sources_at(store, "/notes/bicycle.md", 99) == ()


def test_a_whole_path_is_not_compared_with_the_end_of_every_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, rows = list[str](), Store.rows

    def noted(self: Store, sql: str, *given: Any) -> list[Any]:
        asked.append(sql)
        return rows(self, sql, *given)

    monkeypatch.setattr(Store, "rows", noted)
    assert Overview(store).sentences_at("/notes/bicycle.md", 1)
    assert not [sql for sql in asked if "LIKE" in sql]
    assert Overview(store).sentences_at("bicycle.md", 1)
