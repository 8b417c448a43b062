"""A format of a data set: the way its entries become questions and paragraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool


class UnusableEntry(Exception):
    """An entry that gives no question or paragraph; its text completes the sentence "Entry 3 …"."""


@dataclass(frozen=True, slots=True)
class FoundQuestion:
    """A question as a data set has it."""

    fields: Mapping[str, object]
    """Fields of its entry in `qa.json`, without the supports; without an id, the number of the entry becomes its id."""
    paragraphs: Sequence[DatasetParagraph] = ()
    """Paragraphs that the data set gives with the question."""
    supports: Sequence[DatasetParagraph] = ()
    """Those that the answer needs; empty if unknown, or if only their titles are known and not every title is unique."""
    support_titles: Sequence[str] = ()
    """Titles of the paragraphs that the answer needs; empty if unknown."""

    @classmethod
    def with_supports(
        cls, fields: Mapping[str, object], paragraphs: Sequence[DatasetParagraph], supports: Sequence[DatasetParagraph]
    ) -> FoundQuestion:
        """Makes a question whose supporting paragraphs are known; each counts once."""
        distinct = tuple(dict.fromkeys(supports))
        return cls(fields, paragraphs, distinct, tuple(one.title for one in distinct))

    @classmethod
    def with_titles(cls, fields: Mapping[str, object], titles: Sequence[str], pool: ParagraphPool) -> FoundQuestion:
        """Makes a question whose supporting paragraphs are known by their titles.

        Raises:
            UnusableEntry: no paragraph has one of the titles.
        """
        distinct = tuple(dict.fromkeys(titles))
        found = [pool.titled(title) for title in distinct]
        missing = [title for title, paragraphs in zip(distinct, found, strict=True) if not paragraphs]
        if missing:
            raise UnusableEntry(f"needs the paragraph {missing[0]!r}, which the corpus does not have")
        is_exact = all(len(paragraphs) == 1 for paragraphs in found)
        return cls(fields, (), tuple(one[0] for one in found) if is_exact else (), distinct)


@dataclass(frozen=True, slots=True)
class DatasetFormat:
    """A format of a data set."""

    name: str
    """Name that the user types."""
    files: tuple[str, ...]
    """Kinds of its files, in the order in which the user names them: questions, then the corpus if it is a file of its own."""
    question: Callable[[Any, ParagraphPool], FoundQuestion]
    """Makes the question of an entry; raises UnusableEntry, KeyError, TypeError, AttributeError or ValueError.
    The pool has the corpus where the format has a file for it."""
    paragraph: Callable[[Any], DatasetParagraph] | None = None
    """Makes the paragraph of an entry of the corpus, and raises the same; None if the questions have the paragraphs."""


def text_of(value: Any) -> str:
    """Returns a text without white space around it; raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"has {value!r:.40} where a text should be")
    return value.strip()


def texts_of(values: Iterable[Any]) -> list[str]:
    """Returns the texts that say something, without white space around them; raises TypeError if a value is no text."""
    return [text for text in map(text_of, values) if text]


def joined(sentences: Sequence[Any]) -> str:
    """Returns the text of a list of sentences; some data sets keep the blank between two at the start of the second."""
    texts = [sentence for sentence in sentences if text_of(sentence)]
    return ("" if any(text[:1].isspace() for text in texts[1:]) else " ").join(texts).strip()
