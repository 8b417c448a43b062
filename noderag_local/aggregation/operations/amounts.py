"""Adds up amounts of money: of the rows of a table that fit, each with one column of amounts, or of lines of lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.measures import measure_of, row_words
from noderag_local.aggregation.money import currency_of, money, only_number, written_numbers
from noderag_local.aggregation.operations.happenings import is_not_told, within
from noderag_local.aggregation.plan import Plan, names_one_of_several
from noderag_local.aggregation.question_phrases import in_notes, is_any, words_of
from noderag_local.aggregation.tables import named_cells, sums_up
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted

_MINUS = re.compile(r"(?:^|[,;:|=(€$£])\s*[-−](?:[€$£]\s?)?\d?$")
_DASH = re.compile(r"[\w)]\s+[-−](?:[€$£]\s?)?\d")
"""A minus, or a dash between a thing and its price."""


def total(plan: Plan, entries: Entries) -> Computed | None:
    """Adds up the amounts that have all words of the question and lie in its days: rows of tables, or else lines of lists."""
    # "How much did I spend on my last visit?" is not told by all visits.
    if names_one_of_several(plan) and not is_price(plan):
        return None
    paying = plan.phrases.single("spending")
    fitting = entries.with_all([stems for word, stems in plan.wanted if word not in paying])
    found = within(plan, fitting) if plan.days else fitting
    # "3/9/25" is in March or in September; a sum of the others would be too small.
    if plan.days and any(one.day is None and _is_amount(one) for one in fitting):
        return None
    return _sum(_in_rows(found, plan), plan) or _sum(_in_lists(found, plan), plan)


def _is_amount(entry: NoteEntry) -> bool:
    """Returns whether a sentence may be one of the amounts that are added."""
    return entry.sentence.kind is BlockKind.TABLE_ROW or _at_end(entry.sentence.text) is not None


@dataclass(frozen=True, slots=True)
class _Amounts:
    """Amounts of what a question asks about."""

    held: list[tuple[NoteEntry, Decimal, str]]
    """(entry, value, currency) of each."""
    left_out: int
    """Number of rows without an amount."""
    noun: str
    """Name of what holds an amount, in the plural: "rows"."""


def _in_rows(found: Sequence[NoteEntry], plan: Plan) -> _Amounts:
    """Returns the amounts of rows of one table."""
    rows = [
        one
        for one in found
        if one.sentence.kind is BlockKind.TABLE_ROW
        and not sums_up(named_cells(one.sentence.text))
        and not in_notes("void").intersection(words_of(one.sentence.text))
    ]
    amounts = [(one, *amount_in(one, plan)) for one in rows]
    held = [(one, value, unit) for one, value, unit in amounts if value is not None]
    is_one = len({one.sentence.document_id for one, *_ in held}) == 1
    return _Amounts(held if is_one else [], len(amounts) - len(held), "rows")


def _in_lists(found: Sequence[NoteEntry], plan: Plan) -> _Amounts:
    """Returns the amounts of lines such as "- 2 March: drill (Soto), 63.00 €", of one note or of the notes of one folder."""
    items = (one for one in found if one.sentence.kind is BlockKind.LIST_ITEM and not is_not_told(one, plan))
    held = [(one, *amount) for one in items if (amount := _at_end(one.sentence.text)) is not None]
    is_one = len({PurePath(one.sentence.path).parent for one, *_ in held}) == 1
    # "Drill -63 €" among lines without such a dash may be money that came back.
    is_clear = len({_DASH.search(one.sentence.text) is None for one, *_ in held}) == 1
    return _Amounts(held if is_one and is_clear else [], 0, "list items")


def _at_end(line: str) -> tuple[Decimal, str] | None:
    """Returns the amount and currency at the end of a line; None where none stands there, or another one before it."""
    amounts = [number for number in written_numbers(line) if number.currency]
    if len(amounts) != 1 or words_of(line[amounts[0].end :]) or is_any(words_of(line), row_words("total")):
        return None
    value, currency = amounts[0].value, amounts[0].currency
    # The sign is part of a number.
    return (-value if _MINUS.search(line[: amounts[0].start + 1]) else value), currency


def _sum(amounts: _Amounts, plan: Plan) -> Computed | None:
    held = amounts.held
    # Several things of one name have several prices.
    if not held or (len(held) > 1 and is_price(plan)):
        return None
    units = Counter(unit for *_, unit in held)
    if len(units) > 1:
        return None
    result = sum((value for _, value, _ in held), Decimal(0))
    titles = dict.fromkeys(one.sentence.title or one.sentence.path for one, *_ in held)
    note = f"The sum of {counted(len(held), amounts.noun)} of {', '.join(titles)}."
    if amounts.left_out:
        note += f" {counted(amounts.left_out, amounts.noun)} without an amount were left out."
    text = money(result, next(iter(units)), plan.language)
    return Computed((AnswerPart(text, tuple(one for one, *_ in held)),), note)


def is_price(plan: Plan) -> bool:
    """Returns whether a question asks what one thing cost, and not what all together came to."""
    return plan.phrases.has("price", plan.words) and not plan.phrases.has("sum_of", plan.words)


def amount_in(row: NoteEntry, plan: Plan) -> tuple[Decimal | None, str]:
    """Returns the amount of a row and its currency; (None, "") if it has none, or several.

    It is the field whose name says so, "price", or else the only number with a currency: "km: 45000" is no money.
    """
    fields = named_cells(row.sentence.text)
    told = [field for field in fields if is_any(_name_words(field[0]), plan.phrases.single("amount") | _ENGLISH)]
    numbers = [field for field in told or filter(_is_money, fields) if only_number(field[1]) is not None]
    if len(numbers) != 1:
        return None, ""
    return only_number(numbers[0][1]), _currency(numbers[0])


def _is_money(field: tuple[str, str]) -> bool:
    """Whether the name of a field in any language, or its currency, says that it is an amount."""
    is_named = measure_of(field[0]) == "money" or is_any(_name_words(field[0]), in_notes("amount"))
    return is_named or bool(_currency(field))


def _currency(field: tuple[str, str]) -> str:
    name, value = field
    return currency_of(name.replace("_", " "), value)


_ENGLISH = frozenset({"amount", "price", "cost", "total", "eur", "euro", "usd", "chf"})
"""Names of columns that people use in tables of any language."""


def _name_words(name: str) -> list[str]:
    return words_of(name.replace("_", " "))
