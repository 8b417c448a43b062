"""Sums, averages and extremes of a measured column in the tables about what a question asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.measures import GREATEST, MEASURES, SUPERLATIVES, asked_measures, superlative_in, unit_of
from noderag_local.aggregation.money import CURRENCIES, money
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.operations.topic_tables import topic_tables
from noderag_local.aggregation.plan import Plan, names_one_of_several
from noderag_local.aggregation.tables import NoteRow, NoteTable, is_clock, value_of
from noderag_local.system.printing.amounts import counted

_NO_LETTERS = re.compile(r"[\W\d_]+")
MOST_TOLD = 3
"""Rows that may share the greatest or least value."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """A row with its value in the measured column."""

    row: NoteRow
    column: str
    value: Decimal
    cell: str


def measured(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Tells the sum, the average, or the rows with the greatest or least value of what the question asks to be measured.

    None for one thing by its order, "my last run": it is not told by all rows.
    """
    if names_one_of_several(plan):
        return None
    if plan.operation is Operation.AVERAGE and plan.phrases.has("spent", plan.words):
        # A month's average may be meant, and not that of the rows.
        return None
    asked = asked_measures(plan.words, plan.phrases)
    if plan.operation is Operation.EXTREME:
        return _extreme(plan, entries, asked, today)
    if plan.operation is Operation.SUM:
        asked = ["money"]
    tables = topic_tables(plan, entries, asked)
    for measure in asked or _only_measure(tables):
        found = _values(tables, measure, plan, today)
        if found and (told := _figure(found, plan)):
            return told
    return None


def _only_measure(tables: Sequence[NoteTable]) -> list[str]:
    """Returns the measure that all tables have, if there is a single one: "How do I swim on average?" means it."""
    found = [measure for measure in MEASURES if any(table.measuring(measure) for table in tables)]
    return found if len(found) == 1 else []


def _values(tables: Sequence[NoteTable], measure: str, plan: Plan, today: date) -> list[_Measured]:
    """The rows of the asked days with a value; nothing where a table has no such column, or a value cannot be read."""
    found = []
    for table in tables:
        column = table.measuring(measure)
        if not column:
            continue
        thousands = table.thousands(column) if measure != "money" else frozenset()
        if thousands is None:
            return []
        for row in table.rows:
            cell = dict(row.cells).get(column, "")
            value = value_of(cell, measure, thousands)
            if cell and value is None:
                return []
            if value is not None and _is_asked(row, plan, today):
                found.append(_Measured(row, column, value, cell))
    kinds = {_NO_LETTERS.sub("", table.name).casefold() for table in tables if table.measuring(measure)}
    if measure == "money" and len(kinds) > 1:
        # The same purchase may stand in both.
        return []
    return found if len({_unit(one) for one in found}) == 1 else []


def _is_asked(row: NoteRow, plan: Plan, today: date) -> bool:
    day = row.entry.day
    if day and day > today:
        return False
    return plan.days is None or (day is not None and plan.days.first <= day <= plan.days.last)


def _unit(one: _Measured) -> str:
    if "/" in one.column:
        return one.column.partition("(")[2].rstrip(") ") or one.column
    return unit_of(one.cell) or unit_of(one.column)


def _figure(found: Sequence[_Measured], plan: Plan) -> Computed | None:
    """The sum or average of the values; times such as "5:25" have several units, and are left to reading."""
    if any(is_clock(one.cell) for one in found):
        return None
    total = sum((one.value for one in found), Decimal(0))
    is_average = plan.operation is Operation.AVERAGE
    result = _rounded(total / len(found)) if is_average else total
    kind = "average" if is_average else "sum"
    note = f"The {kind} of the column {found[0].column} in {counted(len(found), 'rows')} of {_names(found)}."
    unit = _unit(found[0])
    # 35.50 EUR, but 6.2 km.
    text = money(result, unit, plan.language) if unit in CURRENCIES.values() else f"{_plain(result)} {unit}".strip()
    return Computed((AnswerPart(text, tuple(one.row.entry for one in found)),), note)


def _extreme(plan: Plan, entries: Entries, asked: Sequence[str], today: date) -> Computed | None:
    superlative = superlative_in(plan.words, plan.phrases)
    choices = SUPERLATIVES[superlative]
    tables = topic_tables(plan, entries, asked or [measure for measure, _ in choices])
    if superlative in GREATEST:
        choices = tuple((measure, GREATEST[superlative]) for measure in asked or _only_measure(tables))
    for measure, is_greatest in choices:
        if asked and measure not in asked:
            continue
        if found := _values(tables, measure, plan, today):
            return _rows_with((max if is_greatest else min)(one.value for one in found), found)
    return None


def _rows_with(value: Decimal, found: Sequence[_Measured]) -> Computed | None:
    best = [one for one in found if one.value == value]
    if len(best) > MOST_TOLD or len({is_clock(one.cell) for one in found}) > 1:
        return None
    note = f"By the column {found[0].column} in {counted(len(found), 'rows')} of {_names(found)}."
    return Computed(tuple(AnswerPart(_told(one), (one.row.entry,)) for one in best), note)


def _told(one: _Measured) -> str:
    """The value, and the other cells of its row: "3.2 km (date: 2026-06-14; place: lake)"."""
    unit = "" if unit_of(one.cell) else _unit(one)
    others = "; ".join(f"{name}: {value}" for name, value in one.row.cells if name != one.column)
    return f"{one.cell} {unit}".strip() + (f" ({others})" if others else "")


def _names(found: Sequence[_Measured]) -> str:
    sentences = (one.row.entry.sentence for one in found)
    return ", ".join(dict.fromkeys(sentence.title or sentence.path for sentence in sentences))


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
