"""Repairs comparisons of a query with texts that their column does not have, where it is clear which one is meant."""

from __future__ import annotations

import re

from noderag_local.domain.tables import Column, ColumnKind, TypedTable
from noderag_local.generation.table_answers.compared_words import compared_words
from noderag_local.text.folding import folded

_COMPARISON = r"(?<![\w\"])(\"?)({columns})\1\s*(NOT\s+LIKE|LIKE|=|!=|<>|IS\s+NOT|IS)\s*'((?:[^']|'')*)'"
_LONGEST = 2_000
"""Letters of the longest query that is repaired."""
_DENYING = frozenset({"not like", "!=", "<>", "is not"})
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_ANY = "TRUE"
_ANYTHING = re.compile(r" AND TRUE\b|\bTRUE AND | WHERE TRUE(?= (?:group|order|limit)\b|$)", re.IGNORECASE)
"""A condition that is always met, with the word that joins it to others."""
_YES = frozenset("yes y x true ja oui si sí да 1 ✓ ✔ ☑ done".split())
_NO = frozenset("no n false nein non нет 0 ✗ ✘".split())


def repaired(query: str, table: TypedTable, question: str) -> str:
    """Returns a query with its comparisons repaired, as far as the table and the question show how.

    A text that its column does not have may be part of one that it has ("Clara" of "Clara M."), stand in one other column alone, or
    mean that a cell with a mark is filled: "yes" where the column has nothing but "x". A condition that a cell be ticked, of which the
    question says nothing, is left out: small models add it from the values that they are shown.
    """
    texts = {one.name: one for one in table.columns if one.kind is ColumnKind.TEXT}
    if not texts or len(query) > _LONGEST:
        return query
    pattern = _COMPARISON.format(columns="|".join(map(re.escape, sorted(texts, key=len, reverse=True))))
    asked = compared_words(question)

    def meant(found: re.Match[str]) -> str:
        column, operator, text = texts[found[2]], " ".join(found[3].casefold().split()), found[4].replace("''", "'")
        is_ticked = folded(text.strip("%")) in _YES and operator not in _DENYING
        if is_ticked and not compared_words(f"{column.title} {column.name}") & asked and not _OR.search(query):
            return _ANY
        return _meant(table, list(texts.values()), column, operator, text.strip("%")) or found[0]

    return _ANYTHING.sub("", re.sub(pattern, meant, query, flags=re.IGNORECASE)).rstrip()


def _meant(table: TypedTable, texts: list[Column], column: Column, operator: str, text: str) -> str:
    """Returns the comparison that is meant; "" if it stays as it is."""
    values = _values(table, column)
    if folded(text) in values or not text.strip():
        return ""
    like = "NOT LIKE" if operator in _DENYING else "LIKE"
    shown = text.replace("'", "''")
    if _is_part(text, values):
        return f"\"{column.name}\" {like} '%{shown}%'"
    if len(values) == 1 and folded(text) in _YES | _NO:
        is_filled = (folded(text) in _YES) is (like == "LIKE")
        return f'"{column.name}" IS {"NOT " if is_filled else ""}NULL'
    others = [other for other in texts if other is not column and _is_part(text, _values(table, other))]
    return f"\"{others[0].name}\" {like} '%{shown}%'" if len(others) == 1 else ""


def _values(table: TypedTable, column: Column) -> set[str]:
    at = table.columns.index(column)
    return {folded(str(row[at])) for row in table.rows if row[at] is not None}


def _is_part(text: str, values: set[str]) -> bool:
    return any(folded(text) in value for value in values)
