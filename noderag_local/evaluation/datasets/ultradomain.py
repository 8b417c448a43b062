"""Reads UltraDomain: open questions about long texts."""

from __future__ import annotations

from typing import Any

from noderag_local.evaluation.datasets.dataset_format import DatasetFormat, FoundQuestion, text_of, texts_of
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool


def _ultradomain(entry: Any, _: ParagraphPool) -> FoundQuestion:
    """Reads Qian et al. 2024: long texts with open questions, whose answers are whole paragraphs."""
    answers = texts_of(entry["answers"])
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


ULTRADOMAIN = DatasetFormat("ultradomain", ("agriculture.jsonl",), _ultradomain)
