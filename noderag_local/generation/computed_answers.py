"""Makes answers of what was computed over many notes; no language model is asked."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.domain.passages import Citation, Retrieval
from noderag_local.generation.answering import Answer
from noderag_local.generation.citing.markers import MARKER, numbers, written
from noderag_local.models.llm.engine import Finish
from noderag_local.system.printing.plain_text import printable

COMPUTED = "computed"
"""Method of a retrieval whose sources were not searched for but computed with."""


def computed_answer(parts: Sequence[tuple[str, Sequence[int]]], found: Retrieval, note: str, *, short: bool) -> Answer:
    """Returns the answer with a line for each part.

    Args:
        parts: (text, numbers of the sources that it rests on).
        found: the sources, with the method `COMPUTED`.
        note: what was looked at.
        short: whether the answer is a short phrase without citations.
    """
    texts = [_without_markers(" ".join(printable(text).split())) for text, _ in parts]
    if short:
        return Answer(", ".join(texts), (), False, Finish.STOP, "", found, note)
    lines = [f"{text} {written(cited)}" for text, (_, cited) in zip(texts, parts, strict=True)]
    answer = "\n".join(lines)
    return Answer(answer, computed_citations(answer, found), False, Finish.STOP, "", found, note)


def _without_markers(text: str) -> str:
    """Returns a text with round brackets around its own "[2]", which would be read as a citation."""
    return MARKER.sub(lambda found: f"({found[0][1:-1]})", text)


def computed_citations(answer: str, found: Retrieval) -> tuple[Citation, ...]:
    """Returns the lines of a computed answer with the sources of each, which hold by construction."""
    known = {source.number for source in found.sources}
    lines = answer.splitlines(keepends=True)
    return tuple(
        Citation(
            MARKER.sub("", line).strip(),
            tuple(number for mark in MARKER.findall(line) for number in numbers(mark, known)),
            supported=True,
            after="\n" if line.endswith("\n") else "",
        )
        for line in lines
    )
