"""Labels of a context's sources: the title, headings and day of a note, as far as its sentences do not say them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from noderag_local.domain.passages import Source
from noderag_local.text.dates.document_days import day_in_name, named_day

_NUMBER = re.compile(r"\d+")


def label_over(place: Source, headings: Sequence[str], text: str) -> str:
    """Returns title and headings, as far as a sentence does not say them itself, and the day that only the file's name tells.

    Args:
        place: place of the sentence.
        headings: over the sentence, outermost first.
        text: the sentence as it stands in the context.
    """
    names = [place.title, *headings]
    label = " > ".join(dict.fromkeys(name for name in names if name and name not in text))
    return f"{_untold_day(place, headings)} {label}".strip()


def _untold_day(place: Source, headings: Sequence[str]) -> str:
    """The day in the name of the file, if neither title nor headings have its number: "Heron weekly" is said of many days."""
    spelled, day = day_in_name(place.path), named_day(place.path)
    if day is None:
        return ""
    told = " ".join((place.title, *headings))
    return "" if spelled in told or str(day.day) in _numbers(told) else spelled


def _numbers(text: str) -> set[str]:
    """Returns the numbers of a text, without leading zeros."""
    return {digits.lstrip("0") for digits in _NUMBER.findall(text)}
