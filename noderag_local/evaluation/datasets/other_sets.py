"""Reads MultiHop-RAG, UltraDomain, and questions and paragraphs in JSON Lines of our own form."""

from __future__ import annotations

from typing import Any

from noderag_local.evaluation.datasets.dataset_format import DatasetFormat, FoundQuestion, text_of
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
        "evidence": [text_of(one["fact"]) for one in evidence],
    }
    return FoundQuestion.with_titles(fields, [text_of(one["title"]) for one in evidence], pool)


def _article(entry: Any) -> DatasetParagraph:
    about = [f"{name}: {text_of(entry[field])}." for field, name in PUBLICATION if entry.get(field)]
    return DatasetParagraph(
        text_of(entry["title"]), "\n\n".join(filter(None, [" ".join(about), text_of(entry["body"])]))
    )


def _ultradomain(entry: Any, _: ParagraphPool) -> FoundQuestion:
    """Reads Qian et al. 2024: long texts with open questions, whose answers are whole paragraphs."""
    answers = [text_of(one) for one in entry["answers"]]
    meta = entry.get("meta")
    title = meta.get("title", "") if isinstance(meta, dict) else ""
    fields = {
        "question": text_of(entry["input"]),
        "answer": answers[0] if answers else "",
        "aliases": answers[1:],
        "kind": text_of(entry.get("label", "")),
    }
    return FoundQuestion(
        fields, [DatasetParagraph(title.strip() if isinstance(title, str) else "", text_of(entry["context"]))]
    )


def _own(entry: Any, pool: ParagraphPool) -> FoundQuestion:
    fields = {name: value for name, value in entry.items() if name not in ("supports", "support_lines")}
    return FoundQuestion.with_titles(fields, [text_of(one) for one in entry.get("supports", ())], pool)


def _own_paragraph(entry: Any) -> DatasetParagraph:
    return DatasetParagraph(text_of(entry.get("title", "")), text_of(entry["text"]))


MULTIHOP_RAG = DatasetFormat("multihop-rag", ("MultiHopRAG.json", "corpus.json"), _multihop_rag, _article)
ULTRADOMAIN = DatasetFormat("ultradomain", ("agriculture.jsonl",), _ultradomain)
JSON_LINES = DatasetFormat("jsonl", ("qa.jsonl", "corpus.jsonl"), _own, _own_paragraph)
