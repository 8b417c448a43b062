"""Finds a passage in a line that may have more than the passage, and less."""

from __future__ import annotations

from functools import lru_cache

SHORTEST = 12
"""Characters of a sentence that is looked for by itself."""


@lru_cache(256)
def passage_spans(line: str, passage: str) -> tuple[tuple[int, int], ...]:
    """Returns the places in a line that belong to a passage: the passage, or each of its sentences that stand there.

    Args:
        line: text of a line as it is shown.
        passage: text of the passage, whose sentences may come from several lines.
    """
    if line.strip() and " ".join(line.split()) in " ".join(passage.split()):
        return ((0, len(line)),)
    spans: list[tuple[int, int]] = []
    for part in (passage.strip(), *(part.strip() for part in passage.split("\n"))):
        at = line.find(part) if len(part) >= SHORTEST or part == passage.strip() else -1
        if at >= 0 and part:
            spans.append((at, at + len(part)))
    return tuple(dict.fromkeys(spans))
