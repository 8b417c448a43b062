"""Pools the paragraphs of many questions into one corpus, each different paragraph once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class DatasetParagraph(NamedTuple):
    """A paragraph or article; two with the same title and text are one."""

    title: str
    text: str


class ParagraphPool:
    """The paragraphs of a corpus, in the order in which they were first added."""

    def __init__(self) -> None:
        self._lines: dict[DatasetParagraph, int] = {}
        self._by_title: dict[str, list[DatasetParagraph]] = {}

    def add(self, paragraph: DatasetParagraph) -> None:
        """Adds a paragraph unless it is there."""
        if paragraph not in self._lines:
            self._lines[paragraph] = len(self._lines) + 1
            self._by_title.setdefault(paragraph.title, []).append(paragraph)

    def line(self, paragraph: DatasetParagraph) -> int:
        """Returns the line of a paragraph in the corpus, from 1; raises KeyError for one that was not added."""
        return self._lines[paragraph]

    def titled(self, title: str) -> tuple[DatasetParagraph, ...]:
        """Returns the paragraphs with a title."""
        return tuple(self._by_title.get(title, ()))

    def __iter__(self) -> Iterator[DatasetParagraph]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)
