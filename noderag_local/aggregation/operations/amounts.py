"""Adds up amounts of money: of the rows of a table that fit, each with one column of amounts."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.money import currency_of, only_number
from noderag_local.aggregation.operations.happenings import within
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import is_any, words_of
from noderag_local.aggregation.tables import named_cells, sums_up
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted


def total(plan: Plan, entries: Entries) -> Computed | None:
    """Adds up the amounts in the rows of tables that have all words of the question and lie in its days."""
    paying = plan.phrases.single("spending")
    fitting = entries.with_all([stems for word, stems in plan.wanted if word not in paying])
    found = (one for one in fitting if one.sentence.kind is BlockKind.TABLE_ROW)
    rows = [one for one in found if not sums_up(named_cells(one.sentence.text))]
    amounts = [(one, *amount_in(one, plan)) for one in (within(plan, rows) if plan.days else rows)]
    held = [(one, value, unit) for one, value, unit in amounts if value is not None]
    if not held or len({one.sentence.document_id for one, *_ in held}) > 1:
        return None
    if len(held) > 1 and is_price(plan):
        # Several things of one name have several prices.
        return None
    units = Counter(unit for *_, unit in held)
    if len(units) > 1:
        return None
    result = sum((value for _, value, _ in held), Decimal(0))
    unit = next(iter(units))
    note = f"The sum of {counted(len(held), 'rows')} of {held[0][0].sentence.title or held[0][0].sentence.path}."
    if len(amounts) > len(held):
        note += f" {counted(len(amounts) - len(held), 'rows')} without an amount were left out."
    return Computed((AnswerPart(f"{result:f} {unit}".rstrip(), tuple(one for one, *_ in held)),), note)


def is_price(plan: Plan) -> bool:
    """Returns whether a question asks what one thing cost, and not what all together came to."""
    return plan.phrases.has("price", plan.words) and not plan.phrases.has("sum_of", plan.words)


def amount_in(row: NoteEntry, plan: Plan) -> tuple[Decimal | None, str]:
    """Returns the amount of a row and its currency; (None, "") if it has none, or several.

    It is the field whose name says so, "price", or else the only one that is a number.
    """
    fields = named_cells(row.sentence.text)
    told = [field for field in fields if is_any(_name_words(field[0]), plan.phrases.single("amount") | _ENGLISH)]
    numbers = [field for field in told or fields if only_number(field[1]) is not None]
    if len(numbers) != 1:
        return None, ""
    name, value = numbers[0]
    return only_number(value), currency_of(name.replace("_", " "), value)


_ENGLISH = frozenset({"amount", "price", "cost", "total", "eur", "euro", "usd", "chf"})
"""Names of columns that people use in tables of any language."""


def _name_words(name: str) -> list[str]:
    return words_of(name.replace("_", " "))
