"""PDF: pages, columns, running heads, turned lines, pages without text."""

from __future__ import annotations

import io
import random

import pypdfium2
import pytest
from ingest.formats.known_text import DOCUMENTS, extracted

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.pdf.pdf_file import EXTRACTOR


def text_of(name: str) -> str:
    return "\n".join(block.text for block in extracted(DOCUMENTS / name).blocks)


def test_a_block_stands_on_the_page_where_a_reader_finds_it() -> None:
    document = extracted(DOCUMENTS / "known-small-pages.pdf")
    with pypdfium2.PdfDocument(DOCUMENTS / "known-small-pages.pdf") as pages:
        printed = [page.get_textpage().get_text_range() for page in pages]
    assert len(printed) == 5
    for block in document.blocks:
        page = int(block.place.removeprefix("page "))
        value = block.text.split(": ")[-1] if block.kind is BlockKind.TABLE_ROW else block.text
        assert value.split()[0] in printed[page - 1].replace("\ufffe", "")
    places = {block.text[:12]: block.place for block in document.blocks}
    assert places["After the fl"] == "page 1" and places["Nothing of t"] == "page 5"


def test_columns_are_read_one_after_the_other() -> None:
    for name in ("known-two-columns.pdf", "known-groff.pdf"):
        text = text_of(name)
        assert "a gentle slope above the river Weser. It was planted in 1874" in text
        assert text.index("lower terrace was given up") < text.index("The ledger") < text.index("iron gall")


def test_a_word_that_is_parted_at_a_line_end_is_whole_again() -> None:
    text = text_of("known-two-columns.pdf")
    assert "belongs to a cooperative with 212 members" in text
    assert "three generations of volunteers" in text
    assert "bought second-hand in 1949" in text


def test_running_heads_are_read_once_if_the_text_does_not_say_the_same() -> None:
    document = extracted(DOCUMENTS / "known-two-columns.pdf")
    assert [block.place for block in document.blocks if "second printing" in block.text] == ["page 1"]
    assert "1 / 2" not in text_of("known-two-columns.pdf")
    small = text_of("known-small-pages.pdf")
    assert "The Orchard Book ·" not in small and "– 3 –" not in small


def test_a_paragraph_that_runs_over_a_page_is_one() -> None:
    (block,) = [
        block
        for block in extracted(DOCUMENTS / "known-small-pages.pdf").blocks
        if block.text.startswith("Pruning") or "Pruning" in block.text
    ]
    assert block.text.startswith("The work begins in January") and block.text.endswith(
        "hold moisture and rot under it."
    )


def test_pages_that_are_pictures_are_named() -> None:
    document = extracted(DOCUMENTS / "pictures.pdf")
    assert (document.scanned_pages, document.notices) == ((2, 3), ())
    assert document.blocks[0].text == "The first page has a sentence."


def test_turned_lines_are_read_from_their_own_side() -> None:
    turned = {block.place: block.text for block in extracted(DOCUMENTS / "pictures.pdf").blocks}
    assert turned["page 4"] == "Whoever turns the book by a quarter reads this line and then the line below it."
    assert turned["page 5"] == "Whoever turns it the other way reads this other line and then its second line."
    assert turned["page 6"] == "Whoever stands on the head reads these words before those."


def test_a_title_that_a_program_made_up_is_none() -> None:
    assert extracted(DOCUMENTS / "pictures.pdf").title == ""


def test_a_locked_file_says_so() -> None:
    with pytest.raises(DocumentError, match="locked by a password"):
        extracted(DOCUMENTS / "unreadable" / "locked.pdf")


def test_what_is_no_pdf_says_so() -> None:
    with pytest.raises(DocumentError, match="no PDF"):
        list(EXTRACTOR.read(io.BytesIO(b"Dear Jonas"), "a.pdf"))


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_file_is_read_in_part_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray((DOCUMENTS / "known-groff.pdf").read_bytes())
    for _ in range(40):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        (document,) = EXTRACTOR.read(io.BytesIO(bytes(data[: chance.randrange(len(data) // 2, len(data))])), "a.pdf")
    except DocumentError:
        return
    assert all(block.text and block.kind in BlockKind for block in document.blocks)
