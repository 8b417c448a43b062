"""Divides a query over one table into its clauses, to ask the same table which rows the result rests on."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[()]|[^\W\d]\w*|[^\s\w()'\"]+|\d[\w.]*", re.UNICODE)
_CLAUSES = ("select", "from", "where", "group", "having", "order", "limit")
"""First words of the clauses, in their order."""
_AGGREGATE = re.compile(r"\b(count|sum|avg|total|min|max|group_concat)\s*\(", re.IGNORECASE)
_COMPOUND = frozenset({"union", "intersect", "except", "with"})


@dataclass(frozen=True, slots=True)
class QueryClauses:
    """The text of each clause of a query, without its first word; "" where it has none."""

    select: str
    source: str
    where: str
    group: str
    having: str
    order: str
    limit: str

    @property
    def aggregates(self) -> bool:
        """Whether the result tells something of several rows at once."""
        return bool(self.group or _AGGREGATE.search(self.select))

    def rows_query(self) -> str:
        """Returns the query for the rows that the result rests on: the number of each, and what the result groups it by."""
        query = f"SELECT rowid, {self.group or 'NULL'} FROM {self.source}" + (
            f" WHERE {self.where}" if self.where else ""
        )
        if not self.aggregates and self.order:
            query += f" ORDER BY {self.order}"
        if not self.aggregates and self.limit:
            query += f" LIMIT {self.limit}"
        return query


def query_clauses(query: str) -> QueryClauses | None:
    """Returns the clauses of a query over one table; None if it is anything else, such as a union or several statements."""
    starts: list[tuple[str, int, int]] = []
    depth = 0
    for token in _TOKEN.finditer(query):
        word = token[0].casefold()
        depth += (word == "(") - (word == ")")
        if depth == 0 and (word in _COMPOUND or (";" in word and word[0] not in "'\"")):
            return None
        if depth == 0 and word in _CLAUSES:
            starts.append((word, token.start(), token.end()))
    words = [word for word, *_ in starts]
    if words[:2] != ["select", "from"] or words != [word for word in _CLAUSES if word in words]:
        return None
    ends = [start for _, start, _ in starts[1:]] + [len(query)]
    text = {word: query[end:until].strip() for (word, _, end), until in zip(starts, ends, strict=True)}
    by = {word: re.sub(r"\Aby\s+", "", text.get(word, ""), flags=re.IGNORECASE) for word in ("group", "order")}
    return QueryClauses(
        text["select"],
        text["from"],
        text.get("where", ""),
        by["group"],
        text.get("having", ""),
        by["order"],
        text.get("limit", ""),
    )
