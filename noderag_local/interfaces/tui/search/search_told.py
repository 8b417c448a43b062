"""The line below a search: how much was found, what is still coming, and what the filters mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from noderag_local.interfaces.tui.search.filter_hints import FilterHint
from noderag_local.interfaces.tui.search.found_lines import FoundLines
from noderag_local.interfaces.tui.shared.no_notes import NO_NOTES
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.system.printing.amounts import counted
from noderag_local.vault.browsing.instant_search import MOST_DOCUMENTS, MOST_ENTITIES, MOST_PASSAGES, HitKind

READING = "Reading the names …"
NOTHING = "Nothing has these words. Try fewer or shorter words, or another spelling."
NOTHING_WITH_FILTERS = "Nothing has these words within the filters. Try fewer words, or leave a filter out."
NO_DOCUMENT = "No document passes the filters. Leave one out, or write a wider one."


def told_of(found: FoundLines, meaning: str, *, by_day: bool) -> Content:
    """Returns how much was found, as in "3 titles · 2 names · 41 passages · by meaning: 5".

    Args:
        found: what is listed.
        meaning: state of the search by meaning; "" if there is none.
        by_day: whether the list is ordered by day.
    """
    parts = [*_counts(found), meaning, "latest first" if by_day else ""]
    told = on_one_line(" · ".join(part for part in parts if part))
    if not found.line.has_filters:
        return told
    return told + Content(" · in ") + on_one_line(found.line.filters, "$text-accent")


def hinted(hints: Sequence[FilterHint]) -> Content:
    """Returns the completions of a filter on one line; tab accepts the first."""
    return Content("tab: ") + Content("  ").join(
        on_one_line(hint.shown, "bold $text-accent" if place == 0 else "") for place, hint in enumerate(hints)
    )


def empty_text(found: FoundLines) -> str:
    """Returns what the list says when it has no line."""
    if not found.line.words:
        return NO_DOCUMENT if found.line.has_filters else NO_NOTES
    return NOTHING_WITH_FILTERS if found.line.has_filters else NOTHING


def _counts(found: FoundLines) -> Iterator[str]:
    if not found.line.words:
        yield counted(found.documents, "documents")
        yield (
            f"the last {MOST_DOCUMENTS} changed are listed"
            if found.documents > MOST_DOCUMENTS
            else "last changed first"
        )
        return
    yield _of_all(found.documents, MOST_DOCUMENTS, "titles")
    yield _of_all(found.entities, MOST_ENTITIES, "names")
    yield counted(found.talks, "talks") if found.talks else ""
    passages = found.count(HitKind.TEXT)
    yield f"{passages:,} passages and more" if passages == MOST_PASSAGES else counted(passages, "passages")


def _of_all(number: int, most: int, unit: str) -> str:
    if not number:
        return ""
    return f"{most} of {number:,} {unit}" if number > most else counted(number, unit)
