"""The lines of a day page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from noderag_local.domain.passages import Source
from noderag_local.storage.browsing.day_rows import ChangedDocument


@dataclass(frozen=True, slots=True)
class Appointment:
    """Something that the notes or a calendar have on a day."""

    day: date
    time: str
    """Time as "09:00" or "09:00 to 10:30"; "" for the whole day, and in notes, whose text tells it."""
    text: str
    source: Source
    until: date | None = None
    """Last day, if it lasts longer than a day."""


@dataclass(frozen=True, slots=True)
class DueTask:
    """An open task."""

    text: str
    due: date | None
    """Day until which it is to be done; None where the task names none."""
    written: date | None
    """Day of its note; None where nothing tells it."""
    source: Source


@dataclass(frozen=True, slots=True)
class OtherYear:
    """What a note has about the same day of an earlier year."""

    day: date
    text: str
    """Its first sentence about that day."""
    more: int
    """Number of further sentences of the note about it."""
    source: Source


@dataclass(frozen=True, slots=True)
class DayPage:
    """What there is to know at the beginning of a day."""

    day: date
    last: date
    """Last day of which appointments are listed."""
    appointments: tuple[Appointment, ...]
    """By day and time."""
    tasks: tuple[DueTask, ...]
    """Overdue ones first, then by their day; those without a day last, the newest note first."""
    other_years: tuple[OtherYear, ...]
    """The latest year first."""
    changed: tuple[ChangedDocument, ...]
    """The newest first."""

    @property
    def is_empty(self) -> bool:
        """Returns whether there is nothing at all."""
        return not (self.appointments or self.tasks or self.other_years or self.changed)
