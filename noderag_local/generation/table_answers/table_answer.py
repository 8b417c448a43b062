"""Answers a question about a table with the rows that a query finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import date

from noderag_local.domain.tables import Cell, Column, ColumnKind, TypedTable
from noderag_local.generation.question_language import ENGLISH
from noderag_local.generation.span_answer import in_words
from noderag_local.generation.table_answers.query_clauses import QueryClauses, query_clauses
from noderag_local.generation.table_answers.query_repair import repaired
from noderag_local.generation.table_answers.query_writing import invents, leaves_out, written_query
from noderag_local.generation.table_answers.table_database import QueryResult, TableDatabase
from noderag_local.models.llm.engine import Completion, Engine, never

MOST_LINES = 12
"""Rows of a result that an answer lists; more are no answer."""
_DECIMALS = 2
_CALL = re.compile(r"(\w{1,20}) ?\(([^()]*)\)")
"""A function over a column, as SQLite names its result."""
_EXTREME = re.compile(r"(min|max) ?\(\s?(\w+)\s?\)(?: as \w+)?", re.IGNORECASE)
_RATE = re.compile(r"[%/]|percent|prozent", re.IGNORECASE)
"""Found in the titles of columns whose numbers cannot be added up."""
_SAME_UNIT = {"sum": "sum of", "total": "sum of", "avg": "average of", "min": "least", "max": "greatest"}
"""Functions whose result has the unit of their column, in words."""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of an answer."""

    text: str
    nodes: tuple[int, ...]
    """Nodes of the rows of the table that it rests on, in their order."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The answer that a table gives."""

    lines: tuple[TableLine, ...]
    """The answer, a line for each row of the result; () if the table does not tell."""
    query: str
    completion: Completion


def table_answer(
    engine: Engine, table: TypedTable, question: str, today: date, cancelled: Callable[[], bool] = never
) -> TableAnswer:
    """Returns what a table tells; arguments and errors as for `written_query`."""
    written, cost = written_query(engine, table, question, today, cancelled)
    query = _reworded(repaired(written, table, question), table)
    clauses = query_clauses(query)
    if clauses is None or leaves_out(query, table, question) or invents(query, table, question):
        return TableAnswer((), query, cost)
    with closing(TableDatabase(table)) as database:
        result = database.run(query, MOST_LINES)
        used = database.run(clauses.rows_query(), len(table.rows)) if result else None
    lines = _lines(result, used, clauses, table) if result and used else ()
    return TableAnswer(lines, query, cost)


def _reworded(query: str, table: TypedTable) -> str:
    """Returns the query that is meant, where models write another: for a sum of bare numbers, and for the rows of an extreme."""
    clauses = query_clauses(query)
    if clauses is None or clauses.group or clauses.order or clauses.limit:
        return query
    where = f" WHERE {clauses.where}" if clauses.where else ""
    if clauses.select in {
        one.name for one in table.columns if one.kind is ColumnKind.NUMBER and not _RATE.search(one.title)
    }:
        # "How many bottles do I have" means all of them together.
        return f"SELECT SUM({clauses.select}) FROM {clauses.source}{where}"
    extreme = _EXTREME.fullmatch(clauses.select)
    if extreme is None:
        return query
    telling = [
        next((one for one in table.columns if one.kind is kind), None) for kind in (ColumnKind.TEXT, ColumnKind.DAY)
    ]
    names = [extreme[2], *(f'"{one.name}"' for one in telling if one and one.name != extreme[2])]
    order = "DESC" if extreme[1].casefold() == "max" else "ASC"
    is_told = f"{clauses.where and f'({clauses.where}) AND '}{extreme[2]} IS NOT NULL"
    return f"SELECT {', '.join(names)} FROM {clauses.source} WHERE {is_told} ORDER BY {extreme[2]} {order} LIMIT 1"


def _lines(result: QueryResult, used: QueryResult, clauses: QueryClauses, table: TypedTable) -> tuple[TableLine, ...]:
    """The rows of a result, each with the rows of the table that it rests on; () if it says nothing."""
    told = [row for row in result.rows if any(cell not in (None, "") for cell in row)]
    counts_nothing = clauses.aggregates and not clauses.group and told == [(0,)]
    if not told or not used.rows or counts_nothing:
        return ()
    nodes = [(key, table.nodes[int(number) - 1]) for number, key in used.rows if isinstance(number, int | float)]
    if clauses.group in result.columns:
        at = result.columns.index(clauses.group)
        of_row = [tuple(node for key, node in nodes if key == row[at]) for row in told]
    elif not clauses.aggregates and len(nodes) == len(told):
        of_row = [(node,) for _, node in nodes]
    else:
        of_row = [tuple(node for _, node in nodes)] * len(told)
    is_one_row = len(nodes) == 1
    return tuple(
        TableLine(_line(row, result, table, is_one_row), found) for row, found in zip(told, of_row, strict=True)
    )


def _line(row: tuple[Cell, ...], result: QueryResult, table: TypedTable, is_one_row: bool) -> str:
    """A row of a result in words: "Folha Sul (amount: 220 EUR; due: 2026-03-02)", "6600 (sum of metres)"."""
    cells = [
        (_title(name, table), _cell(value, _column(name, table)))
        for name, value in zip(result.columns, row, strict=True)
    ]
    (title, first), *rest = [(title, text) for title, text in cells if text]
    others = [f"{its}: {text}" if its else text for its, text in rest]
    # The sum of one number is that number.
    if (
        not others
        and title
        and _CALL.match(result.columns[0])
        and not (is_one_row and title.startswith(_SAME_UNIT["sum"]))
    ):
        others = [title]
    return f"{first} ({'; '.join(others)})" if others else first


def _column(name: str, table: TypedTable) -> Column | None:
    """The column that a column of a result shows or computes with: "km" for "SUM(km)"."""
    call = _CALL.fullmatch(name)
    inside = call[2] if call and call[1].casefold() in _SAME_UNIT else name
    wanted = inside.casefold().strip('" ').removeprefix("distinct ").strip('" ')
    return next((one for one in table.columns if one.name.casefold() == wanted), None)


def _title(name: str, table: TypedTable) -> str:
    """Returns the title of a column of a result, in words; "" for a number of rows."""
    call, column = _CALL.fullmatch(name), _column(name, table)
    if call and call[1].casefold() == "count":
        return ""
    title = column.title if column else name.lower().replace("_", " ")
    return f"{_SAME_UNIT[call[1].casefold()]} {title}" if call and column else title


def _cell(value: Cell, column: Column | None) -> str:
    """A value as an answer shows it."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f"{_number(value)} {column.unit if column else ''}".strip()
    text = " ".join(str(value).split())
    return in_words(text, ENGLISH) if column and column.kind is ColumnKind.DAY else text


def _number(value: float) -> str:
    return f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
