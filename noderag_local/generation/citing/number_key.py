"""Brings numbers that are spelled in different ways to one form."""

from __future__ import annotations

import re

_THOUSANDS = re.compile(r"(?<!\b0)[.,](?=\d{3}(?!\d))")
_NO_CENTS = re.compile(r"\.0+$")
_LONG_NUMBER = re.compile(r"\d(?:[\s/().-]{0,2}\d){4,}")
LONGEST_PADDED = 2
"""Digits of the longest number whose leading zeros say nothing: "05" is 5, but 0042 is a code."""


def number_key(said: str) -> str:
    """Returns a number in one form: 1,250 and 1250 are the same, and 650,00 and 650; 0.125 is not 125, and 0042 not 42.

    Args:
        said: digits with commas and points between them, perhaps behind a minus sign.
    """
    key = _NO_CENTS.sub("", _THOUSANDS.sub("", said).replace(",", ".")).replace("−", "-")
    is_code = len(key) > LONGEST_PADDED and key.isdecimal()
    return key if is_code else re.sub(r"^0+(?=\d)", "", key)


def long_numbers(text: str) -> set[str]:
    """Returns the digits of the numbers of five digits and more, such as those of telephones and accounts, however they are grouped."""
    return {re.sub(r"\D", "", found[0]) for found in _LONG_NUMBER.finditer(text)}
