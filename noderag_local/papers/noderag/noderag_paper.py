"""NodeRAG with the settings of its paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.pagerank import shallow_pagerank
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.graph_evidence.graph_pieces import GraphPieces, summaries_inside
from noderag_local.papers.noderag.question_names import QuestionNames, names_by_model, names_by_rule
from noderag_local.papers.noderag.written_units import WRITING
from noderag_local.retrieval.evidence import EvidenceParameters
from noderag_local.retrieval.full_graph import NEARNESS, FullGraph
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.over_evidence import OverEvidence, full_graph_without
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.packing.results import packed_retrieval
from noderag_local.retrieval.parameters import parameter
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fts_query import words_in_order
from noderag_local.storage.graph.drawn_texts import DrawnTexts
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.text.identity import entity_key

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SHARES = {
    NodeType.SEMANTIC_UNIT: 0.4,
    NodeType.TEXT: 0.2,
    NodeType.RELATIONSHIP: 0.15,
    NodeType.ATTRIBUTE: 0.15,
    NodeType.HIGH_LEVEL_ELEMENT: 0.1,
}
"""Share of the budget for each type of node. Sentences used as semantic units count as such."""
SEARCHED = (
    NodeType.TEXT,
    NodeType.SENTENCE,
    NodeType.SEMANTIC_UNIT,
    NodeType.ATTRIBUTE,
    NodeType.HIGH_LEVEL_ELEMENT,
)
WHOLE, BY_WORDS = "whole", "words"
SHORTEST_PIECE_TOKENS = 8
SHOWN_SEEDS = 12


@dataclass(frozen=True, slots=True)
class NodeRagParameters(EvidenceParameters):
    """Parameters of the search."""

    teleport: float = parameter(
        0.5, paper=0.5, symbol="α", meaning="share of the mass that returns to the entry points in each step", most=1
    )
    steps: int = parameter(2, paper=2, symbol="t", meaning="steps of the walk")
    nearest: int = parameter(
        10, symbol="k", meaning="entry points by vector, over all types together; the authors' code has 10", least=1
    )
    cross_nodes: int = parameter(
        0, meaning="nodes of each type that the walk brings beside the entry points; 0: as many as the budget holds"
    )
    named: bool = parameter(
        True, paper=True, meaning="whether names in the question are entry points, the accurate half of dual search"
    )
    match: str = parameter(
        WHOLE,
        paper=BY_WORDS,
        meaning="whether a name in the question is that of a node as a whole, or also where its words stand in a longer one",
        choices=(WHOLE, BY_WORDS),
    )
    units: str = parameter(
        "verbatim",
        paper="written",
        meaning="whether semantic units are searched and shown as sentences of the notes, or in the model's words where it has"
        " written some (noderag enrich --layer written)",
        choices=("verbatim", "written"),
    )
    semantic_edges: bool = parameter(
        True, paper=True, meaning="whether the walk also takes the edges between nodes with near vectors"
    )


class NodeRagPaper(OverEvidence):
    """NodeRAG's dual search, random walk and selection, with names that a rule finds in the question."""

    name = "noderag-paper"
    stages_used = ("decompose", "attributes", "elements")
    parameters: NodeRagParameters = NodeRagParameters(match=BY_WORDS)
    names_of: Callable[[str, SearchContext], QuestionNames] = staticmethod(names_by_rule)

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns the stages that the method uses with these values: written units only where it searches them."""
        used = super().stages_for(parameters)
        return (*used, WRITING) if used and cast(NodeRagParameters, parameters).units == "written" else used

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        named = self.names_of(question, self._search_context)
        started = time.perf_counter() - named.seconds
        graph = self._graph()
        allowed = self._allowed(graph)
        seeds = self._entry_points(question, named, graph, allowed)
        if not len(seeds):
            return Retrieval(
                self.name,
                question,
                budget_tokens,
                "",
                0,
                (),
                (),
                (),
                1000 * (time.perf_counter() - started),
                llm_use=named.llm_use,
            )
        start = np.zeros(len(graph.ids), np.float32)
        start[seeds] = 1 / len(seeds)
        mass = shallow_pagerank(graph.walk.__matmul__, start, self.parameters.teleport, self.parameters.steps)
        pieces = self._selected(graph, np.where(allowed, mass, np.float32(0)), seeds, budget_tokens)

        def told(piece: Piece) -> tuple[float, tuple[tuple[str, float], ...]]:
            # Where semantic units replace the sentences of a text node, the sentences have no rows.
            score = float(mass[graph.rows(np.array([piece.node]))].sum())
            return score, (("walk", score),)

        shown = self._shown(graph, seeds[:SHOWN_SEEDS], start)
        found = packed_retrieval(self.name, question, budget_tokens, self._search_context, pieces, told, shown, started)
        return replace(found, llm_use=named.llm_use)

    def _graph(self) -> FullGraph:
        if self.parameters.semantic_edges:
            return self._search_context.full_graph()
        # The paper's "w/o HNSW" (table 2).
        return self._search_context.layer(full_graph_without, NEARNESS)

    def _allowed(self, graph: FullGraph) -> NDArray[np.bool_]:
        """Returns which nodes, (m,), may be entry points and appear in the context."""
        if self._search_context.inside is None:
            return np.ones(len(graph.ids), dtype=bool)
        return nodes_inside(
            self._search_context.store, graph, self._search_context.graph_arrays(), self._search_context.inside
        )

    def _entry_points(
        self, question: str, named: QuestionNames, graph: FullGraph, allowed: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Returns the ascending rows of the graph where the walk starts, without duplicates."""
        titled = self._titled(named, graph) if self.parameters.named else np.zeros(0, np.int64)
        rows = np.concatenate([titled, self._nearest(question, graph, allowed)])
        return distinct(rows[allowed[rows]])

    def _titled(self, named: QuestionNames, graph: FullGraph) -> NDArray[np.int64]:
        """Returns the rows of the entities and overviews that have one of the names, case and articles aside."""
        rows = GraphRows(self._search_context.store)
        keys = {entity_key(name) for name in named.names} - {""}
        parts = [words_in_order(name) for name in named.within] if self.parameters.match == BY_WORDS else []
        entities = {*rows.find(NodeType.ENTITY, sorted(keys)).values()}
        entities.update(entity for words in parts for entity in rows.entities_containing(words))
        ids, _, titles = rows.nodes_of(NodeType.OVERVIEW)
        overviews = [
            node
            for node, title in zip(ids.tolist(), titles, strict=True)
            if entity_key(title) in keys or has_any_run(words_in_order(title), parts)
        ]
        stand_for = self._search_context.graph_arrays().names.stands_for
        return graph.rows(np.array(sorted({*map(stand_for, entities), *overviews}), np.int64))

    def _nearest(self, question: str, graph: FullGraph, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the rows of the nodes nearest to the question, of all types together; ties by row."""
        vector = self._search_context.encode(question)[None]
        cosines = np.full(len(graph.ids), -np.inf, np.float32)
        for kind in SEARCHED:
            index = self._search_context.vector_index(kind)
            if len(index.ids):
                rows = np.minimum(np.searchsorted(graph.ids, index.ids), len(graph.ids) - 1)
                known = graph.ids[rows] == index.ids
                cosines[rows[known]] = index.cosines(vector)[0][known]
        self._take_written(cosines, vector, graph)
        nearest = top_rows(np.where(allowed, cosines, np.float32(-np.inf)), self.parameters.nearest)
        return nearest[np.isfinite(cosines[nearest])]

    def _take_written(self, cosines: NDArray[np.float32], vector: NDArray[np.float32], graph: FullGraph) -> None:
        """Replaces the cosines, (m,), of units that the model has written by those of its texts with a (1, dim) vector."""
        written = self._written_units()
        if not written:
            return
        index = self._search_context.vector_index(NodeType.WRITTEN_UNIT)
        unit_of = {text: unit for unit, text in written.items()}
        found = index.cosines(vector)[0] if len(index.ids) else np.zeros(0, np.float32)
        near = {
            unit_of[text]: cosine for text, cosine in zip(index.ids.tolist(), found, strict=True) if text in unit_of
        }
        units = np.array(sorted(near), np.int64)
        units = units[np.isin(units, graph.ids)]
        cosines[graph.rows(units)] = [near[unit] for unit in units.tolist()]

    def _written_units(self) -> dict[int, int]:
        """Returns semantic unit -> its text in the model's words, inside the scope; none if they are not searched."""
        if self.parameters.units != "written":
            return {}
        store, inside = self._search_context.store, self._search_context.inside
        found = self._search_context.layer(_texts_of_units)
        if inside is None:
            return found
        allowed = set(summaries_inside(store, self._search_context.graph_arrays(), inside).tolist())
        return {unit: text for unit, text in found.items() if text in allowed}

    def _selected(
        self, graph: FullGraph, mass: NDArray[np.float32], entry_points: NDArray[np.int64], budget_tokens: int
    ) -> list[Piece]:
        """Returns each type's best pieces up to its share of the budget, then all others; both are ordered by mass."""
        most = self.parameters.cross_nodes or 20 + budget_tokens // SHORTEST_PIECE_TOKENS
        pieces_of = GraphPieces(
            self._search_context.store,
            self._search_context.graph_arrays(),
            self._search_context.inside,
            self._written_units(),
        )
        within: list[tuple[float, Sequence[Piece]]] = []
        beyond: list[tuple[float, Sequence[Piece]]] = []
        for kind, share in SHARES.items():
            left = share * budget_tokens
            for score, group in self._ranked(graph, mass, kind, pieces_of, entry_points, most):
                left -= sum(piece.tokens for piece in group)
                (within if left >= 0 else beyond).append((score, group))
        ordered = [sorted(found, key=lambda one: (-one[0], one[1][0].node)) for found in (within, beyond)]
        return [piece for found in ordered for _, group in found for piece in group]

    def _ranked(
        self,
        graph: FullGraph,
        mass: NDArray[np.float32],
        kind: NodeType,
        pieces_of: GraphPieces,
        entry_points: NDArray[np.int64],
        most: int,
    ) -> list[tuple[float, Sequence[Piece]]]:
        """Returns (mass, pieces) of the entry points and cross nodes of one type, highest mass first."""
        kinds = [kind, NodeType.SENTENCE] if kind is NodeType.SEMANTIC_UNIT else [kind]
        scores = np.where(np.isin(graph.types, [str(one) for one in kinds]) & (mass > 0), mass, -np.inf)
        cross = top_rows(scores.astype(np.float32), most)
        of_kind = entry_points[np.isfinite(scores[entry_points])]
        rows = distinct(cross, of_kind)
        rows = rows[np.lexsort((rows, -scores[rows]))]
        nodes = graph.ids[rows].tolist()
        made: dict[int, Sequence[Piece]] = {}
        for one in kinds:
            of_type = [node for node, row in zip(nodes, rows, strict=True) if graph.types[row] == str(one)]
            made |= _MAKERS[one](pieces_of, of_type)
        return [(float(mass[row]), made[node]) for node, row in zip(nodes, rows, strict=True) if made.get(node)]

    def _shown(
        self, graph: FullGraph, rows: NDArray[np.int64], start: NDArray[np.float32]
    ) -> tuple[tuple[str, float], ...]:
        names = GraphRows(self._search_context.store).names(graph.ids[rows].tolist())
        return tuple((name, float(start[row])) for name, row in zip(names, rows, strict=True) if name)


class NodeRagPaperLlm(NodeRagPaper):
    """NodeRAG's search with the entities that the language model lists for the question."""

    name = "noderag-paper-llm"
    asks_model = True
    names_of = staticmethod(names_by_model)


def _texts_of_units(search_context: SearchContext) -> dict[int, int]:
    """Returns semantic unit -> its text in the model's words."""
    units, _, _ = GraphRows(search_context.store).nodes_of(NodeType.SEMANTIC_UNIT)
    return DrawnTexts(search_context.store, NodeType.WRITTEN_UNIT).of(units.tolist())


def has_any_run(words: Sequence[str], runs: Sequence[Sequence[str]]) -> bool:
    """Returns whether one of the runs of words stands among some words side by side."""
    text = f" {' '.join(words)} "
    return any(run and f" {' '.join(run)} " in text for run in runs)


def _single(pieces: Sequence[Piece]) -> dict[int, Sequence[Piece]]:
    return {piece.node: (piece,) for piece in pieces}


_MAKERS: dict[NodeType, Callable[[GraphPieces, Sequence[int]], dict[int, Sequence[Piece]]]] = {
    NodeType.TEXT: lambda pieces_of, nodes: dict(pieces_of.texts(nodes)),
    NodeType.SENTENCE: lambda pieces_of, nodes: _single(pieces_of.sentences(nodes)),
    NodeType.SEMANTIC_UNIT: lambda pieces_of, nodes: _single(pieces_of.units(nodes)),
    NodeType.RELATIONSHIP: lambda pieces_of, nodes: _single(pieces_of.relationships(nodes)),
    NodeType.ATTRIBUTE: lambda pieces_of, nodes: _single(pieces_of.attributes(nodes)),
    NodeType.HIGH_LEVEL_ELEMENT: lambda pieces_of, nodes: _single(pieces_of.elements(nodes)),
}


def nodes_inside(store: Store, graph: FullGraph, arrays: GraphArrays, inside: Inside) -> NDArray[np.bool_]:
    """Returns which nodes of the graph, (m,), a scope allows in a context.

    Texts, sentences, entities, units and relationships are allowed if they are at least partly inside; attributes and
    high-level elements if they were made only from notes inside; titles if their element is allowed. Forgetting has the same
    rule: a summary is left out if forgetting everything outside would remove it, since it may contain words from there.
    """
    edges = Snapshot.open(store).edges
    chunks, sentences = arrays.chunks[inside.chunks], arrays.sentences[inside.sentences]
    units = _targets(edges[EdgeType.INSERTED][:2], chunks)
    relationships = _sources(edges[EdgeType.STATED][:2], sentences)
    summaries = summaries_inside(store, arrays, inside)
    titles = _sources(edges[EdgeType.TITLE][:2], summaries)
    entities = arrays.entities[inside.entities]
    return np.isin(graph.ids, np.concatenate([chunks, sentences, entities, units, relationships, summaries, titles]))


def _targets(ends: tuple[NDArray[np.int64], NDArray[np.int64]], sources: NDArray[np.int64]) -> NDArray[np.int64]:
    return ends[1][np.isin(ends[0], sources)]


def _sources(ends: tuple[NDArray[np.int64], NDArray[np.int64]], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    return ends[0][np.isin(ends[1], targets)]
