"""Lets the language model write the query for a question about a table, and refuses queries that leave out what is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from noderag_local.domain.tables import Cell, Column, ColumnKind, TypedTable
from noderag_local.generation.answer_prompt import filled, without_control_marks
from noderag_local.generation.table_answers.compared_words import compared_words, words_in
from noderag_local.models.llm.engine import Completion, Engine, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns
from noderag_local.text.number_words import SMALL_NUMBERS

QUERY_TOKENS = 120
"""Maximum tokens of a query."""
_MOST_COLUMNS = 16
_MOST_VALUES = 5
"""Values of a column that the model is shown."""
_LONGEST_VALUE = 28
"""Characters of a value that is shown."""
_FENCE = re.compile(r"```(?:sql)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"\((\d{4})-01-01 to \1-12-31\)")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_SEPARATOR = re.compile(r"[.,](?=\d{3}\b)")
_QUOTED = re.compile(r"'[^']*'")
_BESIDE_RESULT = re.compile(r"\blimit\s+\d+|,\s*\d+\s*\)", re.IGNORECASE)
"""Numbers that choose how a result is shown: how many rows, and how many decimals."""
_HARMLESS = frozenset({"0", "1"})
"""Numbers that a query may have for its own sake."""


def written_query(
    engine: Engine, table: TypedTable, question: str, today: date, cancelled: Callable[[], bool] = never
) -> tuple[str, Completion]:
    """Returns the query that the model writes for a question, and its cost; "" if it says that the table cannot answer it.

    Args:
        engine: engine that writes.
        table: the table.
        question: as the user asked it, with the days behind words that mean some: "last month (2026-10-01 to 2026-10-31)".
        today: day that the question is asked on.
        cancelled: called many times a second.

    Raises:
        SettingsError: the table's columns do not fit into the model.
        ModelError: the engine failed.
    """
    *before, template = turns("generation", "table_query")
    fields = {"table": described(table, question, today), "question": " ".join(without_control_marks(question).split())}
    request = Request(
        (*before, Message(Role.USER, filled(template.content, fields))), QUERY_TOKENS, stop=(";", "\n\n"), is_aside=True
    )
    stream = engine.stream(request, cancelled)
    text = " ".join(_FENCE.sub(" ", "".join(stream)).split())
    return (text if text.casefold().startswith("select ") else ""), stream.result


def described(table: TypedTable, question: str, today: date) -> str:
    """Returns a table's title, columns and some of their values, those that the question names first."""
    asked = compared_words(question)
    lines = [f"Table {table.name}, {len(table.rows)} rows:"]
    for at, column in enumerate(table.columns[:_MOST_COLUMNS]):
        values = [row[at] for row in table.rows if row[at] is not None]
        lines.append(f"{column.name}: {_kind(column)}, {without_control_marks(_values(column, values, asked))}")
    return "\n".join((*lines, f"Today is {today.isoformat()}."))


def invents(query: str, table: TypedTable, question: str) -> bool:
    """Returns whether a query compares or computes with a number that the question does not say."""
    said = {digits for number in _NUMBER.findall(question) for digits in (number, _SEPARATOR.sub("", number))}
    said |= {str(SMALL_NUMBERS[word]) for word in words_in(question) if word in SMALL_NUMBERS}
    plain = _BESIDE_RESULT.sub(" ", _QUOTED.sub(" ", query))
    for name in sorted((table.name, *(column.name for column in table.columns)), key=len, reverse=True):
        plain = re.sub(rf"\b{re.escape(name)}\b", " ", plain)
    return any(number not in said and number not in _HARMLESS for number in _NUMBER.findall(plain))


def leaves_out(query: str, table: TypedTable, question: str) -> bool:
    """Returns whether a query does not mention a value of the table that the question names, or any day where it names some."""
    asked, said = compared_words(question), compared_words(query)
    days = [column.name for column in table.columns if column.kind is ColumnKind.DAY]
    asked_days = _YEAR.sub(lambda found: "" if _is_of_year(table, found[1]) else found[0], question)
    if _DAY.search(asked_days) and days and not any(name in query for name in days):
        return True
    for at, column in enumerate(table.columns):
        if column.kind is not ColumnKind.TEXT:
            continue
        for value in {str(row[at]) for row in table.rows if row[at] is not None}:
            words = compared_words(value)
            if (
                words
                and words <= asked
                and not words & said
                and not words <= compared_words(column.name + " " + table.title)
            ):
                return True
    return False


def _is_of_year(table: TypedTable, year: str) -> bool:
    """Returns whether all rows are of one year, so that a query need not choose them by it."""
    columns = [at for at, one in enumerate(table.columns) if one.kind is ColumnKind.DAY]
    years = [{str(row[at])[:4] for row in table.rows if row[at]} for at in columns]
    return {year} in years


def _kind(column: Column) -> str:
    return f"{column.kind} in {column.unit}" if column.unit else str(column.kind)


def _values(column: Column, values: Sequence[Cell], asked: frozenset[str]) -> str:
    if column.kind is ColumnKind.NUMBER:
        numbers = [value for value in values if isinstance(value, float)]
        return f"{min(numbers):g} to {max(numbers):g}" if numbers else "NULL"
    if column.kind is ColumnKind.DAY:
        days = [str(value) for value in values]
        return f"{min(days)} to {max(days)}" if days else "NULL"
    distinct = list(dict.fromkeys(" ".join(str(value).split()) for value in values))
    # Sorting is stable: values of which the question has a word come first, else their order is that of the rows.
    distinct.sort(key=lambda value: -len(compared_words(value) & asked))
    shown = [
        f"'{value}'" if len(value) <= _LONGEST_VALUE else f"'{value[:_LONGEST_VALUE]}…'"
        for value in distinct[:_MOST_VALUES]
    ]
    return ", ".join((*shown, *(["…"] if len(distinct) > _MOST_VALUES else [])))
