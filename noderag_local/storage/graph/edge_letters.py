"""Maps types of edges to the letters in `edges.type`; letters make the table a quarter smaller than names would."""

from __future__ import annotations

from noderag_local.domain.graph import EdgeType

LETTERS = {
    EdgeType.MENTION: "m",
    EdgeType.KEYWORD: "k",
    EdgeType.SUBJECT: "u",
    EdgeType.SEMANTIC: "s",
    EdgeType.LINK: "l",
    EdgeType.ALIAS: "a",
    EdgeType.RECOGNISED: "r",
    EdgeType.INSERTED: "i",
    EdgeType.PART: "p",
    EdgeType.NAMES: "n",
    EdgeType.RELATES: "e",
    EdgeType.STATED: "x",
    EdgeType.DESCRIBES: "d",
    EdgeType.MEMBER: "c",
    EdgeType.ELEMENT: "h",
    EdgeType.MATCHED: "t",
    EdgeType.TITLE: "o",
    EdgeType.SIMILAR: "v",
    EdgeType.HOLDS: "g",
    EdgeType.TELLS: "q",
    EdgeType.PROFILES: "f",
    EdgeType.DRAWN: "w",
}
TYPES = {letter: kind for kind, letter in LETTERS.items()}

BY_TARGET = "edges INDEXED BY edges_by_target WHERE type NOT IN ('m', 'k', 'u', 'a')"
"""Beginning of every query by target, which makes SQLite use the index on targets."""
UNDIRECTED = frozenset({EdgeType.SEMANTIC, EdgeType.ALIAS, EdgeType.SIMILAR})
"""Types that have no direction: each edge is stored once, with source < target."""
