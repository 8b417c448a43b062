"""Finds the clock by which the times of a calendar entry are told.

Many programs write all times in UTC, which is not the time on anybody's clock: an appointment after midnight would be told a day
too early.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from zoneinfo import ZoneInfo

_UTC_NAMES = frozenset({"UTC", "UCT", "GMT", "Zulu", "Universal"})


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock by which all times of an entry are told."""

    zone: tzinfo | None = None
    """Its time zone; None for that of this machine."""
    is_calendar: bool = False
    """Whether it only counts whole days: all times of the entry stay as they are written."""

    def told(self, moment: date) -> date:
        """Returns a time by this clock; whole days and times of no zone stay as they are.

        Args:
            moment: the time as it is written.
        """
        if self.is_calendar or not isinstance(moment, datetime) or moment.tzinfo is None:
            return moment
        try:
            return moment.astimezone(self.zone)
        except (OverflowError, ValueError, OSError):
            # The first and last days of all have no time in other zones; programs write them for "always".
            return moment

    @property
    def zone_name(self) -> str:
        """Name of its time zone; "" for that of this machine."""
        return str(self.zone or "")


class CalendarClocks:
    """Clocks of the entries of one calendar."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Reads the time zone that the calendar names as its own.

        Args:
            lines: lines of the calendar.
        """
        self._zone = _calendar_zone(lines)
        self._of_series: dict[str, Clock] = {}

    def add_series(self, uid: str, start: date | None) -> None:
        """Notes the clock of a repeated entry, which its exceptions share.

        Args:
            uid: UID of the entry.
            start: its first time.
        """
        if uid:
            self._of_series[uid] = self.clock("", start, is_repeated=True)

    def clock(self, uid: str, moment: date | None, is_repeated: bool) -> Clock:
        """Returns the clock of an entry: that of its own time zone or, if it is written in UTC, of the calendar's.

        Args:
            uid: UID of the entry.
            moment: when it begins or is due.
            is_repeated: whether it has a rule. The rule names days in the zone of the start, so this zone is kept even if it is UTC.
        """
        if not is_repeated and uid in self._of_series:
            return self._of_series[uid]
        if not isinstance(moment, datetime):
            return Clock(is_calendar=True)
        return Clock(self._zone if _is_utc(moment.tzinfo) and not is_repeated else moment.tzinfo)


def _calendar_zone(lines: Iterable[str]) -> ZoneInfo | None:
    """Returns the time zone that a calendar names; None for none, and for UTC, which says no more than the times do."""
    parts = (line.partition(":") for line in lines)
    try:
        zone = ZoneInfo(
            next((value.strip() for key, _, value in parts if key.split(";")[0].upper() == "X-WR-TIMEZONE"), "UTC")
        )
    except (ValueError, OSError, KeyError):
        return None
    return None if _is_utc(zone) else zone


def _is_utc(zone: tzinfo | None) -> bool:
    return str(zone).removeprefix("Etc/") in _UTC_NAMES
