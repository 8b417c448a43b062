"""The page of a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.browsable_notes import node
from helpers.small_documents import add, document

from noderag_local.config import load_settings
from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.note_page import note_page
from noderag_local.vault.vault import Vault


def document_at(store: Store, path: str) -> int:
    return int(store.value("SELECT d.id FROM documents d JOIN files f ON f.id = d.file_id WHERE path = ?", (path,)))


def test_it_has_the_text_in_its_order_with_its_places(store: Store) -> None:
    page = note_page(store, document_at(store, "/notes/people/marta.md"))
    assert page.path == "/notes/people/marta.md"
    assert page.text.lines[0].startswith("Marta Olivei")
    assert list(page.text.starts) == sorted(page.text.starts)
    assert "is gone. Below is what was indexed" in page.text.remark, "these files were never written"


def test_it_names_people_and_places_before_years(store: Store) -> None:
    page = note_page(store, document_at(store, "/notes/people/marta.md"))
    names = [entity.name for entity in page.entities]
    assert {"Marta Oliveira", "Porto"} <= set(names)
    assert names.index("Porto") < names.index("2019")


def test_links_lead_both_ways(store: Store) -> None:
    marta, bicycle = (document_at(store, f"/notes/{name}.md") for name in ("people/marta", "bicycle"))
    GraphRows(store).add_edges(EdgeType.LINK, [marta], [bicycle], [1.0])
    assert [linked.node for linked in note_page(store, marta).links] == [bicycle]
    assert [linked.node for linked in note_page(store, bicycle).linked_from] == [marta]


def test_a_book_is_there_to_its_end(tmp_path: Path) -> None:
    with Store.open(tmp_path / "long", write=True) as store:
        (number,) = add(store, document("/notes/a.epub", [f"Porto, {number}." for number in range(3_000)]))
        page = note_page(store, number)
    assert "Porto, 2999." in "\n".join(page.text.lines)


def test_documents_that_name_it_without_a_link_are_told_once_each(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Marta Oliveira\n\nShe lives in Porto.\n", "utf-8")
    (notes / "b.md").write_text("# Trip\n\nI met Marta Oliveira there. Marta Oliveira laughed.\n", "utf-8")
    (notes / "c.md").write_text("# Work\n\nAsk [[Marta Oliveira]] about it.\n", "utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "none")) as vault:
        vault.index([notes])
        page = vault.atlas.note(vault.atlas.linked_note("marta oliveira", str(notes / "c.md")))
        assert page.name == "Marta Oliveira"
        assert [linked.name for linked in page.linked_from] == ["Work"]
        assert [(source.title, source.text) for source in page.mentioned] == [("Trip", "I met Marta Oliveira there.")]


def test_a_link_is_followed_by_its_path_before_its_name(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for folder, town in (("x", "Oslo"), ("y", "Bergen")):
        (notes / folder).mkdir(parents=True)
        (notes / folder / "town.md").write_text(f"# {town}\n\nA town called {town}.\n", "utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "none")) as vault:
        vault.index([notes])
        name_of = {
            target: vault.atlas.note(vault.atlas.linked_note(target, str(notes / "y" / "a.md"))).name
            for target in ("town.md", "../x/town.md", "town", "Bergen")
        }
        assert name_of == {"town.md": "Bergen", "../x/town.md": "Oslo", "town": "Oslo", "Bergen": "Bergen"}
        assert vault.atlas.linked_note("nowhere", str(notes / "y" / "a.md")) == 0


def test_a_document_that_is_gone_and_a_node_that_is_none(store: Store) -> None:
    for number in (10**6, node(store, "Ghent")):
        with pytest.raises(NotFound, match="not in the vault any more"):
            note_page(store, number)
