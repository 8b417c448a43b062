"""Documents in the order in which a method found them, and the recall of supporting paragraphs."""

from __future__ import annotations

import pytest

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Ranked, Retrieval, Source
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.ranking import RankedDocument, ranked_documents, recall_at

HERON, LEE, PIKE, OTHER_LEE = (
    RankedDocument(title, line) for line, title in enumerate(["Heron", "Lee", "Pike", "Lee"], 1)
)


def source(number: int, document: RankedDocument) -> Source:
    return Source(number, "c.jsonl", document.line - 1, document.title, (), document.line, document.line, 0, 9, "text")


def found(sources: list[Source], *ranked: tuple[int, NodeType]) -> Retrieval:
    nodes = tuple(Ranked(node, kind, number, 1.0, ()) for node, (number, kind) in enumerate(ranked))
    return Retrieval("naive", "?", 100, "", 0, tuple(sources), nodes, (), 1.0)


def test_a_document_has_the_rank_of_its_first_passage() -> None:
    sources = [source(1, PIKE), source(2, HERON), source(3, PIKE), source(4, LEE)]
    chosen = [(2, NodeType.SENTENCE), (1, NodeType.TEXT), (2, NodeType.SENTENCE), (3, NodeType.SENTENCE)]
    assert ranked_documents(found(sources, *chosen, (4, NodeType.RELATIONSHIP))) == (HERON, PIKE, LEE)


def test_what_a_model_wrote_of_several_documents_is_no_document() -> None:
    written = [(1, NodeType.HIGH_LEVEL_ELEMENT), (2, NodeType.SENTENCE)]
    assert ranked_documents(found([source(1, PIKE), source(2, LEE)], *written)) == (LEE,)


@pytest.mark.parametrize(("k", "recall"), [(1, 0.5), (2, 0.5), (3, 1.0), (9, 1.0)])
def test_recall_is_the_share_of_the_supports_among_the_first(k: int, recall: float) -> None:
    asked = EvalQuestion("1", "?", ("x",), ("Lee", "Heron"))
    assert recall_at(k, [HERON, PIKE, LEE], asked) == recall


def test_lines_tell_apart_two_paragraphs_with_one_title() -> None:
    by_title = EvalQuestion("1", "?", ("x",), ("Lee", "Lee"))
    by_line = EvalQuestion("1", "?", ("x",), ("Lee", "Lee"), (LEE.line, OTHER_LEE.line))
    assert recall_at(2, [OTHER_LEE, PIKE], by_title) == 1
    assert recall_at(2, [OTHER_LEE, PIKE], by_line) == 0.5
