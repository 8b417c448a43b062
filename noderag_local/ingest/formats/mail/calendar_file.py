"""Reads calendars (.ics): each event, task or journal entry becomes a statement of what is when, where and with whom."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, BinaryIO

from icalendar import Component
from icalendar.prop import vBroken

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.mail.calendar_clocks import CalendarClocks, Clock
from noderag_local.text.dates.repeated_days import rule_in_words

MAX_ATTENDEES = 50

_BEGIN = re.compile(r"BEGIN:(VEVENT|VTODO|VJOURNAL)[ \t]*$", re.IGNORECASE)
_END = re.compile(r"END:(VEVENT|VTODO|VJOURNAL)[ \t]*$", re.IGNORECASE)
_BROKEN_ENTRY = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError)
_MOMENTS = ("DTSTART", "DTEND", "DUE")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_MARKUP = re.compile(
    r"<(?:br|p|/p|div|/div|li|/li|ul|/ul|b|/b|i|/i|u|/u|span|/span|a|/a)\b[^<>]{0,500}>", re.IGNORECASE
)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    lines = text_of(file).lstrip("\ufeff").split("\n")
    spans = list(_spans(lines))
    if not spans and not any(line.strip().upper() == "BEGIN:VCALENDAR" for line in lines):
        raise DocumentError("it does not begin with BEGIN:VCALENDAR, as a calendar does")
    writer, notices = BlockWriter(), []
    clocks = _clocks(lines, spans)
    for first, last in spans:
        try:
            component = _component(lines[first - 1 : last])
            _entry(component, _clock(component, clocks), writer, Whereabouts(first_line=first, last_line=last))
        except _BROKEN_ENTRY as error:
            notices.append(f"the entry in line {first} is broken ({folded_text(str(error))[:100]})")
    yield ExtractedDocument(_calendar_name(lines), tuple(writer.blocks), notices=tuple(notices))


def _clocks(lines: list[str], spans: list[tuple[int, int]]) -> CalendarClocks:
    """Returns the clocks of a calendar. Only its series are parsed for them, so that its entries are never all in memory."""
    clocks = CalendarClocks(lines)
    for first, last in spans:
        entry = lines[first - 1 : last]
        if any(line.upper().startswith("RRULE") for line in entry):
            with suppress(*_BROKEN_ENTRY):
                component = _component(entry)
                clocks.add_series(_text(component, "UID"), _moment(component, "DTSTART"))
    return clocks


def _spans(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yields the first and last line of each entry, so that a broken entry does not cost the others."""
    first = 0
    for number, line in enumerate(lines, start=1):
        if _BEGIN.match(line):
            first = number
        elif first and _END.match(line):
            yield first, number
            first = 0


def _component(lines: list[str]) -> Component:
    with warnings.catch_warnings():
        # icalendar warns of time zones whose names it has to guess; the name that is written is shown anyway.
        warnings.simplefilter("ignore")
        return Component.from_ical("\r\n".join(lines))


def _calendar_name(lines: list[str]) -> str:
    for line in lines[:200]:
        key, _, value = line.partition(":")
        if key.split(";")[0].upper() in ("X-WR-CALNAME", "NAME"):
            return folded_text(value.replace("\\,", ",").replace("\\;", ";"))
    return ""


def _clock(component: Component, clocks: CalendarClocks) -> Clock:
    moments = (_moment(component, name) for name in _MOMENTS)
    return clocks.clock(_text(component, "UID"), next(filter(None, moments), None), bool(_all(component, "RRULE")))


def _entry(component: Component, clock: Clock, writer: BlockWriter, where: Whereabouts) -> None:
    summary = folded_text(_text(component, "SUMMARY"))
    beginning = ": ".join(part for part in (summary, _when(component, clock)) if part)
    parts = [
        beginning,
        _named("Place", [_text(component, "LOCATION")]),
        _named("Repeated", _rules(component, clock)),
        _named("Instead of", [_shown(_told(component, "RECURRENCE-ID", clock))]),
        _named("Organised by", [_person(person) for person in _all(component, "ORGANIZER")]),
        _named("With", [_person(person) for person in _all(component, "ATTENDEE")][:MAX_ATTENDEES]),
        _named("State", [_text(component, "STATUS").capitalize()]),
    ]
    categories = [
        folded_text(str(tag)) for group in _all(component, "CATEGORIES") for tag in getattr(group, "cats", ())
    ]
    writer.under(1, summary)
    statement = " ".join(f"{part.rstrip('.')}." for part in parts if part)
    writer.add(BlockKind.PARAGRAPH, statement, where, tags=filter(None, categories))
    for paragraph in _PARAGRAPH_END.split(_MARKUP.sub(" ", _text(component, "DESCRIPTION"))):
        writer.add(BlockKind.PARAGRAPH, paragraph, where)


def _text(component: Component, name: str) -> str:
    """Returns the first property of a name as text; "" if there is none."""
    return next((str(value) for value in _all(component, name)), "").replace("\\n", "\n")


def _all(component: Component, name: str) -> list[Any]:
    """Returns the properties of a name, without those whose value is not of their kind."""
    value = component.get(name, [])
    values = value if isinstance(value, list) else [value]
    return [each for each in values if not isinstance(each, vBroken)]


def _named(name: str, values: list[str]) -> str:
    shown = [value for value in dict.fromkeys(map(folded_text, values)) if value]
    return f"{name}: {', '.join(shown)}" if shown else ""


def _person(person: Any) -> str:
    """Returns the name and address of an attendee, or the one of them that is given."""
    address = re.sub("^mailto:", "", str(person), flags=re.IGNORECASE)
    name = str(getattr(person, "params", {}).get("CN", "")).strip("'\" ")
    return f"{name} <{address}>" if name and address and name != address else name or address


def _when(component: Component, clock: Clock) -> str:
    """Returns the time of an entry: "2024-05-01 10:00 to 11:00 (Europe/Berlin)"; the last day is the event's own, not the next."""
    start, end = _told(component, "DTSTART", clock), _end(component)
    end = clock.told(end) if end is not None else None
    if start is None and end is None:
        return ""
    name = _zone_name(component, clock)
    shown = f"until {_shown(end)}" if start is None else f"{_shown(start)}{_until(start, end)}"
    return f"{shown}{f' ({name})' if name else ''}"


def _zone_name(component: Component, clock: Clock) -> str:
    """Returns the time zone of an entry; the name that is written if nobody knows such a zone."""
    written = (
        each for name in _MOMENTS for each in _all(component, name) if isinstance(getattr(each, "dt", None), datetime)
    )
    first = next(written, None)
    if first is None:
        return ""
    return clock.zone_name if first.dt.tzinfo is not None else str(first.params.get("TZID", ""))


def _end(component: Component) -> date | None:
    """Returns the end of an event or the due time of a task; of whole days, the last one."""
    start, due = _moment(component, "DTSTART"), _moment(component, "DUE")
    duration = next((getattr(each, "dt", None) for each in _all(component, "DURATION")), None)
    end = _moment(component, "DTEND")
    if end is None and due is None and start is not None and isinstance(duration, timedelta):
        end = start + duration
    if end is None or isinstance(end, datetime):
        return end or due
    # The day after the last one is written; some programs write the day itself.
    last = end - timedelta(days=1)
    return start if start is not None and not isinstance(start, datetime) and start > last else last


def _moment(component: Component, name: str) -> date | None:
    value = next((getattr(each, "dt", None) for each in _all(component, name)), None)
    return value if isinstance(value, date) else None


def _told(component: Component, name: str, clock: Clock) -> date | None:
    moment = _moment(component, name)
    return clock.told(moment) if moment is not None else None


def _rules(component: Component, clock: Clock) -> list[str]:
    """Returns the rules of a repeated entry in words. Their last moment and exceptions are instants, whose days its clock tells."""
    excluded = (one.dt for each in _all(component, "EXDATE") for one in getattr(each, "dts", ()))
    days = sorted({_day(clock.told(moment)) for moment in excluded if isinstance(moment, date)})
    words = []
    for rule in _all(component, "RRULE"):
        until = [clock.told(moment) for moment in rule.get("UNTIL", ()) if isinstance(moment, date)]
        words.append(rule_in_words({**rule, "UNTIL": until}, days))
    return words


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _until(start: date, end: date | None) -> str:
    if end is None or _shown(end) == _shown(start) or not isinstance(end, type(start)):
        return ""
    same_day = isinstance(start, datetime) and isinstance(end, datetime) and start.date() == end.date()
    return f" to {end:%H:%M}" if same_day else f" to {_shown(end)}"


def _shown(moment: date | None) -> str:
    if isinstance(moment, datetime):
        return moment.strftime("%Y-%m-%d %H:%M")
    return moment.isoformat() if moment else ""


EXTRACTOR = Extractor(_read)
