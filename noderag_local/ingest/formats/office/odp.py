"""Reads OpenDocument slides (.odp): a slide's title as heading, then its text, tables and notes. The place is "slide 2"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import Whereabouts, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.opendocument import (
    DRAW,
    NAMESPACE,
    OFFICE,
    TextWalk,
    opened_archive,
    text_of_element,
    title_of,
)

_PRESENTATION = NAMESPACE.format("presentation")
_CLASS = f"{_PRESENTATION}class"
_NOTES = f"{_PRESENTATION}notes"
_DECORATION = frozenset({"date-time", "footer", "header", "page-number", "page"})
"""Kinds of frames that are the same on every slide, or show a small picture of it."""


class _Slides:
    def __init__(self, walk: TextWalk) -> None:
        self._walk = walk

    def read(self, body: Element) -> None:
        for number, slide in enumerate(body.iter(f"{DRAW}page"), start=1):
            self._walk.where = Whereabouts(f"slide {number}")
            frames, notes = list(slide), slide.find(_NOTES)
            title = next((frame for frame in frames if frame.get(_CLASS) == "title"), None)
            self._heading(title)
            self._shapes(frame for frame in frames if frame is not title and frame.tag != _NOTES)
            if notes is not None:
                self._shapes(iter(notes))

    def _heading(self, title: Element | None) -> None:
        boxes: list[Element] = []
        said = text_of_element(title, boxes) if title is not None else ""
        said += " ".join(text_of_element(child, []) for box in boxes for child in box)
        where = self._walk.where
        self._walk.writer.heading(1, said if said.strip() else where.place, where)

    def _shapes(self, shapes: Iterator[Element]) -> None:
        for shape in shapes:
            # Prompts such as "Click to add text" are in the file like text.
            is_empty = shape.get(f"{_PRESENTATION}placeholder") == "true"
            if shape.get(_CLASS) not in _DECORATION and not is_empty:
                # Each shape gets a container of its own, because a drawn shape holds its paragraphs directly.
                self._walk.container([shape], BlockKind.PARAGRAPH, 0)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    archive = opened_archive(file)
    content = archive.xml("content.xml")
    body = content.find(f"{OFFICE}body/{OFFICE}presentation")
    if body is None:
        raise DocumentError("it is damaged or not an OpenDocument presentation: it has no slides")
    walk = TextWalk(content, own_title(title_of(archive), name))
    _Slides(walk).read(body)
    yield ExtractedDocument(walk.writer.title, tuple(walk.writer.blocks))


EXTRACTOR = Extractor(_read)
