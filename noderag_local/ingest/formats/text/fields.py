"""Fields of YAML front matter: texts and lists of texts, never what a tag would have made of them.

The parser's events are read one by one. No tag is resolved, no key is merged and no number or date is made, so a value costs
what it is long; what is nested deeper than a list of texts is passed over.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

import yaml  # type: ignore[import-untyped]  # no stubs among the dependencies

Field = str | list[str]
Fields = dict[str, Field]
"""Values by key; those that are neither a text nor a list of texts are not among them."""

MAX_DEPTH = 32
"""Levels of nesting in a value or a key. Front matter of notes has two or three."""
MAX_VALUES = 5000
"""Most keys, values and items; an alias counts as one."""
MAX_ALIASES = 100
"""Most aliases; each may stand for the longest text there is."""
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
MAX_NUMBER_BITS = 128
"""Python writes no number of more than 4,300 digits, and nobody calls a note by one of 40."""
_STRING_OR_COMMENT = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+(?:\"\"\")?|'''(?:[^']|'(?!''))*+(?:''')?"
    r"|\"(?:[^\"\\\n]|\\[^\n])*+\"?|'[^'\n]*+'?|\#[^\n]*+",
    re.DOTALL,
)
_KEY = re.compile(r"[\w\-. \t]++")


class UnreadableFields(Exception):
    """Front matter that cannot be read; the message goes on behind "front matter that"."""


def yaml_fields(text: str) -> Fields | None:
    """Returns the fields of a document; None if it is not a mapping.

    Raises:
        UnreadableFields: it is no YAML, or goes over a limit.
    """
    try:
        return _Composer(yaml.parse(text, Loader=_LOADER)).fields()
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise UnreadableFields(f"is no YAML ({line}{error.problem})") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UnreadableFields("is no YAML") from error


class _Composer:
    """Makes texts and lists of texts out of the parser's events."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._values = 0
        self._aliases = 0
        self._anchored: dict[str, Field | None] = {}

    def fields(self) -> Fields | None:
        """Returns the fields of the first document; None if it is no mapping."""
        for event in self._events:
            if isinstance(event, yaml.MappingStartEvent):
                return self._mapping()
            if isinstance(event, yaml.NodeEvent):
                return None
        return None

    def _mapping(self) -> Fields:
        fields: Fields = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._field(event)
            value = self._field(self._next())
            if isinstance(key, str) and value is not None:
                fields[key] = value
        # What follows has to be YAML, too, for these to be fields.
        for _ in self._events:
            self._count()
        return fields

    def _field(self, event: yaml.Event) -> Field | None:
        """Returns the node that an event begins; None for an empty one and for what is neither a text nor a list."""
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(event.anchor)
        field: Field | None = None
        if isinstance(event, yaml.ScalarEvent):
            field = None if event.implicit[0] and event.value in _NULLS else event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            field = self._texts()
        else:
            self._pass_over()
        if event.anchor:
            self._anchored[event.anchor] = field
        return field

    def _aliased(self, anchor: str) -> Field | None:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise UnreadableFields(f"has more than {MAX_ALIASES} aliases")
        return self._anchored.get(anchor)

    def _texts(self) -> list[str]:
        """Returns the texts among the items of a sequence."""
        texts = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            if isinstance(event, yaml.CollectionStartEvent):
                self._pass_over()
            elif isinstance(field := self._field(event), str):
                texts.append(field)
        return texts

    def _pass_over(self) -> None:
        """Reads to the end of a collection that has begun."""
        depth = 1
        while depth:
            event = self._next()
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise UnreadableFields(f"is nested deeper than {MAX_DEPTH} levels")

    def _next(self) -> yaml.Event:
        self._count()
        return next(self._events)

    def _count(self) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            raise UnreadableFields(f"has more than {MAX_VALUES:,} values")


def toml_fields(text: str) -> Fields:
    """Returns the fields of a document.

    Raises:
        UnreadableFields: it is no TOML, or goes over a limit.
    """
    _check_keys(text)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFields(f"is no TOML ({error})") from error
    except RecursionError as error:
        raise UnreadableFields("is nested too deep") from error
    except ValueError as error:
        raise UnreadableFields("holds a number or date that is none") from error
    fields = {key: _field(value) for key, value in values.items()}
    return {key: field for key, field in fields.items() if field is not None}


def _check_keys(text: str) -> None:
    """Refuses keys of many parts: what tomllib does with "a.b.c" takes the square of its parts."""
    for key in _KEY.finditer(_STRING_OR_COMMENT.sub("x", text)):
        if key.group().count(".") > MAX_DEPTH:
            raise UnreadableFields(f"has a key of more than {MAX_DEPTH} parts")


def _field(value: Any) -> Field | None:
    if isinstance(value, list):
        return [text for item in value if (text := _text(item)) is not None]
    return _text(value)


def _text(value: Any) -> str | None:
    if isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS:
        raise UnreadableFields("holds a number that is too long")
    return str(value) if isinstance(value, str | int | float | date | datetime | time) else None
