"""OpenDocument texts (.odt): headings by outline level, lists, tables as statements, footnotes, text frames.

Comments, tracked deletions and tables of contents are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.tabular import stated_rows
from noderag_local.ingest.formats.office.zipped import Archive

MAX_DEPTH = 60
"""Deepest level of lists in lists and tables in cells; deeper ones are left out."""
MAX_REPEATED = 64
"""Cells or spaces that a file says to repeat; more are only there to fill the page."""

_NAMESPACE = "{{urn:oasis:names:tc:opendocument:xmlns:{}:1.0}}"
_OFFICE, _TEXT, _TABLE, _DRAW, _STYLE = (
    _NAMESPACE.format(name) for name in ("office", "text", "table", "drawing", "style")
)
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_LEFT_OUT = {
    f"{_OFFICE}annotation",
    f"{_OFFICE}annotation-end",
    f"{_OFFICE}forms",
    f"{_TEXT}tracked-changes",
    f"{_TEXT}sequence-decls",
    f"{_TEXT}note-citation",
    *(f"{_TEXT}{name}" for name in ("table-of-content", "alphabetical-index", "illustration-index", "table-index")),
    *(f"{_TEXT}{name}" for name in ("ruby-text", "bookmark-start", "bookmark-end")),
}
_SIGNS = {f"{_TEXT}tab": " ", f"{_TEXT}line-break": "\n"}
_ROW_GROUPS = {f"{_TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group")}
_ASIDE = {f"{_TEXT}note-body", f"{_DRAW}text-box"}


class _Reader:
    def __init__(self, content: Element, title: str) -> None:
        self.writer = BlockWriter()
        self.writer.title = title
        self._parents = {
            style.get(f"{_STYLE}name", ""): style.get(f"{_STYLE}parent-style-name", "")
            for style in content.iter(f"{_STYLE}style")
        }

    def container(self, element: Element, kind: BlockKind, depth: int) -> None:
        """Reads the paragraphs, lists and tables of a body, section, list item, cell or frame in order."""
        if depth > MAX_DEPTH:
            return
        code: list[str] = []
        for child in element:
            if child.tag == f"{_TEXT}p" and "Preformatted_20_Text" in self._styles(child):
                code.append(_text(child, []))
                continue
            self._program_text(code)
            if child.tag == f"{_TEXT}h":
                self._paragraph(child, kind, depth, _outline_level(child))
            elif child.tag == f"{_TEXT}p":
                self._paragraph(child, kind, depth, 0)
            elif child.tag in (f"{_TEXT}list-item", f"{_TEXT}list-header"):
                self.container(child, BlockKind.LIST_ITEM, depth + 1)
            elif child.tag == f"{_TABLE}table":
                self._table(child, depth)
            elif child.tag not in _LEFT_OUT:
                self.container(child, kind, depth + 1)
        self._program_text(code)

    def _styles(self, paragraph: Element) -> tuple[str, str]:
        """Returns the style of a paragraph, which may be for it alone, and the style that this is based on."""
        style = paragraph.get(f"{_TEXT}style-name", "")
        return style, self._parents.get(style, "")

    def _program_text(self, lines: list[str]) -> None:
        """Writes consecutive paragraphs of program text as one block."""
        self.writer.add(BlockKind.CODE, "\n".join(lines))
        lines.clear()

    def _paragraph(self, paragraph: Element, kind: BlockKind, depth: int, level: int) -> None:
        aside: list[Element] = []
        text = _text(paragraph, aside)
        if "Title" in self._styles(paragraph):
            self.writer.title = self.writer.title or " ".join(text.split())
            self.writer.add(BlockKind.HEADING, text)
        elif level:
            self.writer.heading(level, text)
        else:
            self.writer.add(kind, text)
        self._put_aside(aside, depth)

    def _put_aside(self, aside: list[Element], depth: int) -> None:
        """Writes footnotes and frames, after the paragraph that they belong to."""
        for element in aside:
            self.container(element, BlockKind.PARAGRAPH, depth + 1)

    def _table(self, table: Element, depth: int) -> None:
        rows: list[list[str]] = []
        aside: list[Element] = []
        for row in _rows(table):
            cells: list[str] = []
            for cell in row:
                if cell.tag in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                    repeated = cell.get(f"{_TABLE}number-columns-repeated", "1")
                    times = int(repeated) if repeated.isdecimal() else 1
                    cells += [_text(cell, aside).strip()] * min(times, MAX_REPEATED)
            rows.append(cells)
        for _, statement in stated_rows(rows):
            self.writer.add(BlockKind.TABLE_ROW, statement)
        self._put_aside(aside, depth)


def _rows(table: Element) -> Iterator[Element]:
    """Yields the rows of a table in order, without those of tables in its cells."""
    waiting = list(reversed(table))
    while waiting:
        child = waiting.pop()
        if child.tag == f"{_TABLE}table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            waiting.extend(reversed(child))


def _outline_level(heading: Element) -> int:
    level = heading.get(f"{_TEXT}outline-level", "1")
    return max(int(level), 1) if level.isdecimal() else 1


def _text(element: Element, aside: list[Element]) -> str:
    """Returns the text of an element, and adds its footnotes and frames to the list.

    It keeps its own stack, so that no depth of nesting ends the program.
    """
    pieces: list[str] = []
    waiting: list[Element | str] = [element]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        if node is not element and node.tail:
            waiting.append(node.tail)
        if node.tag in _ASIDE:
            aside.append(node)
        elif node.tag == f"{_TEXT}s":
            count = node.get(f"{_TEXT}c", "1")
            pieces.append(" " * min(int(count) if count.isdecimal() else 1, MAX_REPEATED))
        elif node.tag in _SIGNS:
            pieces.append(_SIGNS[node.tag])
        elif node.tag not in _LEFT_OUT:
            if node.tag in (f"{_TEXT}p", f"{_TEXT}h") and pieces:
                pieces.append(" ")
            waiting.extend(reversed(node))
            pieces.append(node.text or "")
    return "".join(pieces)


def _title(archive: Archive) -> str:
    if "meta.xml" not in archive.names:
        return ""
    title = archive.xml("meta.xml").find(f".//{_TITLE}")
    return "" if title is None else " ".join((title.text or "").split())


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    archive = Archive(file)
    if "META-INF/manifest.xml" in archive.names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise DocumentError("it is locked by a password; save a copy without one to have it read")
    content = archive.xml("content.xml")
    body = content.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise DocumentError("it is damaged, or no OpenDocument text: it has no text body")
    reader = _Reader(content, _title(archive))
    reader.container(body, BlockKind.PARAGRAPH, 0)
    yield ExtractedDocument(reader.writer.title, tuple(reader.writer.blocks))


EXTRACTOR = Extractor(_read)
