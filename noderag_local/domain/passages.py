"""What is searched, what was found, and what an answer cites."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from noderag_local.domain.graph import NodeType


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the notes that a search keeps to: documents that fulfil all that is set."""

    folder: str = ""
    """A folder or file, absolute, with ~, or relative to the current folder or to one that was indexed; "" is all."""
    tag: str = ""
    """Of the document, or of a sentence in it, with or without #; "project" holds "project/garden" too. "" is all."""
    since: date | None = None
    """First day: of the date in the file's name, else of its last change."""
    until: date | None = None
    """Last day, itself included."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return not (self.folder or self.tag or self.since or self.until)


EVERYTHING = Scope()
"""All notes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered passage of a context, as a citation [n] resolves it."""

    number: int
    """1-based, as printed in the context; 0 of a source in no context."""
    path: str
    record: int
    title: str
    headings: tuple[str, ...]
    first_line: int
    last_line: int
    start_byte: int
    end_byte: int
    text: str
    """The sentences of the source that stand in the context."""
    place: str = ""
    """As of a Passage."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A node that retrieval chose, and why."""

    node: int
    type: NodeType
    source: int
    """Number of the source that it stands in."""
    score: float
    reasons: tuple[tuple[str, float], ...]
    """(name of a part of the score, its contribution), in a fixed order."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a method found for a question, packed into a context."""

    method: str
    question: str
    budget_tokens: int
    context: str
    """As the language model sees it, source labels included."""
    tokens: int
    """Tokens of `context`; never over the budget."""
    sources: tuple[Source, ...]
    ranked: tuple[Ranked, ...]
    seeds: tuple[tuple[str, float], ...]
    """(entity or sentence that the search started from, its weight), heaviest first."""
    elapsed_ms: float
    llm_tokens: int = 0
    """That the language model read and wrote to find it; 0 for methods that do not ask it."""
    without_notes: bool = False
    """Whether the question is for the model alone, to tell what the notes add: nothing was looked for."""
    filtered: bool = False
    """Whether the model is to look through the sources first and to answer from the passages that help."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of an answer and the sources that stand behind it."""

    text: str
    """Without markers and without white space around it; empty where the answer has nothing but a marker."""
    numbers: tuple[int, ...]
    """Numbers of the sources that it cites and that exist."""
    supported: bool
    """Whether the cited sources (all sources, where none is cited) contain what the sentence says."""
    added: bool = False
    """Whether noderag added `numbers`: the model cited nothing, and exactly one source holds the sentence."""
    after: str = ""
    """White space behind the sentence, line ends included: the texts and these make up the answer without its markers."""
