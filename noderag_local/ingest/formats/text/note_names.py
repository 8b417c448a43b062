"""Names notes after their files, in folders of Obsidian and Logseq as in plain ones."""

from __future__ import annotations

import os
import re
from calendar import month_name
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from noderag_local.ingest.formats.text.text_reader import stem

_DAY = re.compile(r"(\d{4})[-_]?(\d{2})[-_]?(\d{2})")
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


@dataclass(frozen=True, slots=True)
class NoteNames:
    """Names that lead to a note."""

    title: str
    """Title for a note that gives itself none."""
    aliases: tuple[str, ...] = ()


def note_names(path: str) -> NoteNames:
    """Returns the names of a note.

    A note of a day ("2024-05-01.md", Logseq's "journals/2024_05_01.md") is called by its date as dates are written, and
    by the name that Logseq links it with ("May 1st, 2024"). Logseq writes the slash of a page "Garden/Roses" as "___".
    """
    name, folder = stem(path), os.path.basename(os.path.dirname(path))
    day = _day(name)
    if day is not None:
        of_logseq = f"{month_name[day.month][:3]} {day.day}{_ENDINGS.get(day.day, 'th')}, {day.year}"
        return NoteNames(day.isoformat(), (day.isoformat(), of_logseq) if folder == "journals" else (day.isoformat(),))
    page = unquote(name).replace("___", "/") if folder == "pages" else name
    # A link to "Garden/Roses" is looked up by its last part, as one by a path is.
    return NoteNames(page, (page.rsplit("/", 1)[-1],) if "/" in page else ())


def _day(name: str) -> date | None:
    found = _DAY.fullmatch(name)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
