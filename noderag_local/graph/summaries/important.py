"""Chooses the entities that get an attribute (NodeRAG, section 2.3 and Algorithm 1)."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.graph.algorithms.importance import importance
from noderag_local.graph.summaries.heterograph import Heterograph
from noderag_local.text.dates.calendar_names import calendar_words
from noderag_local.text.identity import entity_key
from noderag_local.text.number_words import NUMBER_WORDS
from noderag_local.text.stopwords import every_stop_word

PER_CHUNK = 0.2
"""Maximum number of attributes per decomposed chunk; the paper's graphs have 0.4, with chunks three times as long."""
FEWEST_UNITS = 2
"""Minimum number of semantic units and relationships that must name an entity: a single one needs no summary."""

_OF_TIME = frozenset("century bc bce ad ce am pm".split())
_WORD = re.compile(r"[^\W_]+")


def important_entities(graph: Heterograph) -> list[int]:
    """Returns the rows of the entities to describe, most important first, ties by key.

    Such an entity passes the paper's degree or betweenness filter, is named in at least two units, is a real name (no date,
    number or common word) and is the subject of something: "American" is named in many units but is the subject of none.
    """
    scores = _scores(graph)
    named = _units_naming(graph)
    rows = graph.rows_of(NodeType.ENTITY)
    passed = rows[(scores[rows] > 0) & (named[rows] >= FEWEST_UNITS)]
    worth = [row for row in passed.tolist() if has_describable_name(graph, row) and _is_subject(graph, row)]
    worth.sort(key=lambda row: (-scores[row], graph.keys[row]))
    return worth[: most_attributes(graph)]


def _scores(graph: Heterograph) -> NDArray[np.float64]:
    """Returns the importance of each node, (v,), computed without the attributes.

    Attributes from an earlier run must not change which entities get one.
    """
    is_attribute = np.array([kind is NodeType.ATTRIBUTE for kind in graph.types], dtype=bool)
    number = np.cumsum(~is_attribute) - 1
    sources, targets, _ = graph.edges
    plain = ~(is_attribute[sources] | is_attribute[targets])
    scores = np.zeros(graph.size)
    scores[~is_attribute] = importance(int((~is_attribute).sum()), number[sources[plain]], number[targets[plain]])
    return scores


def most_attributes(graph: Heterograph) -> int:
    """Returns the maximum number of attributes, in proportion to the chunks that the graph was made from."""
    return math.ceil(PER_CHUNK * len({chunk for said in graph.said for chunk, _ in said}))


def is_describable(name: str) -> bool:
    """Returns whether an entity of this name can have an attribute; not if the name is a date, a number or one common word."""
    words = _WORD.findall(name)
    telling = [
        word
        for word in words
        if not any(character.isdigit() for character in word)
        and word.casefold() not in _OF_TIME
        and word.casefold() not in calendar_words()
        and word.casefold() not in NUMBER_WORDS
        and word.casefold() not in every_stop_word()
    ]
    if not telling:
        return False
    return len(words) > 1 or not words[0].islower()


def has_describable_name(graph: Heterograph, row: int) -> bool:
    """Returns whether any of an entity's names is describable; "WHO" alone is not, since it might be any "who"."""
    return any(map(is_describable, graph.all_names(row)))


def _is_subject(graph: Heterograph, row: int) -> bool:
    """Returns whether the entity is the subject of a statement, or two units begin with one of its names."""
    keys, names = graph.all_keys(row), graph.all_names(row)
    openings = 0
    for near in graph.beside(row).tolist():
        if graph.types[near] is NodeType.RELATIONSHIP:
            if any(entity_key(statement.partition("|")[0]) in keys for _, statement in graph.said[near]):
                return True
        elif graph.types[near] is NodeType.SEMANTIC_UNIT:
            openings += any(opens_with(graph.names[near], name) for name in names)
    return openings > 1


def opens_with(text: str, name: str) -> bool:
    """Returns whether a text begins with a name, with or without an article before it."""
    start, wanted = text.casefold(), name.casefold()
    for article in ("the ", "a ", "an "):
        if start.startswith(article) and not wanted.startswith(article):
            start = start.removeprefix(article)
    return start.startswith(wanted) and not start[len(wanted) : len(wanted) + 1].isalnum()


def _units_naming(graph: Heterograph) -> NDArray[np.int64]:
    """Returns the number of semantic units beside each node, (v,)."""
    units = np.zeros(graph.size, dtype=np.int64)
    sources, targets, _ = graph.edges
    is_unit = np.array([kind is NodeType.SEMANTIC_UNIT for kind in graph.types], dtype=bool)
    np.add.at(units, targets[is_unit[sources]], 1)
    return units
