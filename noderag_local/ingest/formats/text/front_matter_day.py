"""Reads the day of a note from its front matter: the day that it is about, else that on which it was written."""

from __future__ import annotations

import re

from noderag_local.ingest.formats.text.fields import Field, Fields
from noderag_local.text.dates.told_day import iso_day

DAY_KEYS = tuple("date datum fecha created datecreated createdat createdon erstellt créé creado".split())
"""Keys of properties that tell the day, without what separates their words; the first with a day decides. The day of a change is no
day of the note."""
_SEPARATOR = re.compile(r"[ _-]+")


def front_matter_day(fields: Fields) -> str:
    """Returns the day that the fields of front matter tell, such as "2026-05-03"; "" where they tell none."""
    named = {_SEPARATOR.sub("", key.lower()): value for key, value in fields.items()}
    return next(filter(None, (iso_day(_only(named[key])) for key in DAY_KEYS if key in named)), "")


def _only(field: Field) -> str:
    """Returns a text, or the only one of a list; "" where there are several."""
    return field if isinstance(field, str) else field[0] if len(field) == 1 else ""
