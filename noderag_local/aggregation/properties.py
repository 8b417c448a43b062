"""Reads properties of notes: lines such as "Time: 1 h 10" or "pages: 320", as numbers that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from noderag_local.aggregation.entries import NoteEntry
from noderag_local.aggregation.measures import label_words, measure_of, unit_of
from noderag_local.aggregation.question_phrases import words_of
from noderag_local.aggregation.tables import value_of
from noderag_local.domain.documents import BlockKind

_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_LABEL = re.compile(r"([^\s:]{1,30})\s?:{1,2}(?=\s)")
_SPILLED = 2
"""Most words of a label before its last one: "Total cooking time"."""
LONGEST_LABEL = 3
"""Most words before the colon of a property."""
_PART = re.compile(r"(\d{1,6}(?:[.,]\d{1,3})?)\s?([^\W\d_]{0,15})")
_RATING = re.compile(r"(\d{1,3}(?:[.,]\d)?)(?:\s?(?:/|of|out of|von|sur|de)\s?(\d{1,3}))?(?:\s?[^\W\d_]{1,12})?")
_STARS = re.compile(r"(★{1,10})(½?)☆{0,10}")
_MINUTES = {"min": 1, "h": 60}


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a note, as a number."""

    entry: NoteEntry
    label: str
    text: str
    """The value as the note writes it."""
    value: Decimal
    unit: str
    """Durations are in minutes; a rating has what it is out of, "" where that is not told."""


def property_of(entries: Iterable[NoteEntry], measure: str) -> Property | None:
    """Returns what a note says of a measure; the total where it has several lines about it, and None where it is not clear."""
    found = [one for entry in entries for one in _properties(entry, measure)]
    whole = [one for one in found if label_words("total") & set(words_of(one.label))]
    found = whole or [one for one in found if not label_words("partial") & set(words_of(one.label))]
    return found[0] if len(found) == 1 else None


def _properties(entry: NoteEntry, measure: str) -> Iterator[Property]:
    """Yields the properties in a sentence about a measure: lines below one another are one sentence, "Pages: 320 Rating: 4/5"."""
    text = entry.sentence.text
    labels = list(_LABEL.finditer(text)) if entry.sentence.kind in _PROSE else []
    if not labels or len(words_of(text[: labels[0].end()])) > LONGEST_LABEL:
        return
    ends = [(one.start(), _SPILLED) for one in labels[1:]] + [(len(text), 0)]
    before = 0
    for one, (end, spilled) in zip(labels, ends, strict=True):
        label = " ".join((*text[before : one.start()].split()[-_SPILLED:], one[1]))
        yield from _read(entry, label, text[one.end() : end], spilled, measure)
        before = one.end()


def _read(entry: NoteEntry, label: str, text: str, spilled: int, measure: str) -> Iterator[Property]:
    """Yields the property of a label; up to `spilled` words at the end of its text may belong to the next label."""
    words = text.split()
    for last in range(len(words), max(len(words) - spilled, 1) - 1, -1):
        value = " ".join(words[:last]).strip(" .*_")
        name = label.split()[-1]
        # "Length: 320 pages"; but "Walk: 10 min" is not what a hotel takes.
        by_unit = measure_of(" ".join(words_of(value))) if measure == "pages" else ""
        if (measure_of(name) or by_unit) != measure:
            continue
        if read := amount_of(value, measure, unit_of(name)):
            yield Property(entry, label, value, *read)
            return


def amount_of(text: str, measure: str, unit: str = "") -> tuple[Decimal, str] | None:
    """Returns the number and unit of a value that holds nothing else: (70, "min") for "1 h 10"; None for any other text.

    Args:
        text: the value.
        measure: what it measures.
        unit: unit where the value itself tells none.
    """
    if measure == "duration":
        minutes = _minutes(text, unit)
        return None if minutes is None else (minutes, "min")
    if measure == "rating":
        return _rating(text)
    value = value_of(text, measure)
    return None if value is None else (value, unit_of(text) or unit or ("pages" if measure == "pages" else ""))


def _minutes(text: str, unit: str) -> Decimal | None:
    """The minutes of a duration; None where its units are not told, since "18:30" and "35" may be anything."""
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text).strip(" ,.~"):
        return None
    total, before = Decimal(0), ""
    for digits, word in parts:
        # "1 h 10".
        told = unit_of(word) if word else ("min" if before == "h" else unit if len(parts) == 1 else "")
        if told not in _MINUTES or told == before:
            return None
        total += Decimal(digits.replace(",", ".")) * _MINUTES[told]
        before = told
    return total


def _rating(text: str) -> tuple[Decimal, str] | None:
    if stars := _STARS.fullmatch(text):
        return Decimal(len(stars[1])) + (Decimal("0.5") if stars[2] else 0), "5"
    found = _RATING.fullmatch(text)
    return (Decimal(found[1].replace(",", ".")), found[2] or "") if found else None
