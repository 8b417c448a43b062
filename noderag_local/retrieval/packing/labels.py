"""Labels of a context's sources: the title, headings and day of a note, as far as its sentences do not say them."""

from __future__ import annotations

import re

from noderag_local.domain.passages import Source
from noderag_local.text.dates.document_days import day_in_name

_NUMBER = re.compile(r"\d+")


def label_over(place: Source, text: str) -> str:
    """Returns title and headings, as far as a sentence does not say them itself, and the day that only the file's name tells.

    Args:
        place: place of the sentence.
        text: the sentence as it stands in the context.
    """
    names = [place.title, *place.headings]
    label = " > ".join(dict.fromkeys(name for name in names if name and name not in text))
    return f"{_untold_day(place)} {label}".strip()


def _untold_day(place: Source) -> str:
    """The day in the name of the file, if neither title nor headings have its number: "Heron weekly" is said of many days."""
    day = day_in_name(place.path)
    if not day:
        return ""
    headings = " ".join((place.title, *place.headings))
    return "" if day in headings or str(int(day[-2:])) in _numbers(headings) else day


def _numbers(text: str) -> set[str]:
    """Returns the numbers of a text, without leading zeros."""
    return {digits.lstrip("0") for digits in _NUMBER.findall(text)}
