"""Reads the text of OpenDocument files: paragraphs, lists, tables as statements, footnotes, text frames.

Texts (.odt) and slides (.odp) consist of the same elements. Comments, tracked deletions and tables of contents are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import NOWHERE, BlockWriter, Whereabouts
from noderag_local.ingest.formats.office.tabular import may_have_header, stated_rows
from noderag_local.ingest.formats.zipped import Archive

MAX_DEPTH = 60
"""Maximum depth of nested lists and of tables in cells; deeper ones are left out."""
MAX_REPEATED = 64
"""Maximum number of times that a cell or space is repeated; higher numbers only fill the page."""

NAMESPACE = "{{urn:oasis:names:tc:opendocument:xmlns:{}:1.0}}"
OFFICE, TEXT, TABLE, DRAW, STYLE = (NAMESPACE.format(name) for name in ("office", "text", "table", "drawing", "style"))
COLUMNS_REPEATED = f"{TABLE}number-columns-repeated"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_LEFT_OUT = {
    f"{OFFICE}annotation",
    f"{OFFICE}annotation-end",
    f"{OFFICE}forms",
    f"{TEXT}tracked-changes",
    f"{TEXT}sequence-decls",
    f"{TEXT}note-citation",
    *(f"{TEXT}{name}" for name in ("table-of-content", "alphabetical-index", "illustration-index", "table-index")),
    *(f"{TEXT}{name}" for name in ("ruby-text", "bookmark-start", "bookmark-end")),
}
_SIGNS = {f"{TEXT}tab": " ", f"{TEXT}line-break": "\n"}
_ROW_GROUPS = {f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group")}
_ASIDE = {f"{TEXT}note-body", f"{DRAW}text-box"}


def opened_archive(file: BinaryIO) -> Archive:
    """Opens an OpenDocument file.

    Raises:
        DocumentError: it is not an OpenDocument file, is damaged, or is locked by a password.
    """
    archive = Archive(file)
    if "META-INF/manifest.xml" in archive.names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise DocumentError("it is locked by a password; save a copy without one to have it read")
    return archive


def title_of(archive: Archive) -> str:
    """Returns the title in the properties of a file; "" if it has none."""
    if "meta.xml" not in archive.names:
        return ""
    title = archive.xml("meta.xml").find(f".//{_TITLE}")
    return "" if title is None else " ".join((title.text or "").split())


def repeats(element: Element, attribute: str) -> int:
    """Returns how often a cell, row or space is repeated; 1 if the file does not say."""
    given = element.get(attribute, "1")
    return max(int(given), 1) if given.isdecimal() and len(given) < 10 else 1


class TextWalk:
    """Writes the contents of elements of a file, in order."""

    def __init__(self, content: Element, title: str) -> None:
        """Stores the arguments; nothing is written yet.

        Args:
            content: root element of `content.xml`, which has the styles.
            title: title in the file's properties; "" if it has none.
        """
        self.writer = BlockWriter()
        self.writer.title = title
        self.where: Whereabouts = NOWHERE
        """Place of the blocks that are written next."""
        self._parents = {
            style.get(f"{STYLE}name", ""): style.get(f"{STYLE}parent-style-name", "")
            for style in content.iter(f"{STYLE}style")
        }

    def container(self, element: Iterable[Element], kind: BlockKind, depth: int) -> None:
        """Writes the paragraphs, lists and tables of a body, section, list item, cell or frame in order.

        Args:
            element: element whose children are written.
            kind: kind of the paragraphs directly in it.
            depth: nesting level of the element; 0 for the body.
        """
        if depth > MAX_DEPTH:
            return
        code: list[str] = []
        for child in element:
            if child.tag == f"{TEXT}p" and "Preformatted_20_Text" in self._styles(child):
                code.append(text_of_element(child, []))
                continue
            self._program_text(code)
            if child.tag == f"{TEXT}h":
                self._paragraph(child, kind, depth, _outline_level(child))
            elif child.tag == f"{TEXT}p":
                self._paragraph(child, kind, depth, 0)
            elif child.tag in (f"{TEXT}list-item", f"{TEXT}list-header"):
                self.container(child, BlockKind.LIST_ITEM, depth + 1)
            elif child.tag == f"{TABLE}table":
                self._table(child, depth)
            elif child.tag not in _LEFT_OUT:
                self.container(child, kind, depth + 1)
        self._program_text(code)

    def _styles(self, paragraph: Element) -> tuple[str, str]:
        """Returns the style of a paragraph, which may be its own automatic style, and the style on which it is based."""
        style = paragraph.get(f"{TEXT}style-name", "")
        return style, self._parents.get(style, "")

    def _program_text(self, lines: list[str]) -> None:
        """Writes consecutive paragraphs of program text as one block."""
        self.writer.add(BlockKind.CODE, "\n".join(lines), self.where)
        lines.clear()

    def _paragraph(self, paragraph: Element, kind: BlockKind, depth: int, level: int) -> None:
        aside: list[Element] = []
        text = text_of_element(paragraph, aside)
        if "Title" in self._styles(paragraph):
            self.writer.title = self.writer.title or " ".join(text.split())
            self.writer.add(BlockKind.HEADING, text, self.where)
        elif level:
            self.writer.heading(level, text, self.where)
        else:
            self.writer.add(kind, text, self.where)
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
                if cell.tag in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
                    times = min(repeats(cell, COLUMNS_REPEATED), MAX_REPEATED)
                    cells += [text_of_element(cell, aside).strip()] * times
            rows.append(cells)
        has_header = may_have_header(rows, is_marked=self._marks_header(table))
        for _, statement in stated_rows(rows, has_header=has_header):
            self.writer.add(BlockKind.TABLE_ROW, statement, self.where)
        self._put_aside(aside, depth)

    def _marks_header(self, table: Element) -> bool:
        """Whether the first row of a table is repeated on each page, or looks like a heading by a style."""
        first = next(_rows(table), None)
        paragraphs = list(first.iter(f"{TEXT}p")) if first is not None else []
        return (
            table.find(f"{TABLE}table-header-rows") is not None
            or table.get(f"{TABLE}use-first-row-styles") == "true"
            or (bool(paragraphs) and all("Table_20_Heading" in self._styles(paragraph) for paragraph in paragraphs))
        )


def _rows(table: Element) -> Iterator[Element]:
    """Yields the rows of a table in order, without rows of nested tables."""
    waiting = list(reversed(table))
    while waiting:
        child = waiting.pop()
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            waiting.extend(reversed(child))


def _outline_level(heading: Element) -> int:
    level = heading.get(f"{TEXT}outline-level", "1")
    return max(int(level), 1) if level.isdecimal() else 1


def text_of_element(element: Element, aside: list[Element]) -> str:
    """Returns the text of an element; its footnotes and frames are added to a list instead.

    It does not recurse, so that deep nesting cannot overflow the stack.
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
        elif node.tag == f"{TEXT}s":
            pieces.append(" " * min(repeats(node, f"{TEXT}c"), MAX_REPEATED))
        elif node.tag in _SIGNS:
            pieces.append(_SIGNS[node.tag])
        elif node.tag not in _LEFT_OUT:
            if node.tag in (f"{TEXT}p", f"{TEXT}h") and pieces:
                pieces.append(" ")
            waiting.extend(reversed(node))
            pieces.append(node.text or "")
    return "".join(pieces)
