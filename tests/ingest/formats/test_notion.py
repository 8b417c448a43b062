"""Pages and tables of Notion."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.word_counter import read, sentences, texts
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document
from ingest.formats.reading import texts as block_texts

from noderag_local.domain.documents import WikiLink
from noderag_local.ingest.formats.exports.notion_names import page_link, page_name, without_ids
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.scan.scan import scan

ID = f"{0xA1:032x}"


def page(tmp_path: Path, text: str) -> Path:
    path = tmp_path / f"Recipes {ID}.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_page_with_properties_tags_and_links(tmp_path: Path) -> None:
    (found,), skipped = read(DOCUMENTS / f"Recipes {ID}.md")
    assert (found.title, found.tags, found.aliases, skipped) == ("Recipes", ("cooking", "orchard"), (), [])
    assert texts(found) == [
        "Recipes",
        "Status: Done",
        "Tags: cooking, orchard",
        "Created: May 1, 2024 3:05 PM",
        "All of them need ripe fruit.",
        "Cider",
        "Try the perry",
    ]
    assert [one.links for one in sentences(found)][5] == (WikiLink("Cider", "Cider"),)
    assert [one.passage.first_line for one in sentences(found)] == [1, 3, 4, 5, 7, 9, 11]


def test_a_paragraph_that_only_begins_like_properties_is_text(tmp_path: Path) -> None:
    (found,), _ = read(page(tmp_path, "# R\n\nNote: this is prose\nthat goes on.\n"))
    assert texts(found) == ["R", "Note: this is prose that goes on."]


def test_a_page_without_a_heading_is_called_by_its_file(tmp_path: Path) -> None:
    (found,), _ = read(page(tmp_path, "Only text.\n"))
    assert (found.title, texts(found)) == ("Recipes", ["Only text."])


def test_a_page_in_html() -> None:
    path = next(DOCUMENTS.glob("Press *.html"))
    found = document("notion-html", path.read_bytes(), path.name)
    assert (found.title, found.tags) == ("Press", ("barn", "iron"))
    assert block_texts(found) == [
        "Tags: barn, iron",
        "What stands in the barn.",
        "It goes with the Cider.",
        "- [ ] Oil the spindle",
    ]
    assert found.blocks[2].links == (WikiLink("Cider", "Cider"),)


def test_links_in_the_rows_of_a_table() -> None:
    rows = "".join(f'<tr><td><a href="{name}%20{ID}.html">{name}</a></td><td>3</td></tr>' for name in ("Cabin", "Boat"))
    table = f"<table><tr><th>Name</th><th>Nights</th></tr>{rows}</table>"
    found = document("notion-html", f"<article><header></header>{table}</article>", f"Trip {ID}.html")
    assert found.title == "Trip"
    assert [(block.text, block.links) for block in found.blocks] == [
        ("Name: Cabin; Nights: 3", (WikiLink("Cabin", "Cabin"),)),
        ("Name: Boat; Nights: 3", (WikiLink("Boat", "Boat"),)),
    ]


def test_all_rows_of_a_table_are_read_and_the_view_of_some_is_not(tmp_path: Path) -> None:
    (tmp_path / f"Tasks {ID}.csv").write_text("Name,State\nA,open\n", encoding="utf-8")
    (tmp_path / f"Tasks {ID}_all.csv").write_text("Name,State\nA,open\nB,done\n", encoding="utf-8")
    (tmp_path / f"Other {ID}.csv").write_text("Name,State\nC,open\n", encoding="utf-8")
    files = scan([tmp_path], 1 << 20).files
    assert [Path(file.path).name for file in files] == [f"Other {ID}.csv", f"Tasks {ID}_all.csv"]
    (found,), _ = read(Path(files[1].path))
    assert (found.title, texts(found)) == ("Tasks", ["Name: A; State: open", "Name: B; State: done"])


@pytest.mark.parametrize(
    ("address", "link"),
    [
        (f"Recipes%20{ID}/Bread%20and%20butter%20{ID}.md", WikiLink("Bread and butter", "here")),
        (f"Tasks%20{ID}.csv", WikiLink("Tasks", "here")),
        (f"https://www.notion.so/Bread-{ID}", None),
        (f"https://x.example/Bread%20{ID}.md", None),
        ("Bread.md", None),
        ("#top", None),
        ("", None),
    ],
)
def test_links_to_pages_name_them(address: str, link: WikiLink | None) -> None:
    assert page_link(address, "here") == link


def test_names_without_identifiers() -> None:
    assert without_ids(f"Private & Shared/Recipes {ID}/Bread {ID}.md") == "Private & Shared/Recipes/Bread.md"
    assert page_name(f"a/Tasks {ID}_all.csv") == "Tasks"
    assert without_ids(f"hash {ID[:31]}.md") == f"hash {ID[:31]}.md"
    assert format_of(f"hash {ID[:31]}.md").name == "markdown"
