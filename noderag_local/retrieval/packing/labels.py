"""Labels of a context's sources: the title, headings and day of a note, as far as its sentences do not say them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from noderag_local.domain.passages import Source
from noderag_local.retrieval.packing.whole_words import says
from noderag_local.text.dates.document_days import day_of, spelled_day

_NUMBER = re.compile(r"\d+")


def label_over(place: Source, headings: Sequence[str], text: str) -> str:
    """Returns title and headings, as far as a sentence does not say them itself, and the day of the note, if they do not tell it.

    Args:
        place: place of the sentence.
        headings: over the sentence, outermost first.
        text: the sentence as it stands in the context.
    """
    # A title is kept as the file has it, a heading may be the same one with other spaces.
    names = [" ".join(name.split()) for name in (place.title, *headings)]
    label = " > ".join(dict.fromkeys(name for name in names if name and not says(text, name)))
    return f"{_untold_day(place, headings, text)} {label}".strip()


def _untold_day(place: Source, headings: Sequence[str], text: str) -> str:
    """The day of the note, if title and headings lack its number or its year: "Tue 17 Sep" is of any year; "" if the text has it."""
    spelled, day = spelled_day(place.path, place.day), day_of(place.path, place.day)
    if day is None:
        return ""
    told = " ".join((place.title, *headings))
    numbers = _numbers(told)
    has_year = not numbers.isdisjoint((str(day.year), str(day.year % 100)))
    return "" if spelled in f"{told} {text}" or (has_year and str(day.day) in numbers) else spelled


def _numbers(text: str) -> set[str]:
    """Returns the numbers of a text, without leading zeros."""
    return {digits.lstrip("0") for digits in _NUMBER.findall(text)}
