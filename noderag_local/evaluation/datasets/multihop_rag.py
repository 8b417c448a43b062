"""Reads MultiHop-RAG: questions about news articles, with the sentences that answer them."""

from __future__ import annotations

from typing import Any

from noderag_local.evaluation.datasets.dataset_format import DatasetFormat, FoundQuestion, text_of, texts_of
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool

UNANSWERABLE = "null_query"
"""Type of MultiHop-RAG's questions that no article answers."""
PUBLICATION = (("source", "Source"), ("published_at", "Published"))
"""Fields of an article that questions ask for ("according to The Daily Wren"), and how they stand in its text."""


def _multihop_rag(entry: Any, pool: ParagraphPool) -> FoundQuestion:
    """Reads Tang and Yang 2024; the facts of the evidence are sentences of the articles."""
    kind = text_of(entry["question_type"])
    evidence = entry["evidence_list"]
    fields = {
        "question": text_of(entry["query"]),
        "answer": "" if kind == UNANSWERABLE else text_of(entry["answer"]),
        "kind": kind,
        "evidence": texts_of(one["fact"] for one in evidence),
    }
    return FoundQuestion.with_titles(fields, [text_of(one["title"]) for one in evidence], pool)


def _article(entry: Any) -> DatasetParagraph:
    about = [f"{name}: {text_of(entry[field])}." for field, name in PUBLICATION if entry.get(field)]
    return DatasetParagraph(
        text_of(entry["title"]), "\n\n".join(filter(None, [" ".join(about), text_of(entry["body"])]))
    )


MULTIHOP_RAG = DatasetFormat("multihop-rag", ("MultiHopRAG.json", "corpus.json"), _multihop_rag, _article)
