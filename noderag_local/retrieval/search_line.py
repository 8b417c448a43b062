"""Reads what a person types into a search: words, and filters such as `folder:trips` and `after:2024`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from noderag_local.domain.errors import SettingsError
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.retrieval.scope_words import first_day, in_words, last_day, put_once, scope_of

FILTERS = ("folder", "tag", "kind", "after", "before", "since", "until")
"""Names of the filters, each written before a colon."""

_PART = re.compile(
    r'(?:(?P<key>folder|tag|kind|after|before|since|until):(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S*))|(?P<word>\S+))', re.I
)


@dataclass(frozen=True, slots=True)
class SearchLine:
    """What a search looks for, and in which documents."""

    words: str = ""
    """Text to search for, without the filters; "" for all documents that the filters keep."""
    scope: Scope = EVERYTHING
    kind: str = ""
    """Ending of the file's name, such as "pdf", in lower case; "" for all."""

    @property
    def has_filters(self) -> bool:
        """Returns whether not all documents are searched."""
        return bool(self.kind) or not self.scope.is_everything

    @property
    def filters(self) -> str:
        """Returns the filters as one line; "" if there are none."""
        scope = "" if self.scope.is_everything else in_words(self.scope)
        return " ".join(part for part in (scope, f"kind:{self.kind}" if self.kind else "") if part)


@dataclass(frozen=True, slots=True)
class HalfFilter:
    """A filter at the end of a line, which may still be typed."""

    key: str
    """Name of the filter."""
    value: str
    """What stands after the colon, without quotation marks."""
    start: int
    """Place in the line where the filter begins."""


def read_search_line(text: str) -> SearchLine:
    """Reads a line; `#porto` is the same as `tag:porto`, and a filter without a value is left out.

    `after:` and `before:` leave out the day, month or year that they name, `since:` and `until:` include it.

    Raises:
        SettingsError: a day cannot be read, one thing is named twice, or no day is left.
    """
    found: dict[str, str] = {}
    words = []
    for part in _PART.finditer(text):
        key, value = _read(part)
        if not key:
            words.append(value)
        elif value:
            put_once(found, key, value)
    scope = scope_of(found.get("folder", ""), found.get("tag", ""), found.get("since", ""), found.get("until", ""))
    scope = _between(scope, found.get("after", ""), found.get("before", ""))
    return SearchLine(" ".join(words), scope, found.get("kind", "").lstrip(".").lower())


def half_filter(text: str) -> HalfFilter | None:
    """Returns the filter at the end of a line; None if the line ends otherwise."""
    last = max(_PART.finditer(text), key=re.Match.end, default=None)
    if last is None or last.end() < len(text):
        return None
    if last["quoted"] is not None and text.endswith('"', last.start("quoted")):
        return None
    key, value = _read(last)
    return HalfFilter(key, value, last.start()) if key else None


def written(key: str, value: str) -> str:
    """Returns a filter as a line may name it."""
    is_plain = value and not any(sign.isspace() for sign in value) and '"' not in value
    return f"{key}:{value}" if is_plain else f'{key}:"{value}"'


def _read(part: re.Match[str]) -> tuple[str, str]:
    """Returns name and value of a filter; the name of a word is ""."""
    if part["key"]:
        return part["key"].lower(), part["quoted"] if part["quoted"] is not None else part["plain"]
    word = part["word"]
    return ("tag", word[1:]) if word.startswith("#") and len(word) > 1 else ("", word)


def _between(scope: Scope, after: str, before: str) -> Scope:
    since, until = scope.since, scope.until
    try:
        if after:
            since = _later(since, last_day(after) + timedelta(days=1))
        if before:
            until = _earlier(until, first_day(before) - timedelta(days=1))
    except OverflowError:
        raise SettingsError(f"No day is {'after ' + after if after else 'before ' + before}: choose another.") from None
    if since and until and until < since:
        raise SettingsError(f"No day is both after {after or since} and before {before or until}.")
    return replace(scope, since=since, until=until)


def _later(first: date | None, second: date) -> date:
    return max(first, second) if first else second


def _earlier(first: date | None, second: date) -> date:
    return min(first, second) if first else second
