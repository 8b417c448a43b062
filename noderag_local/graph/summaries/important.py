"""Chooses the entities that get an attribute (NodeRAG, section 2.3 and Algorithm 1)."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.graph.algorithms.importance import importance
from noderag_local.graph.summaries.heterograph import Heterograph
from noderag_local.text.calendar_names import CALENDAR_WORDS
from noderag_local.text.identity import entity_key
from noderag_local.text.number_words import NUMBER_WORDS
from noderag_local.text.stopwords import every_stop_word

PER_CHUNK = 0.2
"""Most attributes for each chunk that was decomposed; the paper's graphs have 0.4 for chunks three times as long."""
FEWEST_UNITS = 2
"""Semantic units and relationships that name an entity, at least: of one alone there is nothing to sum up."""

_CALENDAR = CALENDAR_WORDS | frozenset(
    "jan feb mar apr jun jul aug sept sep oct nov dec century bc bce ad ce am pm".split()
)
_WORD = re.compile(r"[^\W_]+")


def important_entities(graph: Heterograph) -> list[int]:
    """Returns the rows of the entities to describe, most important first, ties by key.

    An entity passes the paper's degree filter or its betweenness filter, is named in more than one unit, is a name (no date,
    number or common word), and something is said of it: "American" is named in many units and the subject of none.
    """
    scores = _scores(graph)
    named = _units_naming(graph)
    rows = graph.rows_of(NodeType.ENTITY)
    passed = rows[(scores[rows] > 0) & (named[rows] >= FEWEST_UNITS)]
    worth = [row for row in passed.tolist() if has_describable_name(graph, row) and _is_subject(graph, row)]
    worth.sort(key=lambda row: (-scores[row], graph.keys[row]))
    return worth[: most_attributes(graph)]


def _scores(graph: Heterograph) -> NDArray[np.float64]:
    """Returns (v,) the importance of each node in the graph without its attributes.

    Attributes of an earlier run, or of one that was killed, must not change which entities get one.
    """
    is_attribute = np.array([kind is NodeType.ATTRIBUTE for kind in graph.types], dtype=bool)
    number = np.cumsum(~is_attribute) - 1
    sources, targets, _ = graph.edges
    plain = ~(is_attribute[sources] | is_attribute[targets])
    scores = np.zeros(graph.size)
    scores[~is_attribute] = importance(int((~is_attribute).sum()), number[sources[plain]], number[targets[plain]])
    return scores


def most_attributes(graph: Heterograph) -> int:
    """Returns how many attributes the graph may have, by the chunks that it was made of."""
    return math.ceil(PER_CHUNK * len({chunk for said in graph.said for chunk, _ in said}))


def is_describable(name: str) -> bool:
    """Tells whether a name can have attributes: not where it is made of dates and numbers, nor a common word alone."""
    words = _WORD.findall(name)
    telling = [
        word
        for word in words
        if not any(character.isdigit() for character in word)
        and word.casefold() not in _CALENDAR
        and word.casefold() not in NUMBER_WORDS
        and word.casefold() not in every_stop_word()
    ]
    if not telling:
        return False
    return len(words) > 1 or not words[0].islower()


def has_describable_name(graph: Heterograph, row: int) -> bool:
    """Tells whether one of an entity's names can have attributes: "WHO" alone might be any "who"."""
    return any(map(is_describable, graph.all_names(row)))


def _is_subject(graph: Heterograph, row: int) -> bool:
    """Tells whether a statement has the entity as its subject, or two units open with one of its names."""
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
    """Tells whether a text begins with a name, an article before it or not."""
    start, wanted = text.casefold(), name.casefold()
    for article in ("the ", "a ", "an "):
        if start.startswith(article) and not wanted.startswith(article):
            start = start.removeprefix(article)
    return start.startswith(wanted) and not start[len(wanted) : len(wanted) + 1].isalnum()


def _units_naming(graph: Heterograph) -> NDArray[np.int64]:
    """Counts (v,) the semantic units beside each node."""
    units = np.zeros(graph.size, dtype=np.int64)
    sources, targets, _ = graph.edges
    is_unit = np.array([kind is NodeType.SEMANTIC_UNIT for kind in graph.types], dtype=bool)
    np.add.at(units, targets[is_unit[sources]], 1)
    return units
