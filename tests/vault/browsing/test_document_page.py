"""The page of a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.browsable_notes import node
from helpers.small_documents import add, document

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.document_page import SENTENCES, document_page


def document_at(store: Store, path: str) -> int:
    return int(store.value("SELECT d.id FROM documents d JOIN files f ON f.id = d.file_id WHERE path = ?", (path,)))


def test_it_has_the_text_in_its_order_with_its_places(store: Store) -> None:
    page = document_page(store, document_at(store, "/notes/people/marta.md"))
    assert page.path == "/notes/people/marta.md"
    assert page.sentences[0].source.text.startswith("Marta Olivei")
    assert [sentence.source.first_line for sentence in page.sentences] == sorted(
        sentence.source.first_line for sentence in page.sentences
    )
    assert page.all_sentences == len(page.sentences)


def test_it_names_people_and_places_before_years(store: Store) -> None:
    page = document_page(store, document_at(store, "/notes/people/marta.md"))
    names = [entity.name for entity in page.entities]
    assert {"Marta Oliveira", "Porto"} <= set(names)
    assert names.index("Porto") < names.index("2019")


def test_links_lead_both_ways(store: Store) -> None:
    marta, bicycle = (document_at(store, f"/notes/{name}.md") for name in ("people/marta", "bicycle"))
    GraphRows(store).add_edges(EdgeType.LINK, [marta], [bicycle], [1.0])
    assert [linked.node for linked in document_page(store, marta).links] == [bicycle]
    assert [linked.node for linked in document_page(store, bicycle).linked_from] == [marta]


def test_of_a_book_the_beginning_is_shown(tmp_path: Path) -> None:
    with Store.open(tmp_path / "long", write=True) as store:
        (number,) = add(store, document("/notes/a.md", [f"Porto, {number}." for number in range(SENTENCES + 50)]))
        page = document_page(store, number)
    assert (len(page.sentences), page.all_sentences) == (SENTENCES, SENTENCES + 50)
    assert page.sentences[0].source.text == "Porto, 0."


def test_a_document_that_is_gone_and_a_node_that_is_none(store: Store) -> None:
    for number in (10**6, node(store, "Ghent")):
        with pytest.raises(NotFound, match="not in the vault any more"):
            document_page(store, number)
