"""Finds the due days of open tasks, and puts the tasks in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from noderag_local.aggregation.operations.open_tasks import OpenBox
from noderag_local.domain.passages import Source
from noderag_local.text.dates.dates_in_text import SaidDate, said_dates
from noderag_local.text.dates.day_words import with_own_days
from noderag_local.text.dates.document_days import days_of
from noderag_local.vault.today.day_lines import DueTask

_DUE = re.compile(
    r"(?:📅|🗓️?|\b(?:due|by|until|before|deadline|bis|fällig|spätestens|vor|avant|pour|antes|hasta|para|entro|до))"
    r"[\s:(]{0,3}(?:on|am|zum|dem|el|le|the|del?)?\s?$",
    re.IGNORECASE,
)
"""Text directly before a due day."""
_NOT_DUE = re.compile(
    r"(?:➕|✅|🛫|❌|\b(?:of|from|since|vom|seit|du|del|dal|desde|depuis|created|done))[\s:(]{0,3}$", re.IGNORECASE
)
"""Text directly before a day that is not the due day, such as the start of the task."""
_CREATED = re.compile(r"➕\s?(\d{4}-\d{2}-\d{2})(?:\s\d{2}:\d{2})?\b")
"""The day on which a task was written, and the time."""
_NOTHING = re.compile(r"[\s\W]*")


def due_tasks(boxes: Sequence[OpenBox], sources: Sequence[Source], today: date) -> list[DueTask]:
    """Returns the tasks of check boxes; a text that occurs several times in a document counts once.

    Args:
        boxes: the check boxes.
        sources: sources of the check boxes, in the same order.
        today: present day.
    """
    written = dict(zip(boxes, (day for _, day in with_own_days(one.sentence for one in boxes)), strict=True))
    tasks: dict[tuple[int, str], DueTask] = {}
    for box, source in zip(boxes, sources, strict=True):
        text, created = _without_created(box.text)
        day = created or written[box]
        where = replace(source, first_line=box.line, last_line=box.line) if box.line else source
        task = DueTask(box.text, due_day(text, day, today), day, where)
        tasks.setdefault((box.sentence.document_id, box.text), task)
    return list(tasks.values())


def in_order(tasks: Iterable[DueTask], newest: dict[str, int]) -> tuple[DueTask, ...]:
    """Returns tasks by due day; those without one come last, those of the newest note first.

    Args:
        tasks: the tasks.
        newest: path of each note → time of its last change, for notes that have no day.
    """

    def place(task: DueTask) -> tuple[bool, date, int, str, int]:
        day = task.written or days_of(task.source.path, newest.get(task.source.path, 0), task.source.day)[0]
        return task.due is None, task.due or date.min, -day.toordinal(), task.source.path, task.source.start_byte

    return tuple(sorted(tasks, key=place))


def due_day(text: str, written: date | None, today: date) -> date | None:
    """Returns the due day of a task; None if the task names no day, or names one for another reason.

    A day counts if a word says so ("by 3 May"). Without such a word, the only day of a task counts if it is at the beginning or the
    end of the task or is not yet past.

    Args:
        text: text of the task.
        written: day of its note; None if unknown.
        today: present day.
    """
    named = [
        one for one in said_dates(text, written) if one.days.length == 1 and not _NOT_DUE.search(text[: one.start])
    ]
    said = next((one for one in named if _DUE.search(text[: one.start])), None)
    if said is None and len(named) == 1 and (_is_at_an_end(text, named[0]) or named[0].days.first >= today):
        said = named[0]
    return None if said is None else said.days.first


def _without_created(text: str) -> tuple[str, date | None]:
    """Returns a task without the day on which it was written, and this day; None if it does not say it."""
    found = _CREATED.search(text)
    if found is None:
        return text, None
    try:
        created = date.fromisoformat(found[1])
    except ValueError:
        return text, None
    return text[: found.start()].rstrip() + text[found.end() :], created


def _is_at_an_end(text: str, said: SaidDate) -> bool:
    return bool(_NOTHING.fullmatch(text[: said.start]) or _NOTHING.fullmatch(text[said.end :]))
