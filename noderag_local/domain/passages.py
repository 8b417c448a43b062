"""Records of a search: its scope, its sources, its result, and the citations of an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from noderag_local.domain.graph import NodeType
from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse


@dataclass(frozen=True, slots=True)
class Scope:
    """Limits a search to the documents that meet all conditions given here."""

    folder: str = ""
    """Folder or file: absolute, with ~, or relative to the current folder or to an indexed one; "" means all."""
    tag: str = ""
    """Tag of the document or of a sentence in it, with or without #; "project" includes "project/garden". "" means all."""
    since: date | None = None
    """First day. A document's day is the date in its file's name, else the day that it tells itself, else that of its last change."""
    until: date | None = None
    """Last day, included."""
    is_settled: bool = False
    """Whether `folder` is an absolute path with the spelling that the documents' paths have; no other spelling is tried then."""

    @property
    def is_everything(self) -> bool:
        """Returns whether the scope includes all notes."""
        return not (self.folder or self.tag or self.since or self.until)


EVERYTHING = Scope()
"""The scope that includes all notes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered passage of a context, to which a citation [n] refers."""

    number: int
    """Number from 1, as printed in the context; 0 for a source outside a context."""
    path: str
    record: int
    title: str
    headings: tuple[str, ...]
    first_line: int
    last_line: int
    start_byte: int
    end_byte: int
    text: str
    """Sentences of the source that are in the context."""
    place: str = ""
    """Place in the file, as `Passage.place`."""
    day: str = ""
    """Day that the document itself tells, as `Document.day`."""
    days: tuple[tuple[int, str], ...] = ()
    """Relative dates in `text`: the end of each, and the days that it means, seen from the day of the note, as "2023-05-07",
    "2023-05", "2023" or "2023-05-01 to 2023-05-07"."""
    turns: tuple[tuple[int, str], ...] = ()
    """Sentences in `text` that are said in a conversation: the start of each, and the name of who speaks."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A node that retrieval selected, with the parts of its score."""

    node: int
    type: NodeType
    source: int
    """Number of the source that contains the node."""
    score: float
    reasons: tuple[tuple[str, float], ...]
    """Parts of the score: (name, contribution), in a fixed order."""


@dataclass(frozen=True, slots=True)
class Filtering:
    """How the model picks what helps among the sources, before it answers from that alone (ArchRAG, section 3.2.2)."""

    most_score: Literal[3, 100] = 3
    """Score of a passage that answers the question; 0 is that of one that does not help."""
    layers: tuple[tuple[int, ...], ...] = ()
    """Numbers of the sources that are looked through together, a layer each; empty if all sources are one layer."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Result of a retrieval method for a question, packed into a context."""

    method: str
    question: str
    budget_tokens: int
    context: str
    """Text that the language model sees, source labels included."""
    tokens: int
    """Number of tokens of `context`; never over the budget."""
    sources: tuple[Source, ...]
    ranked: tuple[Ranked, ...]
    seeds: tuple[tuple[str, float], ...]
    """Starting points of the search: (entity or sentence, weight), heaviest first."""
    elapsed_ms: float
    llm_use: ModelUse = NOTHING_ASKED
    """Use of the language model by the method, counted again where the text was kept from an earlier search."""
    without_notes: bool = False
    """Whether nothing was searched because the model answers without notes, as a baseline."""
    filtering: Filtering | None = None
    """Filter that the model applies to the sources before it answers; None if it answers from all of them."""
    is_near: bool = True
    """Whether the sources have to do with the question; False if the notes have no word of it, and nothing near its meaning."""

    @property
    def llm_tokens(self) -> int:
        """Number of tokens that the language model read and wrote during the search; 0 for methods without a model."""
        return self.llm_use.worked_tokens


def without_passages(found: Retrieval) -> Retrieval:
    """Returns a retrieval with nothing in its context."""
    return replace(found, context="", tokens=0, sources=(), ranked=(), seeds=())


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of an answer and the sources that support it."""

    text: str
    """Sentence without markers and surrounding white space; empty if it consists of a marker only."""
    numbers: tuple[int, ...]
    """Numbers of the cited sources that exist."""
    supported: bool
    """Whether the cited sources support the sentence; if it cites none, whether any source does."""
    added: bool = False
    """Whether noderag added `numbers`: the model cited nothing, and exactly one source holds the sentence."""
    after: str = ""
    """White space after the sentence, including line ends. All texts and white spaces joined give the answer without markers."""
