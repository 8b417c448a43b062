"""Reads amounts of money: numbers as people write them, and currencies by their signs and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from noderag_local.aggregation.question_phrases import WORD, words_of

CURRENCIES = {
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "chf": "CHF",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "usd": "USD",
    "gbp": "GBP",
    "dollars": "USD",
    "pounds": "GBP",
    "francs": "CHF",
    "franken": "CHF",
}
"""Codes of currencies by their signs and by their casefolded names."""
SIGNS = "€$£"
_IN_FRONT = ("$", "£")
"""Signs that stand before the amount."""
NUMBER = re.compile(
    r"-?(?<![\d.,])\d{1,3}(?:[\u00a0\u202f]\d{3}){1,3}(?:,\d+)?(?!\d)"
    r"|-?(?<![\d.,])\d{1,3}(?: \d{3}){1,3}(?:,\d\d(?!\d)|(?=\s?(?:[€$£]|(?:EUR|CHF|euros?|francs)\b)))"
    r"|-?\d[\d.,'’]*",
    re.IGNORECASE,
)
"""A number; French and others put a space between thousands: "1 250 €"."""
_MINUS_BEFORE = re.compile(r"^[-−–]\s?((?:[€$£]|(?:EUR|CHF|USD|GBP)\b)\s?)?(?=\d)|−(?=\d)", re.IGNORECASE)
_MINUS_BEHIND = re.compile(r"^(\D*)(\d(?:[\d.,'’\s]*\d)?)-(?=\s|[€$£]|$)")
_IN_BRACKETS = re.compile(r"\(([^()]*+)\)")
_ENDS_WITH_CURRENCY = re.compile(r"(?:[€$£]|(?:CHF|EUR|USD|GBP))\s?$", re.IGNORECASE)


class WrittenNumber(NamedTuple):
    """A number in a text."""

    start: int
    end: int
    value: Decimal
    currency: str
    """Code of its currency; "" where none stands beside it."""
    after: str
    """The casefolded word, or else the first mark, behind it and its currency; "" where nothing follows."""


def decimal_of(digits: str) -> Decimal | None:
    """Returns the number that digits with separators write: "1.234,56" and "1,234.56" are the same; None where they write none."""
    digits = re.sub(r"['’\s]", "", digits).rstrip(".,")
    last = max(digits.rfind("."), digits.rfind(","))
    leads_with_zero = digits.lstrip("-").startswith("0")
    if last >= 0 and (len(digits) - last - 1 != 3 or (digits.count(digits[last]) == 1 and leads_with_zero)):
        digits = digits[:last].replace(".", "").replace(",", "") + "." + digits[last + 1 :]
    else:
        digits = digits.replace(".", "").replace(",", "")
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


def signed(cell: str, *, is_money: bool) -> str:
    """Returns a cell with its minus directly before the number, which `NUMBER` reads with it.

    Args:
        cell: text of a cell: "−80" or "-$80".
        is_money: whether a minus may be written in the ways of accounts: "80-" or "(80)".
    """
    cell = _MINUS_BEFORE.sub(lambda found: f"{found[1] or ''}-", cell.strip())
    if not is_money:
        return cell
    if inner := _IN_BRACKETS.fullmatch(cell):
        return NUMBER.sub(lambda found: f"-{found[0]}", inner[1])
    return _MINUS_BEHIND.sub(r"\1-\2", cell)


def only_number(value: str) -> Decimal | None:
    """Returns the number of a text that holds nothing else but a currency; None for any other text."""
    value = signed(value, is_money=True)
    found = NUMBER.findall(value)
    around = words_of(NUMBER.sub(" ", value))
    if len(found) != 1 or any(word not in CURRENCIES for word in around):
        return None
    return decimal_of(found[0])


def currency_of(*texts: str) -> str:
    """Returns the code of the first currency that stands in some texts as a sign or word; "" without one."""
    for text in texts:
        for word in (*words_of(text), *(sign for sign in SIGNS if sign in text)):
            if word in CURRENCIES:
                return CURRENCIES[word]
    return ""


def money(value: Decimal, currency: str, language: str) -> str:
    """Returns an amount as it is written in a language: "75.90 EUR" in English, "75,90 €" in German.

    Args:
        value: the amount.
        currency: its code; "" where the notes tell none.
        language: ISO 639-1 code.
    """
    if language == "en":
        return f"{value:f} {currency}".rstrip()
    from babel.numbers import format_decimal

    is_whole = value.as_tuple().exponent == 0
    digits = "#,##0" if is_whole else "#,##0.00" if currency else "#,##0.######"
    written = format_decimal(value, format=digits, locale=language)
    sign = next((sign for sign in SIGNS if CURRENCIES[sign] == currency), currency)
    # CLDR sets thousands apart by blanks that do not break.
    return " ".join((f"{sign}{written}" if sign in _IN_FRONT else f"{written} {sign}").split())


def written_numbers(text: str) -> Iterator[WrittenNumber]:
    """Yields the numbers of a text, each with the currency before or behind it; times of day are left out."""
    for match in NUMBER.finditer(text):
        start, end = match.span()
        value = decimal_of(match[0].lstrip("-"))
        if value is None or text[end : end + 1] == ":" or text[start - 1 : start] == ":":
            continue
        before = _ENDS_WITH_CURRENCY.search(text, max(start - 5, 0), start)
        currency = currency_of(before[0]) if before else ""
        after = _following(text, end)
        if after in CURRENCIES:
            currency = currency or CURRENCIES[after]
            end = text.casefold().find(after, end) + len(after)
            after = _following(text, end)
        yield WrittenNumber(start, end, value, currency, after)


def _following(text: str, at: int) -> str:
    """The casefolded word or mark that stands next at or behind a place."""
    rest = text[at : at + 40].lstrip(" .,-–'’")
    word = WORD.match(rest)
    return word[0].casefold() if word else rest[:1]
