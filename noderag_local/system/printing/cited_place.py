"""The place of a passage in its file, written for a person: line, page, slide or time."""

from __future__ import annotations

from collections.abc import Iterable

RANGE = " – "
"""Sign between the first and the last place of a range."""


def spanned(places: Iterable[str]) -> str:
    """Returns one place for several passages in reading order: "page 3", "page 3 – page 4", "sheet Costs, row 2 – row 5".

    Args:
        places: place of each passage, which may be a range or empty.
    """
    named = [place for place in places if place]
    if not named:
        return ""
    first, last = ends(named[0])[0], ends(named[-1])[1]
    if first == last:
        return first
    return f"{first}{RANGE}{last.removeprefix(_around(first))}"


def ends(place: str) -> tuple[str, str]:
    """Returns the first and last place of a range, both in full; returns a single place twice."""
    first, _, last = place.partition(RANGE)
    if not last:
        return first, first
    return first, last if ", " in last else f"{_around(first)}{last}"


def _around(place: str) -> str:
    """Returns the part of a place that neighbouring places share: "sheet Costs, " of "sheet Costs, row 2"."""
    outer, comma, _ = place.rpartition(", ")
    return outer + comma


def where(first_line: int, last_line: int, place: str) -> str:
    """Returns a place: "line 3", "lines 3–4", "page 3", "line 9, 00:01:05"; "" where only the file can be named.

    Args:
        first_line: first line of the place; 0 where the file has no lines.
        last_line: last line of the place; 0 where the file has no lines.
        place: `Passage.place`.
    """
    lines = f"line {first_line}" if first_line == last_line else f"lines {first_line}–{last_line}"
    return ", ".join(part for part in (lines if first_line else "", place) if part)


def named(file: str, first_line: int, place: str, last_line: int = 0) -> str:
    """Returns a file with the place in it, as editors open it: "plan.md:12-14", "plan.pdf, page 3", "plan.docx".

    Args:
        file: name or path.
        first_line: as `where`.
        place: as `where`.
        last_line: as `where`; shown where it differs from the first.
    """
    lines = f":{first_line}" if first_line else ""
    if first_line and last_line > first_line:
        lines += f"-{last_line}"
    return f"{file}{lines}, {place}" if place else f"{file}{lines}"
