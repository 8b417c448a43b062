"""Reads the text layer of a PDF in reading order. The place is "page 3", counted from the first page of the file.

pdfium finds the letters; `page_columns` and `paragraphs` find columns, paragraphs and headings. If the file has an outline,
its entries say what is a heading and how deep, else the sizes of the fonts do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import pypdfium2
import pypdfium2.raw as pdfium

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.scan_notes import spelled_pages
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.pdf.page_columns import reading_order
from noderag_local.ingest.formats.pdf.page_furniture import without_contents, without_furniture
from noderag_local.ingest.formats.pdf.paragraphs import Paragraph, body_size, paragraphs_of
from noderag_local.ingest.formats.pdf.pdf_text import PageText, page_text
from noderag_local.ingest.formats.pdf.running_lines import lines_said_once
from noderag_local.ingest.formats.pdf.text_piece import Line

MAX_PAGES = 2_000
"""The rest of a longer file is left out, with a notice."""
MAX_OUTLINE_ENTRIES = 20_000
MAX_LEVELS = 6
_MAX_UNREADABLE = 0.3
"""Share of letters on a page that may be unknown before a notice says so."""
_TITLE_PAGES = 2

_LETTERS = re.compile(r"[^\W_]+")
_Outline = dict[tuple[int, str], int]
"""(page, letters of a heading) → its level, 1 the outermost."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    document = opened_pdf(file)
    try:
        pages = [read_page(document, index) for index in range(min(len(document), MAX_PAGES))]
        yield extracted_pdf(document, name, pages)
    finally:
        document.close()


def opened_pdf(file: BinaryIO) -> Any:
    """Returns a file as a document of pypdfium2.

    Raises:
        DocumentError: it is damaged, or locked by a password.
    """
    file.seek(0)
    try:
        return pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise DocumentError("it is locked by a password; save a copy without one to have it read") from error
        raise DocumentError("it is damaged, or no PDF: it cannot be opened") from error


def extracted_pdf(
    document: Any, name: str, pages: Sequence[PageText], more_notices: Sequence[str] = ()
) -> ExtractedDocument:
    """Returns what is read of a file.

    Args:
        document: document of pypdfium2.
        name: name of the file, without its folder.
        pages: text of its pages, from the first one on.
        more_notices: messages about what could not be read of them.
    """
    notices = [*_notices(pages), *more_notices]
    if len(document) > MAX_PAGES:
        notices.append(f"pages from {MAX_PAGES + 1:,} on are left out; split the file to have them read")
    lines = [
        [line for pieces in page.turns for line in reading_order(pieces, number)]
        for number, page in enumerate(pages, start=1)
    ]
    shown = without_furniture([(page.height, of_page) for page, of_page in zip(pages, lines, strict=True)])
    paragraphs = paragraphs_of([without_contents(of_page) for of_page in shown])
    paragraphs = _with_running_lines(paragraphs, lines, shown)
    writer = BlockWriter()
    writer.title = own_title(document.get_metadata_value("Title"), name) or _printed_title(paragraphs)
    _write(writer, paragraphs, _outline(document))
    pictures = tuple(number for number, page in enumerate(pages, start=1) if page.is_picture)
    return ExtractedDocument(writer.title, tuple(writer.blocks), notices=tuple(notices), scanned_pages=pictures)


def _with_running_lines(
    paragraphs: Sequence[Paragraph], lines: Sequence[Sequence[Line]], shown: Sequence[Sequence[Line]]
) -> list[Paragraph]:
    """Returns the blocks with what only running heads and feet say, at the end of the page, where it cuts no sentence in two."""
    text = [set(of_page) for of_page in shown]
    running = [line for of_page, kept in zip(lines, text, strict=True) for line in of_page if line not in kept]
    said = lines_said_once(running, [line for of_page in shown for line in of_page])
    added = [Paragraph(BlockKind.PARAGRAPH, line.text, line.page, round(line.size, 1), line.is_bold) for line in said]
    return sorted([*paragraphs, *added], key=lambda block: block.page)


def read_page(document: Any, index: int) -> PageText:
    """Returns a page; a damaged one has no text."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return PageText((), 0.0, False, 1.0)
    try:
        return page_text(page)
    except pypdfium2.PdfiumError:
        return PageText((), 0.0, False, 1.0)
    finally:
        page.close()


def _printed_title(paragraphs: Sequence[Paragraph]) -> str:
    """Returns the largest heading of the first pages; "" if several are as large."""
    early = [block for block in paragraphs if block.page <= _TITLE_PAGES and block.kind is BlockKind.HEADING]
    largest = max((block.size for block in early), default=0.0)
    titles = [block for block in early if block.size == largest]
    return " ".join(titles[0].text.split()) if len(titles) == 1 and largest > body_size(paragraphs) else ""


def _outline(document: Any) -> _Outline:
    outline: _Outline = {}
    try:
        for number, entry in enumerate(document.get_toc(max_depth=MAX_LEVELS)):
            if number >= MAX_OUTLINE_ENTRIES:
                break
            target = entry.get_dest()
            index = target.get_index() if target else None
            letters = _letters(entry.get_title())
            if index is not None and letters:
                outline.setdefault((index + 1, letters), entry.level + 1)
    except pypdfium2.PdfiumError:
        return outline
    return outline


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text.casefold()))


def _write(writer: BlockWriter, paragraphs: Sequence[Paragraph], outline: _Outline) -> None:
    sizes = _heading_sizes(paragraphs, writer.title)
    # Where nothing is the title, a heading of level 1 would be taken for it.
    shift = 0 if writer.title else 1
    deepest = max(outline.values(), default=0) + shift
    for block in paragraphs:
        where = Whereabouts(f"page {block.page}")
        listed = outline.get((block.page, _letters(block.text)))
        if listed is not None:
            writer.heading(listed + shift, block.text, where)
        elif block.kind is not BlockKind.HEADING or _letters(block.text) == _letters(writer.title):
            writer.add(block.kind, block.text, where)
        else:
            level = sizes.index((block.size, block.is_bold)) + 1
            writer.heading(min(deepest + level, MAX_LEVELS), block.text, where)


def _heading_sizes(paragraphs: Sequence[Paragraph], title: str) -> list[tuple[float, bool]]:
    """Returns (font size, whether bold) of the headings, from the most to the least important."""
    styles = {
        (block.size, block.is_bold)
        for block in paragraphs
        if block.kind is BlockKind.HEADING and _letters(block.text) != _letters(title)
    }
    return sorted(styles, reverse=True)


def _notices(pages: Sequence[PageText]) -> Iterator[str]:
    garbled = [number for number, page in enumerate(pages, start=1) if page.unreadable > _MAX_UNREADABLE]
    if garbled:
        yield f"{spelled_pages(garbled)} {'has' if len(garbled) == 1 else 'have'} letters that cannot be told"


EXTRACTOR = Extractor(_read)
