"""Slides: their titles, tables and notes, and the number of the slide."""

from __future__ import annotations

from pathlib import Path

import pptx
import pytest
from ingest.formats.known_text import DOCUMENTS, extracted
from pptx.util import Inches

from noderag_local.domain.documents import BlockKind


@pytest.mark.parametrize("name", ["slides-pandoc.pptx", "slides-libreoffice.pptx"])
def test_a_deck_is_read_slide_by_slide(name: str) -> None:
    document = extracted(DOCUMENTS / name)
    assert document.title == "The year of the orchard"
    assert [(block.kind, block.text, block.place) for block in document.blocks] == [
        (BlockKind.HEADING, "The year of the orchard", "slide 1"),
        (BlockKind.PARAGRAPH, "Mara Feldhusen", "slide 1"),
        (BlockKind.HEADING, "What we own", "slide 2"),
        (BlockKind.LIST_ITEM, "105 trees on one terrace", "slide 2"),
        (BlockKind.LIST_ITEM, "A press of 1949, with an oak basket", "slide 2"),
        (BlockKind.LIST_ITEM, "180 litres an hour", "slide 2"),
        (BlockKind.LIST_ITEM, "A ledger of 1,406 pages", "slide 2"),
        (BlockKind.HEADING, "What it brought in 2023", "slide 3"),
        (BlockKind.TABLE_ROW, "Variety: Boskoop; Kilograms: 5,104; Keeper: Anneke Smit", "slide 3"),
        (BlockKind.TABLE_ROW, "Variety: Ontario; Kilograms: 960; Keeper: Paula Reinke", "slide 3"),
        (BlockKind.HEADING, "What comes next", "slide 4"),
        (BlockKind.PARAGRAPH, "The second terrace is planted in November 2025. 美しいりんご", "slide 4"),
        (
            BlockKind.PARAGRAPH,
            "Ask Jürgen Weißenfels for the photographs of page 612 before the meeting.",
            "slide 4",
        ),
    ]
    assert document.blocks[3].headings == ("What we own",)


def test_text_in_groups_is_read_and_the_date_is_not(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1)).text_frame.text = "The oak basket\nis new"
    deck.save(str(tmp_path / "a.pptx"))
    blocks = extracted(tmp_path / "a.pptx").blocks
    assert [block.text for block in blocks] == ["slide 1", "The oak basket", "is new"]
