"""Turns nodes of the full graph into pieces of a context, each with its place in the notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Source
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.packing.sentence_pieces import sentence_pieces
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.derived import derived_from_chunks
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.profile_rows import read_profile
from noderag_local.system.printing.cited_place import spanned
from noderag_local.text.statement import spoken
from noderag_local.text.token_estimate import roughly_estimated_tokens

STATEMENTS_A_RELATIONSHIP = 3


class GraphPieces:
    """Turns nodes into pieces of a context and caches the data that several nodes need."""

    def __init__(
        self,
        store: Store,
        arrays: GraphArrays,
        inside: Inside | None = None,
        written_units: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        """Keeps the arguments; data is read when it is first needed.

        Args:
            store: the vault.
            arrays: graph of the vault.
            inside: scope of the question; of units and relationships that are partly outside, only the inside part is used.
            written_units: semantic unit -> node with its text in the model's words, which is shown in place of its sentences.
        """
        self._graph, self._texts, self._fragments = GraphRows(store), TextRows(store), FragmentRows(store)
        self._store, self._arrays = store, arrays
        self._sentences = None if inside is None else frozenset(arrays.sentences[inside.sentences].tolist())
        self._chunks = None if inside is None else frozenset(arrays.chunks[inside.chunks].tolist())
        self._written_units = written_units

    def sentences(self, nodes: Sequence[int]) -> list[Piece]:
        """Returns sentences (X) with their own text."""
        rows = np.searchsorted(self._arrays.sentences, np.asarray(nodes, dtype=np.int64))
        return sentence_pieces(self._store, self._arrays, rows)

    def texts(self, nodes: Sequence[int]) -> dict[int, list[Piece]]:
        """Returns the sentences of each chunk (T) in reading order."""
        # Ids ascend in reading order, so the sentences of a chunk are consecutive.
        rows = np.searchsorted(self._arrays.chunks, nodes)
        starts = np.searchsorted(self._arrays.chunk_of, rows, side="left")
        ends = np.searchsorted(self._arrays.chunk_of, rows, side="right")
        held = [self._arrays.sentences[start:end].tolist() for start, end in zip(starts, ends, strict=True)]
        pieces = iter(self.sentences([sentence for of_chunk in held for sentence in of_chunk]))
        return {node: list(islice(pieces, len(of_chunk))) for node, of_chunk in zip(nodes, held, strict=True)}

    def units(self, nodes: Sequence[int]) -> list[Piece]:
        """Returns semantic units (S) as the sentences that they cover, or in the model's words, placed at these sentences.

        Sentences that stand in several chunks are placed in the first of them.
        """
        parts = self._allowed_sentences(EdgeType.PART, nodes)
        whole = [node for node in nodes if node in parts]
        texts = self._graph.names(whole)
        said = dict(zip(self._written_units, self._graph.names([*self._written_units.values()]), strict=True))
        made = []
        for node, text in zip(whole, texts, strict=True):
            sentences = self._of_first_chunk(parts[node])
            place = _together(self._texts.passages(sentences))
            if node in said:
                piece = self._derived(node, NodeType.SEMANTIC_UNIT, said[node], sentences[0], place)
                # The text does not occur in the notes, so it is a source of its own. Negative numbers are never chunks.
                made.append(replace(piece, passage=-node))
                continue
            tokens = sum(int(self._arrays.tokens[self._row(sentence)]) for sentence in sentences)
            made.append(self._derived(node, NodeType.SEMANTIC_UNIT, text, sentences[0], place, tokens))
        return made

    def relationships(self, nodes: Sequence[int]) -> list[Piece]:
        """Returns relationships (R) as their statements, placed where the first one was read."""
        said = self._fragments.of_nodes(nodes)
        stated = self._allowed_sentences(EdgeType.STATED, nodes)
        made = []
        for node in nodes:
            texts = [spoken(text) for chunk, text in said[node] if self._chunks is None or chunk in self._chunks]
            statements = list(dict.fromkeys(texts))[:STATEMENTS_A_RELATIONSHIP]
            if statements and node in stated:
                sentence = stated[node][0]
                place = self._texts.passages([sentence])[0]
                piece = self._derived(node, NodeType.RELATIONSHIP, ". ".join(statements) + ".", sentence, place)
                made.append(replace(piece, within=sentence))
        return made

    def attributes(self, nodes: Sequence[int]) -> list[Piece]:
        """Returns attributes (A) under the name of their entity, placed where it is first named."""
        described = self._graph.targets_of((EdgeType.DESCRIBES,), nodes)
        under = {node: self._arrays.names.stands_for(entities[0]) for node, entities in described.items()}
        return self._summaries(nodes, NodeType.ATTRIBUTE, under, self._first_of(described))

    def elements(self, nodes: Sequence[int]) -> list[Piece]:
        """Returns high-level elements (H) under their titles, placed at their first unit, or at that of their community."""
        under = {node: title for title, node, _ in self._graph.edges_to(EdgeType.TITLE, nodes)}
        placed = self._first_of(self._matched(nodes))
        others = self._first_of(self._members([node for node in nodes if node not in placed]))
        return self._summaries(nodes, NodeType.HIGH_LEVEL_ELEMENT, under, others | placed)

    def profiles(self, nodes: Sequence[int]) -> list[Piece]:
        """Returns profiles (P) under their keys, placed at the first sentence that they may tell of."""
        drawn = self._graph.targets_of((EdgeType.DRAWN,), nodes)
        made = []
        for node, name in zip(nodes, self._graph.names(nodes), strict=True):
            profile = read_profile(name)
            if node in drawn:
                title = ", ".join(profile.keys)
                made.append(self._summary(node, NodeType.PROFILE, title, profile.text, drawn[node][0]))
        return made

    def community(self, node: int, title: str, text: str, sentence: int) -> Piece:
        """Returns the model's summary of an attributed community, placed at one of the sentences that it was made from."""
        return self._summary(node, NodeType.ATTRIBUTED_COMMUNITY, title, text, sentence)

    def _summaries(
        self, nodes: Sequence[int], kind: NodeType, under: Mapping[int, int], placed: Mapping[int, int]
    ) -> list[Piece]:
        """Returns the summaries that have a place.

        Args:
            nodes: the summaries.
            kind: their type.
            under: summary -> node whose name is its title.
            placed: summary -> sentence where it is placed.
        """
        names = dict(zip(under, self._graph.names(list(under.values())), strict=True))
        texts = zip(nodes, self._graph.names(nodes), strict=True)
        return [
            self._summary(node, kind, names.get(node, ""), text, placed[node]) for node, text in texts if node in placed
        ]

    def _matched(self, nodes: Sequence[int]) -> dict[int, list[int]]:
        """Returns for each element the units that it is matched with, and the entities of the attributes."""
        matched = self._graph.targets_of((EdgeType.MATCHED,), nodes)
        described = self._graph.targets_of((EdgeType.DESCRIBES,), {one for found in matched.values() for one in found})
        return {node: [end for one in found for end in described.get(one, [one])] for node, found in matched.items()}

    def _members(self, nodes: Sequence[int]) -> dict[int, list[int]]:
        """Returns for each element the members of its community."""
        community_of = {node: community for community, node, _ in self._graph.edges_to(EdgeType.ELEMENT, nodes)}
        members = self._graph.targets_of((EdgeType.MEMBER,), {*community_of.values()})
        return {node: members.get(community, []) for node, community in community_of.items()}

    def _summary(self, node: int, kind: NodeType, title: str, text: str, sentence: int) -> Piece:
        place = replace(self._texts.passages([sentence])[0], title=title, headings=())
        # The summary is a source of its own, since it does not occur in the notes. Negative numbers are never chunks.
        return replace(self._derived(node, kind, text, sentence, place), passage=-node)

    def _first_of(self, beside: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """Returns for each summary the first sentence of a unit beside it, or of a unit that names an entity beside it."""
        first = self._first_sentences({one for found in beside.values() for one in found})
        starts = {node: [first[one] for one in found if one in first] for node, found in beside.items()}
        return {node: min(found) for node, found in starts.items() if found}

    def _first_sentences(self, nodes: set[int]) -> dict[int, int]:
        """Returns for each node the first sentence of a semantic unit that is the node or names it."""
        units_of = {node: [node] for node in nodes}
        for unit, node, _ in self._graph.edges_to(EdgeType.NAMES, nodes):
            units_of[node].append(unit)
        parts = self._graph.targets_of((EdgeType.PART,), {unit for units in units_of.values() for unit in units})
        starts = {node: [parts[unit][0] for unit in units if unit in parts] for node, units in units_of.items()}
        return {node: min(found) for node, found in starts.items() if found}

    def _allowed_sentences(self, kind: EdgeType, nodes: Sequence[int]) -> dict[int, list[int]]:
        """Returns for each node the ascending ids of its sentences inside the scope; leaves out nodes without any."""
        found = self._graph.targets_of((kind,), nodes)
        if self._sentences is None:
            return found
        inside = {node: [one for one in sentences if one in self._sentences] for node, sentences in found.items()}
        return {node: sentences for node, sentences in inside.items() if sentences}

    def _of_first_chunk(self, sentences: Sequence[int]) -> list[int]:
        """Returns the sentences, of ascending ids, that are in the chunk of the first."""
        chunks = [int(self._arrays.chunk_of[self._row(sentence)]) for sentence in sentences]
        return [sentence for sentence, chunk in zip(sentences, chunks, strict=True) if chunk == chunks[0]]

    def _row(self, sentence: int) -> int:
        return int(np.searchsorted(self._arrays.sentences, sentence))

    def _derived(self, node: int, kind: NodeType, text: str, sentence: int, place: Source, tokens: int = 0) -> Piece:
        """Returns a piece with text that was made from sentences, the first of which is `sentence`."""
        row = self._row(sentence)
        arrays = self._arrays
        counted = tokens or roughly_estimated_tokens(text)
        return Piece(
            node, kind, int(arrays.chunk_of[row]), int(arrays.positions[row]), counted, text, replace(place, text=text)
        )


def _together(places: Sequence[Source]) -> Source:
    """Returns one place that spans the given places from the first to the last."""
    return replace(
        places[0],
        last_line=max(place.last_line for place in places),
        end_byte=max(place.end_byte for place in places),
        place=spanned(place.place for place in places),
    )


def summaries_inside(store: Store, arrays: GraphArrays, inside: Inside) -> NDArray[np.int64]:
    """Returns the ascending ids of the summaries made only from notes inside the scope.

    Summaries are attributes, high-level elements, profiles and written units.
    """
    within = derived_from_chunks(store, arrays.chunks[inside.chunks].tolist()).summaries
    without = derived_from_chunks(store, arrays.chunks[~inside.chunks].tolist()).summaries
    return np.array(sorted({*within} - {*without}), dtype=np.int64)
