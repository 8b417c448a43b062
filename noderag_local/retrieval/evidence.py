"""Chooses which part of a vault's graph a method searches: all of it, the language model's, or that of the rules.

Both parts stand side by side in the same rows: a sentence of a chunk that the model has read still names what the rules found
in it. So that the two can be compared on one vault, `chosen_edges` keeps the edges of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, GraphPart
from noderag_local.graph.algorithms.sparse import Edges, between, incidence
from noderag_local.retrieval.parameters import parameter
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.documents.texts import SentenceTable


@dataclass(frozen=True, slots=True)
class EvidenceParameters:
    """Base of the parameters of methods that use what a language model has found."""

    evidence: str = parameter(
        GraphPart.ALL.value,
        meaning="whose graph is searched where the language model has read a chunk: the model's and the rules', the"
        " model's alone as in the paper, or the rules' alone",
        choices=tuple(one.value for one in GraphPart),
    )


_BY_RULE = (EdgeType.MENTION, EdgeType.SUBJECT)
_BY_MODEL = (
    EdgeType.RECOGNISED,
    EdgeType.INSERTED,
    EdgeType.PART,
    EdgeType.NAMES,
    EdgeType.RELATES,
    EdgeType.STATED,
    EdgeType.DESCRIBES,
    EdgeType.MEMBER,
    EdgeType.ELEMENT,
    EdgeType.MATCHED,
    EdgeType.TITLE,
    EdgeType.SIMILAR,
    EdgeType.PROFILES,
    EdgeType.DRAWN,
)


def chosen_edges(
    edges: Mapping[EdgeType, Edges], sentences: SentenceTable, evidence: GraphPart
) -> Mapping[EdgeType, Edges]:
    """Returns the edges of a part of the graph; types that both parts share are left as they are.

    Args:
        edges: all edges of a vault, between node ids.
        sentences: the vault's sentences.
        evidence: the part.
    """
    if evidence is GraphPart.RULES:
        nothing = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        return {**edges, **dict.fromkeys(_BY_MODEL, nothing)}
    if evidence is GraphPart.MODEL:
        read = sentences.ids[is_read(edges, sentences)]
        by_rule = {kind: _kept(edges[kind], ~np.isin(edges[kind][0], read)) for kind in _BY_RULE}
        return {**edges, **by_rule, EdgeType.NAMES: _recognised_names(edges)}
    return edges


def is_read(edges: Mapping[EdgeType, Edges], sentences: SentenceTable) -> NDArray[np.bool_]:
    """Returns which sentences, (n,), lie in chunks that the model has made semantic units of."""
    return np.isin(sentences.chunk_ids, edges[EdgeType.INSERTED][0])


def named_entities(edges: Mapping[EdgeType, Edges]) -> NDArray[np.int64]:
    """Returns the ascending ids of all entities that sentences, units, relationships or other names lead to."""
    kinds = (*_BY_RULE, EdgeType.RECOGNISED, EdgeType.NAMES, EdgeType.RELATES, EdgeType.ALIAS)
    return distinct(*(edges[kind][1] for kind in kinds), edges[EdgeType.ALIAS][0])


def _recognised_names(edges: Mapping[EdgeType, Edges]) -> Edges:
    """Returns the edges from semantic units to the entities that the model found in one of their sentences."""
    names, parts, recognised = edges[EdgeType.NAMES], edges[EdgeType.PART], edges[EdgeType.RECOGNISED]
    if not len(names[0]):
        return names
    units, sentences, entities = distinct(names[0]), distinct(parts[1]), distinct(names[1])
    of_units = incidence(*between(parts, units, sentences), (len(units), len(sentences)))
    of_sentences = incidence(*between(recognised, sentences, entities), (len(sentences), len(entities)))
    found = (of_units @ of_sentences).tocsr()
    rows, columns = np.searchsorted(units, names[0]), np.searchsorted(entities, names[1])
    return _kept(names, np.asarray(found[rows, columns]).ravel() > 0)


def _kept(edges: Edges, is_kept: NDArray[np.bool_]) -> Edges:
    return edges[0][is_kept], edges[1][is_kept], edges[2][is_kept]
