"""An answer for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noderag_local.cli.timed import Timed
    from noderag_local.records import Retrieval


def answer_fields(found: Retrieval, stream: Timed) -> dict[str, Any]:
    """Reads the stream to its end and gives the answer, what it cites, all sources, and what it cost."""
    for _ in stream:
        pass
    answer = stream.answer
    cited = {number for part in answer.segments for number in part.numbers}
    return {
        "question": found.question,
        "answer": answer.text,
        "abstained": answer.abstained,
        "finish": answer.finish,
        "model": answer.model,
        "note": answer.note,
        "citations": [
            {"sentence": part.text, "numbers": part.numbers, "supported": part.supported, "added": part.added}
            for part in answer.segments
            if part.text
        ],
        "sources": [{**asdict(source), "cited": source.number in cited} for source in found.sources],
        "stats": _costs(found, stream),
    }


def _costs(found: Retrieval, stream: Timed) -> dict[str, Any]:
    """What the answer cost; "completion" is null where no model was asked."""
    completion = stream.answer.completion
    return {
        "method": found.method,
        "context_tokens": found.tokens,
        "budget_tokens": found.budget_tokens,
        "search_ms": found.elapsed_ms,
        "first_token_seconds": stream.first_piece_seconds,
        "elapsed_seconds": stream.seconds,
        "completion": asdict(completion) if completion else None,
    }
