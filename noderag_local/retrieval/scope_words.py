"""Reads and writes a scope as one line of text."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from noderag_local.domain.errors import SettingsError
from noderag_local.domain.passages import EVERYTHING, Scope

ALL_NOTES = "all notes"
HOW_TO_WRITE = "a folder, #tag, since:2024-03, until:2024-06-30, or all"
"""Description, for messages, of what `read_scope` accepts."""

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_MONTH = re.compile(r"([^\W\d_]+)\.?(?:\s+(\d{4}))?")
_PART = re.compile(r'(?P<key>in|folder|tag|since|until):(?:"(?P<quoted>[^"]*)"|(?P<plain>\S*))|(?P<word>\S+)')


def first_day(text: str) -> date:
    """Returns the day of "2024-03-05", the first one of "2024-03", "March 2024", "March" or "2024".

    Raises:
        SettingsError: it is none of these.
    """
    year, month, day = _numbers(text)
    return _day(text, year, month or 1, day or 1)


def last_day(text: str) -> date:
    """Returns the day of "2024-03-05", the last one of "2024-03", "March 2024", "March" or "2024".

    Raises:
        SettingsError: it is none of these.
    """
    year, month, day = _numbers(text)
    start = _day(text, year, month or 12, day or 1)
    return start if day else start.replace(day=monthrange(start.year, start.month)[1])


def read_scope(text: str) -> Scope:
    """Reads a scope from one line: "trips #porto since:2024-03", in any order; "" or "all" is everything.

    Words without a sign are the folder, blanks and all; in:"…" names one that looks like something else.

    Raises:
        SettingsError: a date cannot be read, or one thing is named twice.
    """
    if _means_everything(text):
        return EVERYTHING
    found: dict[str, str] = {}
    words: list[str] = []
    for part in _PART.finditer(text):
        if part["key"]:
            key = "folder" if part["key"] == "in" else part["key"]
            put_once(found, key, part["quoted"] if part["quoted"] is not None else part["plain"])
        elif part["word"].startswith("#") and len(part["word"]) > 1:
            put_once(found, "tag", part["word"])
        else:
            words.append(part["word"])
    if words:
        put_once(found, "folder", " ".join(words))
    return scope_of(found.get("folder", ""), found.get("tag", ""), found.get("since", ""), found.get("until", ""))


def scope_of(folder: str, tag: str, since: str, until: str) -> Scope:
    """Returns the scope that four fields describe; each of them may be empty.

    Raises:
        SettingsError: a date cannot be read, or the last day is before the first.
    """
    first = first_day(since) if since.strip() else None
    last = last_day(until) if until.strip() else None
    if first and last and last < first:
        raise SettingsError(f"Nothing is since {first} and until {last}: swap the two days.")
    return Scope(folder.strip(), tag.strip().lstrip("#"), first, last)


def in_words(scope: Scope) -> str:
    """Returns a scope as one line that `read_scope` reads."""
    folder = scope.folder if _reads_as_folder(scope.folder) else f'in:"{scope.folder}"'
    parts = [
        folder if scope.folder else "",
        f"#{scope.tag.lstrip('#')}" if scope.tag else "",
        f"since:{scope.since}" if scope.since else "",
        f"until:{scope.until}" if scope.until else "",
    ]
    return " ".join(part for part in parts if part) or ALL_NOTES


def _means_everything(text: str) -> bool:
    return text.strip().casefold() in ("", "all", ALL_NOTES)


def _reads_as_folder(folder: str) -> bool:
    words = all(part["word"] and not part["word"].startswith("#") for part in _PART.finditer(folder))
    return words and " ".join(folder.split()) == folder and not _means_everything(folder)


def put_once(found: dict[str, str], key: str, value: str) -> None:
    """Adds one thing that a scope names; raises a SettingsError if it is named already."""
    if key in found:
        raise SettingsError(f"A scope has one {key}, and this one names {found[key]} and {value}. Leave one out.")
    found[key] = value


def _numbers(text: str) -> tuple[int, int, int]:
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return *_named_month(text), 0
    year, month, day = (int(digits) if digits else 0 for digits in match.groups())
    return year, month, day


def _named_month(text: str) -> tuple[int, int]:
    """Returns the year and number of a month that is named; without a year, of the last one that has begun."""
    from noderag_local.text.dates.calendar_names import months

    match = _MONTH.fullmatch(text.strip())
    month = months().get(match[1].casefold()) if match else None
    if match is None or month is None:
        raise _unreadable(text)
    today = date.today()
    return int(match[2] or today.year - (month > today.month)), month


def _day(text: str, year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise _unreadable(text) from None


def _unreadable(text: str) -> SettingsError:
    return SettingsError(f"{text.strip()} is no date. Write it as 2024-03-05, 2024-03, March 2024 or 2024.")
