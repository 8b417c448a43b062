"""Makes the lines of the screen Today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.navigation import NavigationStep, Target
from noderag_local.interfaces.tui.reader.node_page import Entry, heading
from noderag_local.interfaces.tui.shared.line_list import one_line
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.cited_place import named
from noderag_local.system.printing.day_names import day_name, due_name

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.storage.browsing.day_rows import ChangedDocument
    from noderag_local.vault.today.day_lines import Appointment, DayPage, DueTask

FEW = 8
"""Number of lines of a part that are listed at first; appointments are always listed in full."""
WHEN_CELLS = 12


class _Line(NamedTuple):
    when: str
    text: str
    where: str
    target: Target
    is_late: bool = False


def day_entries(page: DayPage, *, shows_all: bool) -> Iterator[Entry]:
    """Yields the appointments, tasks, other years and changes. Empty parts are left out; only empty appointments get a line.

    Args:
        page: page of the day.
        shows_all: whether long parts are listed in full.
    """
    today, last = page.day, day_name(page.last, page.day)
    yield heading("Appointments", f"until {last}")
    yield from _lines(_appointments(page.appointments, today))
    if not page.appointments:
        yield Entry(Content.styled("No appointments until then.", "$text-muted italic"))
    most = None if shows_all else FEW
    late = sum(task.due is not None and task.due < today for task in page.tasks)
    figure = f"{late:,} of {len(page.tasks):,} late" if late else f"{len(page.tasks):,}"
    # Tasks that are late or due soon are never cut off.
    due = sum(task.due is not None and task.due <= page.last for task in page.tasks)
    tasks = [_task(task, today) for task in page.tasks]
    yield from _part("Open tasks", figure, tasks, None if most is None else max(most, due))
    years = [
        _Line(str(one.day.year), _with_more(one.text, one.more), _where(one.source), one.source)
        for one in page.other_years
    ]
    yield from _part("This day in other years", "", years, most)
    yield from _part("Changed lately", "", [_changed(one, today) for one in page.changed], most)


def _appointments(appointments: Iterable[Appointment], today: date) -> Iterator[_Line]:
    day_before = ""
    for one in appointments:
        day = day_name(max(one.day, today), today)
        until = f" · until {day_name(one.until, today)}" if one.until else ""
        text = f"{one.time}  {one.text}" if one.time else one.text
        # Each day is named once.
        yield _Line(day if day != day_before else "", f"{text}{until}", _where(one.source), one.source)
        day_before = day


def _task(task: DueTask, today: date) -> _Line:
    when = due_name(task.due, today) if task.due else ""
    return _Line(when, task.text, _where(task.source), task.source, bool(task.due and task.due < today))


def _changed(document: ChangedDocument, today: date) -> _Line:
    changed = datetime.fromtimestamp(document.modified_ns / 1e9)
    when = f"{changed:%H:%M}" if changed.date() == today else day_name(changed.date(), today)
    path = PurePath(document.path)
    name = document.title or path.name
    count = f"  {counted(document.documents, 'documents')}" if document.documents > 1 else ""
    step = NavigationStep(NodeType.DOCUMENT, document.node, name)
    return _Line(when, f"{name}{count}", f"{path.parent.name}/{path.name}", step)


def _with_more(text: str, more: int) -> str:
    return f"{text}  +{more:,}" if more else text


def _where(source: Source) -> str:
    return named(PurePath(source.path).name, source.first_line, source.place)


def _part(title: str, figure: str, lines: list[_Line], most: int | None) -> Iterator[Entry]:
    if not lines:
        return
    yield heading(title, figure)
    yield from _lines(lines[:most])
    if most is not None and len(lines) > most:
        yield Entry(Content.styled(f"{'':{WHEN_CELLS}}{len(lines) - most:,} more: a lists all", "$text-muted italic"))


def _lines(lines: Iterable[_Line]) -> Iterator[Entry]:
    for line in lines:
        when = f"{line.when}{' ' * max(1, WHEN_CELLS - cell_len(line.when))}"
        shown = Content.styled(when, "$text-warning" if line.is_late else "$text-muted") + Content(one_line(line.text))
        yield Entry(shown + Content("  ") + on_one_line(line.where, "$text-muted"), line.target)
