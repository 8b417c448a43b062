"""Finds the paths through the graph from a question to its sources, small enough to be drawn.

A retrieval names the seeds and the chosen nodes; this module finds edges of the graph that connect them. A trace has at most 15
nodes: the question, seeds, connecting entities, and nodes chosen from the cited sources.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Ranked, Retrieval, Source
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.system.printing.cited_place import named
from noderag_local.vault.browsing.trace_nodes import FoundNode, TraceNodes

SEEDS = 4
LINKS = 3
CHOSEN = 4
SOURCES = 3
WIDELY = 2000
"""Number of a seed's sentences that are searched for connecting entities."""

_NAMED = {
    NodeType.SENTENCE: {
        EdgeType.MENTION: "named in",
        EdgeType.RECOGNISED: "named in",
        EdgeType.SUBJECT: "subject of",
    },
    NodeType.SEMANTIC_UNIT: {EdgeType.NAMES: "named in"},
    NodeType.RELATIONSHIP: {EdgeType.RELATES: "related in"},
    NodeType.ATTRIBUTE: {EdgeType.DESCRIBES: "described by"},
    NodeType.PROFILE: {EdgeType.PROFILES: "described by"},
}
"""Type of a chosen node -> types of its edges to entities, with their names in the opposite direction."""
_BY_MEANING = "near in meaning"
_MAIN_PARTS = {
    "walk": "reached by the walk",
    "words": "shares words",
    "bm25": "shares words",
    "bridge": "continues another",
    "names": "has the kind of answer",
    "date_or_number": "has the kind of answer",
}
"""Part of a score → its description on the path; parts that are missing here stand for similarity of meaning."""


class TraceLayer(IntEnum):
    """The position of a node on the path."""

    QUESTION = 0
    SEED = 1
    LINK = 2
    """Entities that connect seeds with chosen nodes."""
    CHOSEN = 3
    SOURCE = 4


@dataclass(frozen=True, slots=True)
class TraceNode:
    """A node on the path."""

    layer: TraceLayer
    type: NodeType | None
    """None for the question; DOCUMENT for a source."""
    node: int
    """Its id; 0 for the question and for sources."""
    name: str
    reasons: tuple[tuple[str, float], ...] = ()
    """Parts of the score of a chosen node, as `domain.passages.Ranked` has them; of a seed, its weight."""
    source: Source | None = None
    """Source with the node: the source itself, the source that contains a chosen node, or a seed's place in the notes."""


@dataclass(frozen=True, slots=True)
class TraceEdge:
    """A step of the path."""

    start: int
    """Index of a node in `Trace.nodes`."""
    end: int
    """Index of a node in `Trace.nodes`."""
    name: str
    """Read from start to end: "named in", "stands in" …"""


@dataclass(frozen=True, slots=True)
class Trace:
    """Nodes and edges of a trace; nodes are ordered by layer, then by weight, and every edge leads to a later layer."""

    nodes: tuple[TraceNode, ...]
    edges: tuple[TraceEdge, ...]


def trace(store: Store, retrieval: Retrieval, cited: Collection[int] = ()) -> Trace:
    """Returns the trace of a retrieval; only the question if nothing was found.

    Args:
        store: the vault to read.
        retrieval: result of the search for the question.
        cited: numbers of the sources that the answer cites; if empty, the best sources are used.
    """
    with store.steady():
        nodes = TraceNodes(store)
        sources = _sources(retrieval, cited)
        chosen = nodes.there(_chosen(retrieval, [source.number for source in sources]))
        seeds = nodes.seeds(retrieval.seeds, chosen)
        way = _Way(store, nodes, retrieval.question)
        for source in sources:
            way.add(TraceNode(TraceLayer.SOURCE, NodeType.DOCUMENT, 0, _label(source), (), source))
        for one, found in chosen:
            source = next(source for source in sources if source.number == one.source)
            way.add(TraceNode(TraceLayer.CHOSEN, one.type, one.node, found.name, one.reasons, source))
        return way.walked(seeds)


class _Way:
    """The nodes and edges found so far."""

    def __init__(self, store: Store, found: TraceNodes, question: str) -> None:
        self._graph, self._names, self._found = GraphRows(store), MergedNames(store), found
        self._question = TraceNode(TraceLayer.QUESTION, None, 0, question)
        self._nodes = [self._question]
        self._edges: dict[tuple[TraceNode, TraceNode], str] = {}

    def add(self, node: TraceNode) -> None:
        self._nodes.append(node)

    def walked(self, seeds: Sequence[FoundNode]) -> Trace:
        """Returns the trace from some seeds, heaviest first, to the nodes that were added."""
        chosen = [node for node in self._nodes if node.layer is TraceLayer.CHOSEN]
        own = {seed.node for seed in seeds} & {node.node for node in chosen}
        starts = [_seed(seed, self._found.source_of(seed.node, seed.type)) for seed in seeds if seed.node not in own]
        named = self._entities_of(chosen)
        for start in starts:
            for end in chosen:
                if name := named[end.node].get(start.node):
                    self._edges[start, end] = name
        self._link(starts, chosen, named)
        self._near(starts, chosen)
        kept = self._kept(starts)
        self._drop_links_without(kept)
        for start in kept:
            self.add(start)
            is_named = start.type in (NodeType.ENTITY, NodeType.OVERVIEW)
            self._edges[self._question, start] = "by its name" if is_named else _BY_MEANING
        reached = {end for start, end in self._edges if start in self._nodes}
        for end in chosen:
            if end not in reached:
                self._edges[self._question, end] = _BY_MEANING if end.node in own else _main_part(end.reasons)
            self._edges[end, self._source_of(end)] = "stands in"
        return self._trace()

    def _entities_of(self, chosen: Iterable[TraceNode]) -> dict[int, dict[int, str]]:
        """Maps each chosen node to its entities and the name of the edge from each."""
        found: dict[int, dict[int, str]] = {}
        for node in chosen:
            named = found.setdefault(node.node, {})
            for kind, name in _NAMED.get(node.type or NodeType.TEXT, {}).items():
                for _, entity, _ in self._graph.edges_from(kind, [node.node]):
                    named.setdefault(self._names.stands_for(entity), name)
        return found

    def _link(self, starts: Sequence[TraceNode], chosen: Sequence[TraceNode], named: dict[int, dict[int, str]]) -> None:
        """Adds entities that connect seeds to chosen nodes: each shares a sentence with a seed and is named in a chosen node."""
        reached = {end for _, end in self._edges}
        open_ends = [end for end in chosen if end not in reached]
        wanted = {entity for end in open_ends for entity in named[end.node]} - {start.node for start in starts}
        from_of: dict[int, list[TraceNode]] = {}
        for start, entities in self._beside(starts, {end.node for end in open_ends}).items():
            for entity in entities & wanted:
                from_of.setdefault(entity, []).append(start)
        to_of = {entity: [end for end in open_ends if entity in named[end.node]] for entity in from_of}
        names = dict(zip(from_of, self._graph.names(list(from_of)), strict=True))
        best = sorted(from_of, key=lambda entity: (-len(to_of[entity]), -len(from_of[entity]), names[entity], entity))
        for entity in best[:LINKS]:
            link = TraceNode(TraceLayer.LINK, NodeType.ENTITY, entity, names[entity])
            self.add(link)
            self._edges |= {(start, link): "named with" for start in from_of[entity]}
            self._edges |= {(link, end): named[end.node][entity] for end in to_of[entity]}

    def _beside(self, starts: Sequence[TraceNode], left_out: set[int]) -> dict[TraceNode, set[int]]:
        """Returns, for each seed, the entities that its sentences name; a seed that is a sentence names its own entities."""
        kinds = (EdgeType.MENTION, EdgeType.RECOGNISED)
        sentences_of = {start: [start.node] for start in starts if start.type is NodeType.SENTENCE}
        entities = [start for start in starts if start.type is NodeType.ENTITY]
        by_node = {node: start for start in entities for node in self._names.all_of(start.node)}
        # All seeds at once, because each query reads all mentions: 0.05 s for half a million.
        for kind in kinds:
            for sentence, entity, _ in self._graph.edges_to(kind, by_node):
                sentences_of.setdefault(by_node[entity], []).append(sentence)
        looked = {
            start: [sentence for sentence in sorted(sentences)[:WIDELY] if sentence not in left_out]
            for start, sentences in sentences_of.items()
        }
        named = self._graph.targets_of(kinds, {sentence for sentences in looked.values() for sentence in sentences})
        return {
            start: {self._names.stands_for(one) for place in sentences for one in named.get(place, ())}
            for start, sentences in looked.items()
        }

    def _near(self, starts: Sequence[TraceNode], chosen: Sequence[TraceNode]) -> None:
        """Adds the semantic edges between seeds and chosen nodes."""
        by_node = {node.node: node for node in (*starts, *chosen)}
        of_start = {start.node for start in starts}
        for one, other, _ in self._graph.edges_from(EdgeType.SEMANTIC, by_node):
            if other not in by_node or (one in of_start) == (other in of_start):
                continue
            start, end = (one, other) if one in of_start else (other, one)
            self._edges.setdefault((by_node[start], by_node[end]), _BY_MEANING)

    def _kept(self, starts: Sequence[TraceNode]) -> list[TraceNode]:
        """Returns the seeds with edges on the path; if there are none, one seed without edges."""
        leading = {start for start, _ in self._edges}
        return [start for start in starts if start in leading][:SEEDS] or list(starts[:1])

    def _drop_links_without(self, kept: Sequence[TraceNode]) -> None:
        """Removes the links of seeds that were left out."""
        led_to = {end for start, end in self._edges if start in kept}
        self._nodes = [node for node in self._nodes if node.layer is not TraceLayer.LINK or node in led_to]

    def _source_of(self, end: TraceNode) -> TraceNode:
        return next(node for node in self._nodes if node.layer is TraceLayer.SOURCE and node.source is end.source)

    def _trace(self) -> Trace:
        nodes = sorted(self._nodes, key=lambda node: node.layer)
        places = {node: place for place, node in enumerate(nodes)}
        edges = [
            TraceEdge(places[start], places[end], name)
            for (start, end), name in self._edges.items()
            if start in places and end in places
        ]
        return Trace(tuple(nodes), tuple(sorted(edges, key=lambda edge: (edge.start, edge.end))))


def _sources(retrieval: Retrieval, cited: Collection[int]) -> list[Source]:
    """Returns the cited sources, or else the best ones, ordered by the rank of their best node."""
    by_number = {source.number: source for source in retrieval.sources}
    ranked = dict.fromkeys(one.source for one in retrieval.ranked if one.source in by_number)
    wanted = [number for number in ranked if number in cited] or list(ranked)
    return [by_number[number] for number in wanted[:SOURCES]]


def _chosen(retrieval: Retrieval, sources: Sequence[int]) -> list[Ranked]:
    """Returns the best node of each source, and then the best remaining nodes."""
    inside = [one for one in retrieval.ranked if one.source in sources]
    first = {one.source: one for one in reversed(inside)}
    leading = [first[number] for number in sources]
    return [*leading, *(one for one in inside if one not in leading)][:CHOSEN]


def _seed(seed: FoundNode, source: Source | None) -> TraceNode:
    return TraceNode(TraceLayer.SEED, seed.type, seed.node, seed.name, (("seed", seed.weight),), source)


def _main_part(reasons: Sequence[tuple[str, float]]) -> str:
    best = max(reasons, key=lambda reason: reason[1], default=("", 0.0))
    return _MAIN_PARTS.get(best[0], _BY_MEANING)


def _label(source: Source) -> str:
    name = source.path.replace("\\", "/").rpartition("/")[2]
    return f"[{source.number}] {named(name, source.first_line, source.place)}"
