"""Reads the day of a note from its front matter: the day that it is about, else that on which it was written."""

from __future__ import annotations

import re
from datetime import date
from itertools import chain

from noderag_local.ingest.formats.text.fields import Field, Fields
from noderag_local.text.dates.told_day import told_day

_DAY = ("date", "datum", "fecha")
_CREATED = tuple("created datecreated createdat createdon erstellt créé creado".split())
_CHANGED = tuple(
    "updated dateupdated updatedat updatedon modified datemodified modifiedat modifiedon lastmod lastmodified lastupdated"
    " aktualisiert geändert modifié actualizado modificado".split()
)
"""Keys of properties, without what separates their words."""
LONGEST_WRITTEN = 31
"""Days after which a note that is still changed is of no single day: a list of addresses is not about the day
on which it was begun."""
_SEPARATOR = re.compile(r"[ _-]+")


def front_matter_day(fields: Fields) -> str:
    """Returns the day that the fields of front matter tell, such as "2026-05-03"; "" where they tell none."""
    named = {_SEPARATOR.sub("", key.lower()): value for key, value in fields.items()}
    day = _first_day(named, _DAY)
    created, changed = _first_day(named, _CREATED), _first_day(named, _CHANGED)
    if day is None and created and (changed is None or (changed - created).days <= LONGEST_WRITTEN):
        day = created
    return day.isoformat() if day else ""


def _first_day(named: Fields, keys: tuple[str, ...]) -> date | None:
    """Returns the day of the first of some keys that tells one."""
    days = (told_day(text) for text in chain.from_iterable(_only(named[key]) for key in keys if key in named))
    return next(filter(None, days), None)


def _only(field: Field) -> list[str]:
    """Returns a text, or the only one of a list; none where there are several."""
    return [field] if isinstance(field, str) else list(field) if len(field) == 1 else []
