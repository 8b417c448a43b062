"""OpenDocument slides: titles, lists, tables and notes, by slide."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted
from ingest.formats.reading import document

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError


def test_a_slide_is_its_title_its_text_and_its_notes() -> None:
    read = extracted(DOCUMENTS / "slides.odp")
    assert read.title == "The year of the orchard"
    assert [(block.kind, block.place, block.text) for block in read.blocks] == [
        (BlockKind.HEADING, "slide 1", "What we own"),
        (BlockKind.LIST_ITEM, "slide 1", "105 trees on one terrace"),
        (BlockKind.LIST_ITEM, "slide 1", "A press of 1949"),
        (BlockKind.HEADING, "slide 2", "What it brought in 2023"),
        (BlockKind.TABLE_ROW, "slide 2", "Variety: Boskoop; Kilograms: 5,104"),
        (BlockKind.TABLE_ROW, "slide 2", "Variety: Ontario; Kilograms: 960"),
        (BlockKind.PARAGRAPH, "slide 2", "Sold in Rinteln"),
        (BlockKind.HEADING, "slide 3", "slide 3"),
        (BlockKind.PARAGRAPH, "slide 3", "The second terrace is planted in November 2025."),
        (BlockKind.PARAGRAPH, "slide 3", "Ask Jürgen Weißenfels for the photographs."),
    ]
    assert read.blocks[1].headings == ("What we own",)


def test_footers_and_prompts_to_add_text_are_left_out() -> None:
    said = " ".join(block.text for block in extracted(DOCUMENTS / "slides.odp").blocks)
    assert "Click to add" not in said
    assert "The year of the orchard" not in said


def test_a_spreadsheet_is_no_slides() -> None:
    with pytest.raises(DocumentError, match="has no slides"):
        document("odp", (DOCUMENTS / "sheets.ods").read_bytes(), "a.odp")
