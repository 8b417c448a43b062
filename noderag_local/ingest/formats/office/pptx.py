"""Slides (.pptx): the title of a slide is its heading, then its text, tables and notes. The place is "slide 2"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import pptx
from lxml.etree import LxmlError
from pptx.exc import PythonPptxError

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.open_xml import checked_copy, is_locked_office_file
from noderag_local.ingest.formats.office.tabular import stated_rows

MAX_DEPTH = 40
"""Deepest level of groups in groups; deeper ones are left out."""

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BULLETS = ("buChar", "buAutoNum", "buBlip")
_DECORATION = {"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER", "SLIDE_IMAGE"}
"""Placeholders that say the same on every slide."""


class _Reader:
    def __init__(self, name: str) -> None:
        self.writer = BlockWriter()
        self._name = name

    def read(self, slides: Any) -> ExtractedDocument:
        self.writer.title = own_title(slides.core_properties.title or "", self._name)
        for number, slide in enumerate(slides.slides, start=1):
            self._slide(slide, Whereabouts(f"slide {number}"))
        return ExtractedDocument(self.writer.title, tuple(self.writer.blocks))

    def _slide(self, slide: Any, where: Whereabouts) -> None:
        title = slide.shapes.title
        heading = title.text_frame.text if title is not None else ""
        self.writer.heading(1, heading if heading.strip() else where.place, where)
        for shape in _leaves(slide.shapes, 0):
            if title is None or shape.shape_id != title.shape_id:
                self._shape(shape, where)
        notes = slide.notes_slide.notes_placeholder if slide.has_notes_slide else None
        if notes is not None:
            self._paragraphs(notes, where, is_list=False)

    def _shape(self, shape: Any, where: Whereabouts) -> None:
        if shape.is_placeholder and shape.placeholder_format.type.name in _DECORATION:
            return
        if getattr(shape, "has_table", False):
            rows = [[cell.text_frame.text for cell in row.cells] for row in shape.table.rows]
            for _, statement in stated_rows(rows):
                self.writer.add(BlockKind.TABLE_ROW, statement, where)
        elif shape.has_text_frame:
            self._paragraphs(shape, where, is_list=shape.is_placeholder)

    def _paragraphs(self, shape: Any, where: Whereabouts, *, is_list: bool) -> None:
        """Writes the paragraphs of a shape; a placeholder with several is a list unless it says otherwise."""
        elements = shape.element.iter(f"{_DRAWING}p")
        said = [
            (found, node)
            for found, node in zip(shape.text_frame.paragraphs, elements, strict=False)
            if found.text.strip()
        ]
        for paragraph, node in said:
            marked = paragraph.level > 0 or _has(node, *_BULLETS) or (is_list and len(said) > 1)
            is_item = marked and not _has(node, "buNone")
            self.writer.add(BlockKind.LIST_ITEM if is_item else BlockKind.PARAGRAPH, paragraph.text, where)


def _leaves(shapes: Iterable[Any], depth: int) -> Iterator[Any]:
    """Yields the shapes of a slide in order, also those in groups."""
    for shape in shapes:
        if not hasattr(shape, "shapes"):
            yield shape
        elif depth < MAX_DEPTH:
            yield from _leaves(shape.shapes, depth + 1)


def _has(paragraph: Any, *names: str) -> bool:
    """Whether one of these properties is set for the paragraph itself."""
    return any(paragraph.find(f"{_DRAWING}pPr/{_DRAWING}{name}") is not None for name in names)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    if is_locked_office_file(file):
        raise DocumentError(
            "it is locked by a password, or slides of PowerPoint before 2007; save a copy as .pptx without one"
        )
    try:
        extracted = _Reader(name).read(pptx.Presentation(checked_copy(file)))
    except (PythonPptxError, LxmlError, KeyError, ValueError, AttributeError, TypeError, IndexError) as error:
        raise DocumentError(
            "it is damaged, or no slides; open it in the program that made it and save it again"
        ) from error
    yield extracted


EXTRACTOR = Extractor(_read)
