"""One known text in every office format, as different programs write it: nothing is lost, and the order is kept."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted, known_words, order_kept, recall, words

from noderag_local.domain.documents import BlockKind

LEAST = 0.98
WITHOUT_CJK = {"known-two-columns.pdf", "known-small-pages.pdf", "known-groff.pdf"}
NARROW = {"known-two-columns.pdf", "known-groff.pdf"}
"""Their columns are so narrow that the table's cells are parted words, which no rule reads as rows."""
PLAIN = {"known-libreoffice.epub"}
"""LibreOffice 7.4 writes the headings and lists of a book as paragraphs, and loses the header of a table."""
KNOWN = sorted(path.name for path in DOCUMENTS.glob("known-*.*"))
STRUCTURED = [name for name in KNOWN if name not in PLAIN]


def words_in(name: str) -> list[str]:
    return known_words(with_cjk=name not in WITHOUT_CJK)


@pytest.mark.parametrize("name", KNOWN)
def test_all_words_are_there_in_order(name: str) -> None:
    document = extracted(DOCUMENTS / name)
    assert recall(words_in(name), document) >= LEAST
    assert order_kept(words_in(name), document) >= LEAST


@pytest.mark.parametrize("name", KNOWN)
def test_it_says_little_that_is_not_in_the_text(name: str) -> None:
    said = [word for block in extracted(DOCUMENTS / name).blocks for word in words(block.text)]
    assert len(said) < 1.06 * len(words_in(name))


@pytest.mark.parametrize("name", STRUCTURED)
def test_every_block_knows_its_headings(name: str) -> None:
    under = {block.text[:20]: block.headings for block in extracted(DOCUMENTS / name).blocks}
    # Where a file has no title, the first heading is taken for it.
    above = () if name == "known-pandoc.rtf" else ("The orchard and its people",)
    assert under["a list of harvests, "] == (*above, "The ledger")
    assert under["The cooperative want"] == ("Work through the year", "What is planned")


@pytest.mark.parametrize("name", STRUCTURED)
def test_list_items_and_headings_are_told_from_paragraphs(name: str) -> None:
    kinds = {block.text[:16]: block.kind for block in extracted(DOCUMENTS / name).blocks}
    assert kinds["After the flood "] is BlockKind.PARAGRAPH
    assert kinds["The press"] is BlockKind.HEADING
    assert kinds["a list of harves"] is BlockKind.LIST_ITEM


@pytest.mark.parametrize("name", [name for name in STRUCTURED if name not in NARROW])
def test_rows_of_the_table_are_statements(name: str) -> None:
    rows = [block.text for block in extracted(DOCUMENTS / name).blocks if block.kind is BlockKind.TABLE_ROW]
    assert rows[2] == "Variety: Boskoop; Trees: 44; Kilograms: 5,104; Keeper: Anneke Smit"
    assert len(rows) == 4


@pytest.mark.parametrize("name", KNOWN)
def test_reading_twice_gives_the_same(name: str) -> None:
    assert extracted(DOCUMENTS / name) == extracted(DOCUMENTS / name)


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "known-pandoc.rtf"])
def test_the_title_is_found(name: str) -> None:
    assert extracted(DOCUMENTS / name).title == "The Orchard Book of Lindenau"
