"""Titles and headings at a length that a person reads: each stands with every passage below it."""

from __future__ import annotations

from collections.abc import Sequence

MAX_TITLE_CHARACTERS = 300
MAX_BREADCRUMB_CHARACTERS = 300
"""Most characters of all headings over a passage together."""
CUT = "…"


def short_title(title: str) -> str:
    """Returns the title on one line, cut at its end if it is too long."""
    line = " ".join(title[: 4 * MAX_TITLE_CHARACTERS].split())
    return line if len(line) <= MAX_TITLE_CHARACTERS else line[: MAX_TITLE_CHARACTERS - 1].rstrip() + CUT


def breadcrumb(headings: Sequence[str]) -> tuple[str, ...]:
    """Returns the headings over a passage, outermost first; if there is not room for all, the innermost ones."""
    kept: list[str] = []
    room = MAX_BREADCRUMB_CHARACTERS
    for heading in reversed(headings):
        if len(heading) > room:
            kept += [heading[: room - 1].rstrip() + CUT] * (not kept)
            break
        kept.append(heading)
        room -= len(heading)
    return tuple(reversed(kept))
