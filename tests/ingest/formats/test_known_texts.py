"""One known text in every format of lines and pages: nothing is lost, the order is kept, and the lines are right."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted, known_words, order_kept, recall, words

from noderag_local.domain.documents import BlockKind

LEAST = 0.98
NAMES = [
    "orchard-pandoc.org",
    "orchard-pandoc.rst",
    "orchard-pandoc.tex",
    "orchard-pandoc.ipynb",
    "orchard-saved.html",
    "orchard.eml",
]
WITH_LINES = ["orchard-pandoc.org", "orchard-pandoc.rst", "orchard-pandoc.tex"]
WITH_BLOCKS = [name for name in NAMES if name != "orchard.eml"]
WITH_TITLE = [name for name in WITH_BLOCKS if name != "orchard-pandoc.ipynb"]


@pytest.mark.parametrize("name", NAMES)
def test_all_words_are_there_in_order_and_few_others(name: str) -> None:
    read = extracted(DOCUMENTS / name)
    known = known_words()
    assert recall(known, read) >= LEAST
    assert order_kept(known, read) >= LEAST
    assert sum(len(words(block.text)) for block in read.blocks) < 1.06 * len(known)


@pytest.mark.parametrize("name", WITH_LINES)
def test_a_block_is_found_in_the_lines_that_it_names(name: str) -> None:
    lines = (DOCUMENTS / name).read_text(encoding="utf-8").split("\n")
    for block in extracted(DOCUMENTS / name).blocks:
        there = words("\n".join(lines[block.first_line - 1 : block.last_line]))
        said = [word for word in words(block.text) if len(word) > 3 and block.kind is not BlockKind.TABLE_ROW]
        assert set(said) <= set(there), block
        if block.kind is BlockKind.PARAGRAPH:
            assert len(there) < 2 * len(words(block.text)) + 12, block


@pytest.mark.parametrize("name", WITH_TITLE)
def test_every_block_knows_its_headings(name: str) -> None:
    read = extracted(DOCUMENTS / name)
    under = {block.text[:20]: block.headings[-2:] for block in read.blocks}
    assert under["a list of harvests, "] == ("The orchard and its people", "The ledger")
    assert under["The cooperative want"] == ("Work through the year", "What is planned")
    assert read.title == "The Orchard Book of Lindenau"


@pytest.mark.parametrize("name", WITH_BLOCKS)
def test_list_items_and_rows_are_told_from_paragraphs(name: str) -> None:
    read = extracted(DOCUMENTS / name)
    kinds = {block.text[:16]: block.kind for block in read.blocks}
    assert kinds["After the flood "] is BlockKind.PARAGRAPH
    assert kinds["The press"] is BlockKind.HEADING
    assert kinds["a list of harves"] is BlockKind.LIST_ITEM
    assert any("44" in block.text for block in read.blocks if block.kind is BlockKind.TABLE_ROW)


@pytest.mark.parametrize("name", NAMES)
def test_reading_twice_gives_the_same(name: str) -> None:
    assert extracted(DOCUMENTS / name) == extracted(DOCUMENTS / name)
