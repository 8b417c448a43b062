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
        self._by_given_line: dict[int, DatasetParagraph] = {}

    def add(self, paragraph: DatasetParagraph, given_line: int | None = None) -> None:
        """Adds a paragraph unless it is there.

        Args:
            paragraph: the paragraph.
            given_line: its line in the file that is converted, from 1; None if the questions bring the paragraphs.
        """
        if given_line is not None:
            self._by_given_line[given_line] = paragraph
        if paragraph not in self._lines:
            self._lines[paragraph] = len(self._lines) + 1
            self._by_title.setdefault(paragraph.title, []).append(paragraph)

    def line(self, paragraph: DatasetParagraph) -> int:
        """Returns the line of a paragraph in the corpus, from 1; raises KeyError for one that was not added."""
        return self._lines[paragraph]

    def given_at(self, line: int) -> DatasetParagraph | None:
        """Returns the paragraph on a line of the file that is converted; None if that line gave none."""
        return self._by_given_line.get(line)

    def titled(self, title: str) -> tuple[DatasetParagraph, ...]:
        """Returns the paragraphs with a title."""
        return tuple(self._by_title.get(title, ()))

    def __iter__(self) -> Iterator[DatasetParagraph]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)
