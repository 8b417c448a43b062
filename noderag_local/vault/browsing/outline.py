"""Outlines a vault for a language model: how its most central passages begin, one of each document."""

from __future__ import annotations

from noderag_local.extraction.statements.semantic_units import central_first
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.text.token_estimate import roughly_estimated_tokens

MOST_LINE_LETTERS = 240
"""Letters of a line; a longer sentence is cut at a word."""


def outline(store: Store, most_tokens: int) -> tuple[str, ...]:
    """Returns a line "title: first sentence" for each document, those with the most central passages first.

    Args:
        store: the vault.
        most_tokens: estimated tokens of all lines together; what no longer fits is left out.
    """
    texts = TextRows(store)
    table = texts.chunk_table()
    document_of = dict(zip(table.ids.tolist(), table.document_ids.tolist(), strict=True))
    lines: dict[int, str] = {}
    left = most_tokens
    for chunk in central_first(store):
        if document_of[chunk] in lines:
            continue
        line = _line(texts, chunk)
        left -= roughly_estimated_tokens(line)
        if left < 0:
            break
        lines[document_of[chunk]] = line
    return tuple(dict.fromkeys(lines.values()))


def _line(texts: TextRows, chunk_id: int) -> str:
    chunk = texts.chunk_text(chunk_id)
    over = {chunk.title, *chunk.headings}
    said = next((sentence for sentence in chunk.sentences if sentence not in over), "")
    line = " ".join(f"{chunk.title}: {said}".split())
    return line if len(line) <= MOST_LINE_LETTERS else line[:MOST_LINE_LETTERS].rpartition(" ")[0] + " …"
