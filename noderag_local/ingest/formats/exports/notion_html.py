"""Reads pages that Notion exports as HTML: title, properties and text, with the links to other pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from selectolax.lexbor import LexborHTMLParser, LexborNode

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import NOWHERE, BlockWriter, folded_text
from noderag_local.ingest.formats.exports.note_head import BOX, TICKED
from noderag_local.ingest.formats.exports.notion_names import page_link, page_name, tags_of
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.markup.html import page_text, write_linked_page
from noderag_local.ingest.formats.markup.html_content import parsed

NO_TEXT = "article > header, .icon, nav"
"""Parts of a page that are read separately or have no text."""

_BOX = re.compile(r"<div class=\"checkbox checkbox-(on|off)\">\s*</div>")


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = page_text(file)
    page = parsed(text)
    writer = BlockWriter()
    title = page.css_first(".page-title")
    writer.title = folded_text(title.text()) if title else ""
    tags = _write_properties(page, writer)
    for described in page.css(".page-description"):
        writer.add(BlockKind.PARAGRAPH, described.text())
    write_linked_page(_BOX.sub(_box, text), writer, NOWHERE, page_link, NO_TEXT)
    yield ExtractedDocument(
        writer.title or page_name(name), tuple(writer.blocks), tuple(dict.fromkeys(tags)), (page_name(name),)
    )


def _write_properties(page: LexborHTMLParser, writer: BlockWriter) -> list[str]:
    """Writes each property of a page, such as "Status: Done"; returns its tags."""
    tags: list[str] = []
    for row in page.css("article > header table.properties tr"):
        called, held = row.css_first("th"), row.css_first("td")
        if called is None or held is None:
            continue
        name, value = folded_text(_without_icons(called)), _value(held)
        if value:
            writer.add(BlockKind.PARAGRAPH, f"{name}: {value}")
            tags += tags_of(name, value)
    return tags


def _without_icons(cell: LexborNode) -> str:
    icons = "".join(icon.text() for icon in cell.css(".icon"))
    return cell.text().removeprefix(icons)


def _value(cell: LexborNode) -> str:
    """Returns the value of a property; several values are separated by commas."""
    chosen = [folded_text(one.text()) for one in cell.css(".selected-value, .user, a")]
    box = cell.css_first(".checkbox")
    if box is not None:
        return "yes" if "checkbox-on" in (box.attributes.get("class") or "") else "no"
    return ", ".join(filter(None, chosen)) or folded_text(cell.text()).replace("@", "", 1)


def _box(match: re.Match[str]) -> str:
    return TICKED if match[1] == "on" else BOX


EXTRACTOR = Extractor(_read)
