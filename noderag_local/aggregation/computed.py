"""What an operation found: the answer in parts, each with the entries that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from noderag_local.aggregation.entries import NoteEntry
from noderag_local.aggregation.plan import Plan


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A piece of an answer."""

    text: str
    entries: tuple[NoteEntry, ...]
    """Entries that it rests on, the best first."""


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed answer."""

    parts: tuple[AnswerPart, ...]
    note: str
    """What was looked at, and what may be missing, as a sentence for the user."""


def told_day(day: date, plan: Plan) -> str:
    """Returns a day in words of the question's language: "4 March 2025"."""
    from babel.dates import format_date

    return format_date(day, format=plan.phrases.texts["day"], locale=plan.language)


def told_days(days: Sequence[date]) -> str:
    """Returns the first and last of some days: "2025-03-01 to 2025-03-30"."""
    return f"{days[0]} to {days[-1]}" if days[0] != days[-1] else str(days[0])
