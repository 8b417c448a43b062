"""Fields of TOML front matter."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from typing import Any

from noderag_local.ingest.formats.text.fields import MAX_DEPTH, Field, Fields, UnreadableFields

MAX_NUMBER_BITS = 128
"""Python writes no number of more than 4,300 digits, and nobody calls a note by one of 40."""

_STRING_OR_COMMENT = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+(?:\"\"\")?|'''(?:[^']|'(?!''))*+(?:''')?"
    r"|\"(?:[^\"\\\n]|\\[^\n])*+\"?|'[^'\n]*+'?|\#[^\n]*+",
    re.DOTALL,
)
_KEY = re.compile(r"[\w\-. \t]++")


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
