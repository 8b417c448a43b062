"""An answer as JSON, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noderag_local.generation.answering import Answer


def answer_fields(answer: Answer) -> dict[str, Any]:
    """Returns the answer, its citations, all sources, and its cost."""
    found = answer.retrieval
    cited = {number for part in answer.citations for number in part.numbers}
    return {
        "question": found.question,
        "answer": answer.text,
        "abstained": answer.abstained,
        "finish": answer.finish,
        "model": answer.model,
        "note": answer.note,
        "citations": [
            {"sentence": part.text, "numbers": part.numbers, "supported": part.supported, "added": part.added}
            for part in answer.citations
            if part.text
        ],
        "sources": [{**asdict(source), "cited": source.number in cited} for source in found.sources],
        "stats": _costs(answer),
    }


def _costs(answer: Answer) -> dict[str, Any]:
    """Returns what the answer cost; "completion" is null where no model was asked."""
    found, completion = answer.retrieval, answer.completion
    return {
        "method": found.method,
        "context_tokens": found.tokens,
        "budget_tokens": found.budget_tokens,
        "search_ms": found.elapsed_ms,
        "first_token_seconds": answer.first_piece_seconds,
        "elapsed_seconds": answer.elapsed_seconds,
        "completion": asdict(completion) if completion else None,
    }
