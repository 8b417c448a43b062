"""Values of spreadsheet cells as the sheet shows them, but dates as ISO, so that they can be searched for."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

_GENERAL_DIGITS = 11
"""What a cell without a format shows of a number."""
_MAX_PATTERN = 200
"""Characters of a number format that are looked at; Excel allows about as many."""
_LITERAL = re.compile(r'"([^"]*)"|\[\$([^\]-]*)[^\]]*\]|\\(.)')
_DECIMALS = re.compile(r"[0#?]\.([0#?]+)")


def shown_value(value: object, number_format: str) -> str:
    """A cell as text.

    Args:
        value: as openpyxl gives it: text, number, truth value, date, time or length of time.
        number_format: of the cell, as the file spells it: "General", "#,##0.00", "0%".
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format or "General")
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, timedelta):
        return str(value)
    return " ".join(str(value).split())


def _number(value: float, number_format: str) -> str:
    pattern = number_format[:_MAX_PATTERN].split(";")[0]
    literals = list(_LITERAL.finditer(pattern))
    digits = _LITERAL.sub(lambda literal: " " * len(literal[0]), pattern)
    first = re.search(r"[0#]", digits)
    if first is None or "E" in digits or "/" in digits:
        return _general(value)
    is_share = "%" in digits
    decimals = _DECIMALS.search(digits)
    places = len(decimals[1]) if decimals else 0
    number = format(value * 100 if is_share else value, f"{',' if ',' in digits else ''}.{places}f")
    shown = f"{number}%" if is_share else number
    unit = " ".join("".join(next(filter(None, literal.groups()), "") for literal in literals).split())
    if not unit:
        return shown
    return f"{unit} {shown}" if literals[0].start() < first.start() else f"{shown} {unit}"


def _general(value: float) -> str:
    if isinstance(value, int) or value.is_integer():
        return str(int(value)) if abs(value) < 10**15 else repr(value)
    return format(value, f".{_GENERAL_DIGITS}g")
