"""Defines the lines of the page of a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from noderag_local.domain.passages import Source
from noderag_local.storage.browsing.day_rows import ChangedDocument


@dataclass(frozen=True, slots=True)
class Appointment:
    """Something that the notes or a calendar name for a day."""

    day: date
    time: str
    """Time as "09:00" or "09:00 to 10:30"; "" for a whole day, and for notes, whose text has the time."""
    text: str
    source: Source
    until: date | None = None
    """Last day, if it lasts longer than a day."""


@dataclass(frozen=True, slots=True)
class DueTask:
    """An open task."""

    text: str
    due: date | None
    """Due day; None if the task names none."""
    written: date | None
    """Day of its note; None if unknown."""
    source: Source


@dataclass(frozen=True, slots=True)
class OtherYear:
    """What a note says about the same day in an earlier year."""

    day: date
    text: str
    """First sentence of the note about that day."""
    more: int
    """Number of further sentences of the note about that day."""
    source: Source


@dataclass(frozen=True, slots=True)
class DayPage:
    """Page of a day: appointments, tasks, other years and changes."""

    day: date
    last: date
    """Last day whose appointments are listed."""
    appointments: tuple[Appointment, ...]
    """Appointments, by day and time."""
    tasks: tuple[DueTask, ...]
    """Tasks by due day, so that late ones come first; those without a due day last, those of the newest note first."""
    other_years: tuple[OtherYear, ...]
    """Notes of this day in other years, latest year first."""
    changed: tuple[ChangedDocument, ...]
    """Changed documents, newest first."""

    @property
    def is_empty(self) -> bool:
        """Returns whether the page has nothing at all."""
        return not (self.appointments or self.tasks or self.other_years or self.changed)
