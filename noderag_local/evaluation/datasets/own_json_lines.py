"""Reads questions and paragraphs in JSON Lines of our own form."""

from __future__ import annotations

from typing import Any

from noderag_local.evaluation.datasets.dataset_format import DatasetFormat, FoundQuestion, text_of
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool


def _own(entry: Any, pool: ParagraphPool) -> FoundQuestion:
    fields = {name: value for name, value in entry.items() if name not in ("supports", "support_lines")}
    return FoundQuestion.with_titles(fields, [text_of(one) for one in entry.get("supports", ())], pool)


def _own_paragraph(entry: Any) -> DatasetParagraph:
    return DatasetParagraph(text_of(entry.get("title", "")), text_of(entry["text"]))


JSON_LINES = DatasetFormat("jsonl", ("qa.jsonl", "corpus.jsonl"), _own, _own_paragraph)
