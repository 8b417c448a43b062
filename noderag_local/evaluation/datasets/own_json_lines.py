"""Reads questions and paragraphs in JSON Lines of our own form."""

from __future__ import annotations

from typing import Any

from noderag_local.evaluation.datasets.dataset_format import DatasetFormat, FoundQuestion, UnusableEntry, text_of
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool


def _own(entry: Any, pool: ParagraphPool) -> FoundQuestion:
    fields = {name: value for name, value in entry.items() if name not in ("supports", "support_lines")}
    titles = [text_of(one) for one in entry.get("supports", ())]
    lines = entry.get("support_lines", ())
    if not lines:
        return FoundQuestion.with_titles(fields, titles, pool)
    supports = [_on_line(line, pool) for line in lines]
    if titles and set(titles) != {one.title for one in supports}:
        raise UnusableEntry("has supports with other titles than the paragraphs on its support_lines")
    return FoundQuestion.with_supports(fields, (), supports)


def _on_line(line: Any, pool: ParagraphPool) -> DatasetParagraph:
    # The pool leaves out repeated paragraphs, so their lines in the new corpus are others.
    paragraph = pool.given_at(line) if isinstance(line, int) else None
    if paragraph is None:
        raise UnusableEntry(f"needs the paragraph on line {line!r}, which the corpus does not have")
    return paragraph


def _own_paragraph(entry: Any) -> DatasetParagraph:
    return DatasetParagraph(text_of(entry.get("title", "")), text_of(entry["text"]))


JSON_LINES = DatasetFormat("jsonl", ("qa.jsonl", "corpus.jsonl"), _own, _own_paragraph)
