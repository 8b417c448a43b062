"""Word documents (.docx): headings by their styles' outline levels, lists, tables as statements, notes, text boxes.

python-docx opens the package and knows the styles; the text is walked here, since python-docx leaves out what stands
in footnotes, text boxes, content controls and insertions that are tracked. Comments, deletions and
tables of contents are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import docx
from docx.opc.exceptions import OpcError
from lxml.etree import LxmlError

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.open_xml import checked_copy, is_locked_office_file
from noderag_local.ingest.formats.office.tabular import may_have_header, stated_rows
from noderag_local.ingest.formats.untrusted_xml import xml_tree

MAX_DEPTH = 40
"""Deepest level of tables in cells and boxes in boxes; deeper ones are left out."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_NOTE_KINDS = ("footnotes", "endnotes")
_LEFT_OUT = {f"{_W}{name}" for name in ("del", "moveFrom", "instrText", "delText", "rPr", "pPr", "tblPr", "sectPr")} | {
    f"{_COMPATIBLE}Fallback"
}
_SIGNS = {
    f"{_W}tab": " ",
    f"{_W}ptab": " ",
    f"{_W}br": "\n",
    f"{_W}cr": "\n",
    f"{_W}noBreakHyphen": "-",
}
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FORMULA_PARTS = {
    f"{_MATH}num": ("(", ")"),
    f"{_MATH}den": ("/(", ")"),
    f"{_MATH}sup": ("^(", ")"),
    f"{_MATH}sub": ("_(", ")"),
    f"{_MATH}d": ("(", ")"),
    f"{_MATH}rad": ("√(", ")"),
    f"{_MATH}deg": ("", "&"),
}
"""Part of a formula -> the signs around it, as Word itself writes formulas in a line: a half is (1)/(2), and not 12."""
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)
_CODE_NAME = re.compile(r"\bcode\b|preformatted", re.IGNORECASE)
_MAX_OUTLINE_LEVEL = 8
_ON = ("1", "true", "on")
_NO_LIST = "0"
"""Number of a list that takes a paragraph out of the list of its style."""


class _Reader:
    def __init__(self, document: Any, name: str) -> None:
        self._name = name
        self.writer = BlockWriter()
        self._levels = {style.style_id: _outline_level(style) for style in document.styles}
        self._titles = {style.style_id for style in document.styles if (style.name or "").lower() == "title"}
        self._contents = {style.style_id for style in document.styles if (style.name or "").lower().startswith("toc ")}
        self._lists = {style.style_id for style in document.styles if _is_list_style(style)}
        self._codes = {style.style_id for style in document.styles if _CODE_NAME.search(style.name or "")}
        self._heading_tables = {style.style_id for style in document.styles if _is_for_heading_row(style)}
        self._notes = dict(_notes(document))
        self._document = document

    def read(self) -> ExtractedDocument:
        self.writer.title = own_title(self._document.core_properties.title or "", self._name)
        self._container(self._document.element.body, 0)
        return ExtractedDocument(self.writer.title, tuple(self.writer.blocks))

    def _container(self, element: Any, depth: int) -> None:
        """Reads the paragraphs and tables of a body, cell, text box or content control in order."""
        if depth > MAX_DEPTH:
            return
        code: list[str] = []
        for child in element:
            if child.tag == f"{_W}p" and _style(child) in self._codes:
                code.append(_text(child, [], []))
                continue
            self._program_text(code)
            if child.tag == f"{_W}p":
                self._paragraph(child, depth)
            elif child.tag == f"{_W}tbl":
                self._table(child, depth)
            elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
                self._container(child, depth + 1)
        self._program_text(code)

    def _program_text(self, lines: list[str]) -> None:
        """Writes consecutive paragraphs of program text as one block."""
        self.writer.add(BlockKind.CODE, "\n".join(lines))
        lines.clear()

    def _paragraph(self, paragraph: Any, depth: int) -> None:
        style = _style(paragraph)
        if style in self._contents:
            return
        boxes: list[Any] = []
        notes: list[str] = []
        text = _text(paragraph, boxes, notes)
        level = self._level(paragraph, style)
        if style in self._titles:
            self._title(text)
        elif level:
            self.writer.heading(level, text)
        else:
            number = _value(paragraph.find(f"{_W}pPr/{_W}numPr/{_W}numId"))
            numbered = number != _NO_LIST if number else style in self._lists
            self.writer.add(BlockKind.LIST_ITEM if numbered else BlockKind.PARAGRAPH, text)
        for note in notes:
            self.writer.add(BlockKind.PARAGRAPH, self._notes.get(note, ""))
        for box in boxes:
            self._container(box, depth + 1)

    def _title(self, text: str) -> None:
        self.writer.title = self.writer.title or " ".join(text.split())
        self.writer.add(BlockKind.HEADING, text)

    def _level(self, paragraph: Any, style: str) -> int:
        """Returns the level of a heading, from 1; 0 for other paragraphs."""
        own = _value(paragraph.find(f"{_W}pPr/{_W}outlineLvl"))
        if own.isdecimal():
            return int(own) + 1 if int(own) <= _MAX_OUTLINE_LEVEL else 0
        return self._levels.get(style, 0)

    def _table(self, table: Any, depth: int) -> None:
        rows: list[list[str]] = []
        boxes: list[Any] = []
        notes: list[str] = []
        for row in _children(table, "tr"):
            cells: list[str] = []
            for cell in _children(row, "tc"):
                covered = _children_of_cell(cell)
                cells.append(" ".join(_text(child, boxes, notes) for child in covered).strip())
                span = _value(cell.find(f"{_W}tcPr/{_W}gridSpan"))
                cells += [""] * (min(int(span), 64) - 1 if span.isdecimal() else 0)
            rows.append(cells)
        has_header = may_have_header(rows, is_marked=self._marks_header(table))
        for _, statement in stated_rows(rows, has_header=has_header):
            self.writer.add(BlockKind.TABLE_ROW, statement)
        for note in notes:
            self.writer.add(BlockKind.PARAGRAPH, self._notes.get(note, ""))
        for box in boxes:
            self._container(box, depth + 1)

    def _marks_header(self, table: Any) -> bool:
        """Whether the first row of a table is repeated on each page, is all bold, or has a look of its own by the style.

        Word asks the style for such a look in nearly every table, whether the style has one or not.
        """
        first = next(_children(table, "tr"), None)
        if first is None:
            return False
        look = table.find(f"{_W}tblPr/{_W}tblLook")
        asks = look is not None and look.get(f"{_W}firstRow", "1") in _ON
        styled = asks and _value(table.find(f"{_W}tblPr/{_W}tblStyle")) in self._heading_tables
        repeated = first.find(f"{_W}trPr/{_W}tblHeader")
        return styled or (repeated is not None and repeated.get(f"{_W}val", "1") in _ON) or _is_bold(first)


def _is_bold(row: Any) -> bool:
    runs = [run for run in row.iter(f"{_W}r") if run.find(f"{_W}t") is not None]
    marks = [run.find(f"{_W}rPr/{_W}b") for run in runs]
    return bool(runs) and all(mark is not None and mark.get(f"{_W}val", "1") in _ON for mark in marks)


def _children(element: Any, name: str) -> Iterator[Any]:
    """Yields rows of a table or cells of a row, also those in content controls and tracked insertions."""
    waiting = list(reversed(element))
    while waiting:
        child = waiting.pop()
        if child.tag == f"{_W}{name}":
            yield child
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            waiting.extend(reversed(child))


def _children_of_cell(cell: Any) -> list[Any]:
    return [child for child in cell if isinstance(child.tag, str) and child.tag not in _LEFT_OUT]


def _text(element: Any, boxes: list[Any], notes: list[str]) -> str:
    """Returns the text of an element, and adds its text boxes and the notes that it calls to the two lists.

    It keeps its own stack, so that no depth of nesting ends the program.
    """
    pieces: list[str] = []
    waiting = [element]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        tag = node.tag
        if not isinstance(tag, str) or tag in _LEFT_OUT:
            continue
        if tag == f"{_W}txbxContent":
            boxes.append(node)
        elif tag in _FORMULA_PARTS:
            before, behind = _FORMULA_PARTS[tag] if any(node.itertext()) else ("", "")
            waiting += [behind, *reversed(node), before]
        elif tag in (f"{_W}t", f"{_MATH}t"):
            pieces.append(node.text or "")
        elif tag in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
            notes.append(f"{tag.removeprefix(_W).removesuffix('Reference')} {node.get(f'{_W}id')}")
        elif tag in _SIGNS:
            pieces.append(_SIGNS[tag])
        else:
            if tag in (f"{_W}p", f"{_W}tc") and pieces:
                pieces.append(" ")
            waiting.extend(reversed(node))
    return "".join(pieces)


def _notes(document: Any) -> Iterator[tuple[str, str]]:
    """Yields ("footnote 2", its text) of every footnote and endnote."""
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if kind in _NOTE_KINDS and not relation.is_external:
            for note in xml_tree(relation.target_part.blob, kind):
                yield f"{kind.removesuffix('s')} {note.get(f'{_W}id')}", _text(note, [], [])


def _outline_level(style: Any) -> int:
    """Returns the heading level of paragraphs of a style, by itself or the style it is based on; 0 if they are no headings."""
    seen: set[str] = set()
    while style is not None and style.style_id not in seen:
        seen.add(style.style_id)
        outline = _value(style.element.find(f"{_W}pPr/{_W}outlineLvl"))
        if outline.isdecimal():
            return int(outline) + 1 if int(outline) <= _MAX_OUTLINE_LEVEL else 0
        name = _HEADING_NAME.fullmatch(style.name or "")
        if name:
            return max(int(name[1]), 1)
        style = getattr(style, "base_style", None)
    return 0


def _is_list_style(style: Any) -> bool:
    return (style.name or "").lower().startswith("list") or style.element.find(f"{_W}pPr/{_W}numPr") is not None


def _is_for_heading_row(style: Any) -> bool:
    """Whether a style, or one that it is based on, gives the first row of a table a look of its own."""
    seen: set[str] = set()
    while style is not None and style.style_id not in seen:
        seen.add(style.style_id)
        if any(part.get(f"{_W}type") == "firstRow" for part in style.element.findall(f"{_W}tblStylePr")):
            return True
        style = getattr(style, "base_style", None)
    return False


def _style(paragraph: Any) -> str:
    return _value(paragraph.find(f"{_W}pPr/{_W}pStyle"))


def _value(element: Any) -> str:
    return "" if element is None else element.get(f"{_W}val") or ""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    if is_locked_office_file(file):
        raise DocumentError(
            "it is locked by a password, or a document of Word before 2007; save a copy as .docx without one"
        )
    try:
        document = docx.Document(checked_copy(file))
        extracted = _Reader(document, name).read()
    except (OpcError, LxmlError, KeyError, ValueError, AttributeError, TypeError, IndexError) as error:
        raise DocumentError(
            "it is damaged, or no Word document; open it in the program that made it and save it again"
        ) from error
    yield extracted


EXTRACTOR = Extractor(_read)
