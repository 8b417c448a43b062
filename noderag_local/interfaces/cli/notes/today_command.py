"""`noderag today`: prints what the day brings."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noderag_local.interfaces.cli.options import AsJson, Folder, Tag, VaultDir, opened_vault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from rich.console import Console

    from noderag_local.vault.today.day_lines import DayPage

LINES = 10
"""Maximum number of lines that are printed of a part."""
TEXT = 90
"""Maximum number of characters that are printed of a line's text."""
NOTHING = "Nothing today: no appointments, open tasks or changes."
Line = tuple[str, str, str]
"""(when, what, place in the notes)"""

DaysAhead = Annotated[
    int | None,
    typer.Option(
        "--days",
        metavar="N",
        min=0,
        max=366,
        show_default=False,
        help="Number of days after today to list; 7 if left out.",
    ),
]


def today(
    days: DaysAhead = None, folder: Folder = "", tag: Tag = "", vault: VaultDir = None, as_json: AsJson = False
) -> None:
    """Show appointments, open tasks and recent changes.

    Appointments come from calendar files and from sentences that name a day. Tasks are empty check boxes and open tasks of calendar
    files, late ones first. What the notes say about this day in earlier years is shown, too.
    Everything is read from the vault, without a language model.

    \b
    Examples:
      noderag today
      noderag today --days 31 --folder ~/notes/work
      noderag today --json
    """
    from datetime import date

    from noderag_local.domain.passages import Scope
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.vault.scoped_notes import DAYS_AHEAD

    with opened_vault(vault) as opened:
        notes = opened.atlas.within(Scope(folder=folder, tag=tag))
        page = notes.day(date.today(), DAYS_AHEAD if days is None else days)
    if as_json:
        print_document(_fields(page))
    else:
        _print_page(page)


def _fields(page: DayPage) -> dict[str, Any]:
    """Returns a page as JSON data, with days such as "2026-11-26"."""

    def shown(value: Any) -> Any:
        from datetime import date

        if isinstance(value, dict):
            return {name: shown(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [shown(one) for one in value]
        return value.isoformat() if isinstance(value, date) else value

    changed = [one._asdict() for one in page.changed]
    fields: dict[str, Any] = shown({**asdict(page), "changed": changed})
    return fields


def _print_page(page: DayPage) -> None:
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.day_names import day_name, due_name, whole_name

    out, today = console(), page.day
    show(out, whole_name(today))
    if page.is_empty:
        show(out, NOTHING)
        return
    appointments = [
        (day_name(max(one.day, today), today), f"{one.time}  {one.text}" if one.time else one.text, _place(one.source))
        for one in page.appointments
    ]
    _print_part(out, f"Until {day_name(page.last, today)}" if page.last > today else "Today", appointments)
    late = sum(one.due is not None and one.due < today for one in page.tasks)
    title = f"Open tasks, {late:,} of {len(page.tasks):,} late" if late else "Open tasks"
    tasks = [(due_name(one.due, today) if one.due else "", one.text, _place(one.source)) for one in page.tasks]
    _print_part(out, title, tasks)
    years = [(str(one.day.year), one.text, _place(one.source)) for one in page.other_years]
    _print_part(out, "This day in other years", years)
    _print_part(out, "Changed lately", [_changed(one.path, one.modified_ns, today) for one in page.changed])


def _place(source: Any) -> str:
    from noderag_local.interfaces.cli.printed import place

    return place(source.path, source.first_line, 0, source.place)


def _changed(path: str, modified_ns: int, today: date) -> Line:
    from datetime import datetime

    from noderag_local.interfaces.cli.printed import place
    from noderag_local.system.printing.day_names import day_name

    changed = datetime.fromtimestamp(modified_ns / 1e9)
    return f"{day_name(changed.date(), today)} {changed:%H:%M}", place(path), ""


def _print_part(out: Console, title: str, lines: Sequence[Line]) -> None:
    from rich.text import Text

    from noderag_local.interfaces.cli.printed import show

    if not lines:
        return
    show(out)
    show(out, Text(title, style="bold"))
    width = max(len(when) for when, _, _ in lines[:LINES])
    for when, text, where in lines[:LINES]:
        line = Text(f"{when:{width}}  " if width else "")
        line.append(shorten(" ".join(text.split()), TEXT, placeholder=" …"))
        show(out, line.append(f"  {where}", style="cyan") if where else line, indent=2)
    if len(lines) > LINES:
        show(out, f"and {len(lines) - LINES:,} more; --json lists them all.", indent=2)
