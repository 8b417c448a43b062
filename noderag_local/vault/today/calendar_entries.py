"""Reads calendar entries from the sentences that `ingest.formats.mail.calendar_file` made of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.browsing.day_rows import DaySentence
from noderag_local.text.dates.repeated_days import repeated_days

MOST_REPEATED = 2_000
"""Maximum number of repeated entries whose days are found; a personal calendar has fewer."""
UNNAMED = "Without a name"
_WHEN = re.compile(
    r"(?:^|: )(?P<until>until )?(?P<day>\d{4}-\d{2}-\d{2})(?: (?P<time>\d{2}:\d{2}))?"
    r"(?: to (?:(?P<last>\d{4}-\d{2}-\d{2})(?: (?P<late>\d{2}:\d{2}))?|(?P<end>\d{2}:\d{2})))?(?: \((?P<zone>[^()]{1,60})\))?\.$"
)
_PART = re.compile(r"(Place|Repeated|Instead of|State): (.+?)\.?$")
_DAY_LETTERS, _DAY_AND_TIME_LETTERS = len("2026-05-04"), len("2026-05-04 10:00")
_OVER = frozenset({"cancelled", "completed"})


class CalendarEntry(NamedTuple):
    """An event or task of a calendar."""

    sentence: int
    document_id: int
    name: str
    day: date | None
    """First day of an event, or due day of a task; None if it has none."""
    start: time | None
    end: time | None
    last: date | None
    """Last day, if it lasts longer than a day."""
    zone: str
    is_task: bool
    place: str
    repeated: str
    """Recurrence rule in words; "" if it is not repeated."""
    instead_of: str
    """Day and time of the repeated entry that it replaces, "2026-05-04 10:00"; "" if it replaces none."""
    is_over: bool
    """Whether it was cancelled or done."""

    @property
    def shown(self) -> str:
        """Returns its name, followed by its place."""
        return f"{self.name} · {self.place}" if self.place else self.name


class CalendarMoment(NamedTuple):
    """An entry on one of its days, in the time of this machine."""

    entry: CalendarEntry
    day: date
    time: str
    until: date | None

    @property
    def minute(self) -> int:
        """Returns the minute of the day at which it begins; −1 if it lasts the whole day."""
        return 60 * int(self.time[:2]) + int(self.time[3:5]) if self.time else -1


def calendar_entries(sentences: Iterable[DaySentence]) -> Iterator[CalendarEntry]:
    """Yields the entries of calendars.

    Args:
        sentences: sentences of calendar files, in the order of reading.
    """
    for _, group in groupby(sentences, key=lambda one: (one.document_id, one.first_line)):
        statement = [one for one in group if one.kind is BlockKind.PARAGRAPH]
        if statement:
            yield _entry(statement)


def _entry(statement: Sequence[DaySentence]) -> CalendarEntry:
    # A summary with a full stop is split into several sentences; one of the first ends with the time.
    head = next((place for place, one in enumerate(statement[:4]) if _WHEN.search(one.text)), 0)
    match = _WHEN.search(statement[head].text)
    last = statement[head].text[: match.start() if match else None]
    name = " ".join([*(one.text for one in statement[:head]), last.rstrip(". ")])
    parts = {found[1]: found[2] for one in statement if (found := _PART.fullmatch(one.text.strip()))}
    state = parts.get("State", "").casefold()
    return CalendarEntry(
        statement[0].id,
        statement[0].document_id,
        name or UNNAMED,
        _day(match["day"]) if match else None,
        _time(match["time"]) if match else None,
        _time(match["end"]) if match else None,
        _day(match["last"]) if match and match["last"] else None,
        match["zone"] or "" if match else "",
        bool(match and match["until"]) or state in ("needs-action", "in-process", "completed"),
        parts.get("Place", ""),
        parts.get("Repeated", ""),
        parts.get("Instead of", "")[:_DAY_AND_TIME_LETTERS],
        state in _OVER,
    )


def calendar_moments(entries: Sequence[CalendarEntry], first: date, last: date) -> list[CalendarMoment]:
    """Returns the events of some days, including those that began earlier.

    Times are converted to the time zone of this machine.

    Args:
        entries: calendar entries.
        first: first day.
        last: last day, included.
    """
    repeated = [one for one in entries if one.repeated][:MOST_REPEATED]
    moved = _Moved(entries, repeated)
    found = []
    for entry in (*(one for one in entries if not one.repeated), *repeated):
        if entry.is_task or entry.is_over or entry.day is None:
            continue
        for day in _days(entry, entry.day, first, last):
            if not moved.has(entry, day):
                moment = _in_local_time(entry, day)
                found += [moment] if moment.day <= last and (moment.until or moment.day) >= first else []
    return found


class _Moved:
    """Days of repeated entries that other entries replace; such an entry may have a name of its own."""

    def __init__(self, entries: Iterable[CalendarEntry], repeated: Iterable[CalendarEntry]) -> None:
        moved = [one for one in entries if one.instead_of]
        self._by_name = {(one.document_id, one.name, one.instead_of[:_DAY_LETTERS]) for one in moved}
        self._by_time = {(one.document_id, one.instead_of) for one in moved}
        self._series: defaultdict[tuple[int, time | None], list[CalendarEntry]] = defaultdict(list)
        for one in repeated:
            self._series[one.document_id, one.start].append(one)

    def has(self, entry: CalendarEntry, day: date) -> bool:
        """Returns whether an entry is replaced on a day: by its name, or as the only one that is repeated on that day at its time."""
        if (entry.document_id, entry.name, day.isoformat()) in self._by_name:
            return True
        shown = f"{day} {entry.start:%H:%M}" if entry.start else day.isoformat()
        if not entry.repeated or (entry.document_id, shown) not in self._by_time:
            return False
        there = (one for one in self._series[entry.document_id, entry.start] if one is not entry)
        return not any(day in repeated_days(one.repeated, one.day, day, day) for one in there if one.day)


def _days(entry: CalendarEntry, start: date, first: date, last: date) -> list[date]:
    """Returns the days on which an entry begins that may reach a period, with an extra day at both ends for other time zones."""
    length = entry.last - start if entry.last and entry.last > start else timedelta(0)
    begin, end = first - min(length, timedelta(366)) - timedelta(1), last + timedelta(1)
    return repeated_days(entry.repeated, start, begin, end)


def _in_local_time(entry: CalendarEntry, day: date) -> CalendarMoment:
    length = entry.last - entry.day if entry.last and entry.day else timedelta(0)
    until = day + length if length > timedelta(0) else None
    if entry.start is None:
        return CalendarMoment(entry, day, "", until)
    begin = _local(day, entry.start, entry.zone)
    shown = f"{begin:%H:%M}"
    if entry.end is not None:
        shown += f" to {_local(day, entry.end, entry.zone):%H:%M}"
    return CalendarMoment(entry, begin.date(), shown, until)


def _local(day: date, at: time, zone: str) -> datetime:
    """Returns a time in this machine's time zone; unchanged if the name of its zone is unknown."""
    moment = datetime.combine(day, at)
    try:
        return moment.replace(tzinfo=ZoneInfo(zone)).astimezone() if zone else moment
    except (ValueError, OSError, KeyError, OverflowError):
        return moment


def _day(digits: str) -> date | None:
    try:
        return date.fromisoformat(digits)
    except ValueError:
        return None


def _time(digits: str | None) -> time | None:
    try:
        return time.fromisoformat(digits) if digits else None
    except ValueError:
        return None
