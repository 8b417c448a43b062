"""Ranks the documents that a search found, and measures how many supporting paragraphs are among the first of them.

The measure is HippoRAG's (Gutiérrez et al. 2024, section 3; `RetrievalRecall` in the authors' code): of each question's
supporting paragraphs the share that is among the first k distinct documents, as a mean over the questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.evaluation.questions import EvalQuestion

WRITTEN = frozenset({NodeType.ATTRIBUTE, NodeType.HIGH_LEVEL_ELEMENT, NodeType.ATTRIBUTED_COMMUNITY, NodeType.PROFILE})
"""Types of nodes with a text that a model wrote from several documents; such a text is no document."""


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document that a search found."""

    title: str
    line: int
    """First line of the document in its file, from 1: the line of a record in a JSON Lines file."""


def ranked_documents(found: Retrieval) -> tuple[RankedDocument, ...]:
    """Returns the distinct documents in a context, best first.

    A context has its best passage last, next to the question, and its passages grouped. `Retrieval.ranked` keeps the order in
    which the method chose: a document has the rank of the first sentence, statement or text that was chosen from it. What was
    passed over because it did not fit, or because the same text stood there already, has no rank.
    """
    sources = {source.number: source for source in found.sources}
    first: dict[tuple[str, int], RankedDocument] = {}
    for one in found.ranked:
        if one.type not in WRITTEN:
            source = sources[one.source]
            first.setdefault((source.path, source.record), RankedDocument(source.title, source.first_line))
    return tuple(first.values())


def recall_at(k: int, ranking: Sequence[RankedDocument], question: EvalQuestion) -> float:
    """Returns the share of the supporting paragraphs that are among the first k documents, between 0 and 1.

    Args:
        k: number of documents, from 1.
        ranking: distinct documents, best first; fewer than k are allowed.
        question: a question with known supports. Their lines decide where they are known, since two paragraphs may have the same
            title; else their titles.
    """
    if question.support_lines:
        lines = set(question.support_lines)
        return len(lines & {one.line for one in ranking[:k]}) / len(lines)
    titles = set(question.supports)
    return len(titles & {one.title for one in ranking[:k]}) / len(titles)
