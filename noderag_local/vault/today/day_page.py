"""Makes the page of a day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.operations.open_tasks import open_boxes
from noderag_local.domain.passages import Source
from noderag_local.storage.browsing.day_rows import ChangedDocument, DayRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.person_notes import PersonNotes, people_pages
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.text.dates.days import Days
from noderag_local.text.people_pages import PeoplePages, is_full_name
from noderag_local.vault.today.calendar_entries import CalendarEntry, calendar_entries, calendar_moments
from noderag_local.vault.today.day_lines import Appointment, DayPage, DueTask, OtherYear
from noderag_local.vault.today.due_tasks import due_tasks, in_order
from noderag_local.vault.today.noted_days import NotedDay, noted_days
from noderag_local.vault.today.other_years import same_day_of_other_years

DAYS_BACK = 2
"""Number of days before today whose changes are listed."""

IsInside = Callable[[int], bool]


def day_page(store: Store, words: Words, today: date, days_ahead: int, is_inside: IsInside = lambda _: True) -> DayPage:
    """Returns the page of a day.

    Args:
        store: the vault.
        words: word index of the vault.
        today: day of the page.
        days_ahead: number of days after it whose appointments are listed.
        is_inside: tells for the id of a document whether the document may be used.
    """
    rows, days = DayRows(store), Days(today, today + timedelta(days_ahead))
    with store.steady():
        entries = [one for one in calendar_entries(rows.of_calendars()) if is_inside(one.document_id)]
        return DayPage(
            today,
            days.last,
            _appointments(store, entries, noted_days(rows, words, days, is_inside), days),
            _tasks(store, Entries(store, words, is_inside), entries, today),
            _other_years(store, rows, words, today, is_inside),
            _changed(rows, today, is_inside),
        )


def _appointments(
    store: Store, entries: Sequence[CalendarEntry], noted: Sequence[NotedDay], days: Days
) -> tuple[Appointment, ...]:
    moments = calendar_moments(entries, days.first, days.last)
    sources = _sources(store, [*(one.entry.sentence for one in moments), *(one.sentence.id for one in noted)])
    found = [
        (one.minute, Appointment(one.day, one.time, one.entry.shown, sources[one.entry.sentence], one.until))
        for one in moments
    ]
    has_birthdays = any(one.is_birthday for one in noted)
    people = people_pages(PersonNotes(store).labels() if has_birthdays else [])
    found += [(one.minute, Appointment(one.day, "", _told(one, people), sources[one.sentence.id])) for one in noted]
    # An appointment that began earlier is listed today.
    ordered = sorted(found, key=lambda pair: (max(pair[1].day, days.first), pair[0]))
    return tuple(appointment for _, appointment in ordered)


def _told(noted: NotedDay, people: PeoplePages) -> str:
    text = noted.text
    if not noted.is_birthday:
        return text
    who = noted.sentence.title
    is_person = is_full_name(who) or people.has(noted.sentence.path)
    named = f" of {who}" if who and is_person and who.casefold() not in text.casefold() else ""
    return f"Birthday{named}{f', {noted.years} years' if noted.years else ''}: {text}"


def _tasks(store: Store, entries: Entries, calendars: Sequence[CalendarEntry], today: date) -> tuple[DueTask, ...]:
    boxes = open_boxes(entries)
    todo = [one for one in calendars if one.is_task and not one.is_over]
    sources = _sources(store, [*(one.sentence.id for one in boxes), *(one.sentence for one in todo)])
    tasks = due_tasks(boxes, [sources[one.sentence.id] for one in boxes], today)
    tasks += [DueTask(one.shown, one.day, None, sources[one.sentence]) for one in todo]
    return in_order(tasks, DayRows(store).changes_of({one.sentence.document_id for one in boxes}))


def _other_years(store: Store, rows: DayRows, words: Words, today: date, is_inside: IsInside) -> tuple[OtherYear, ...]:
    found = same_day_of_other_years(rows, words, today, is_inside)
    sources = _sources(store, [one.sentence.id for one in found])
    return tuple(
        OtherYear(one.day, " ".join(one.sentence.text.split()), one.more, sources[one.sentence.id]) for one in found
    )


def _changed(rows: DayRows, today: date, is_inside: IsInside) -> tuple[ChangedDocument, ...]:
    begin = datetime.combine(today - timedelta(DAYS_BACK), time.min)
    return tuple(one for one in rows.changed(int(begin.timestamp() * 1e9)) if is_inside(one.node))


def _sources(store: Store, sentence_ids: Sequence[int]) -> dict[int, Source]:
    """Returns sentence id → unnumbered source."""
    ids = list(dict.fromkeys(sentence_ids))
    return dict(zip(ids, TextRows(store).passages(ids), strict=True))
