"""LightRAG.

Paper        Guo et al. 2024, section 3.2, dual-level retrieval: keywords of the question that name things find entities,
             keywords of its theme find relationships; either brings its neighbours one hop away, and the texts that they
             come from. `light-local` takes the first way, `light-global` the second, `light-hybrid` both in turn,
             `light-mix` the nearest chunks besides, as the authors' code does.
Needs        text, graph, vectors. Relationships of the language model as far as it has read; where it has not, a
             sentence that names two entities is one. Attributes describe their entities; elsewhere a sentence does.
Deviations   - The question's keywords come from a rule, not from a call: its names, and its other content words.
             - What an entity is searched by: search/key_values.py. One that the question names comes first, as its name
               is a part of its key.
             - Relationships of an entity are taken by their cosine with the question; the authors' code takes those of the
               entities with most relationships, which has hubs fill the context.
             - Where no entity and no relationship is found, the nearest chunks are the context; theirs is empty then.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.top import top_rows
from noderag_local.records import EdgeType, Layer, Retrieval
from noderag_local.search.found import packed_retrieval
from noderag_local.search.graph_pieces import GraphPieces
from noderag_local.search.key_values import KeyValues, key_values
from noderag_local.search.pack import Piece
from noderag_local.search.question import capitalised_runs
from noderag_local.search.retriever import Grounds
from noderag_local.search.seeds import entity_seeds
from noderag_local.search.shares import Ranked, in_shares
from noderag_local.store.graph import GraphRows
from noderag_local.words import keywords

MOST = 40
"""Entities or relationships that are found by their keys; as many of the others come with them (their code, top_k)."""
SHARES = (0.2, 0.27, 0.53)
"""Of the budget for entities, relationships and texts (their code, 6,000 and 8,000 of 30,000 tokens)."""
CHUNK_TOKENS = 60
"""Chunks are seldom shorter: how many of them a budget can hold."""


@dataclass(frozen=True, slots=True)
class _Level:
    """What one level of retrieval found, best first."""

    entities: list[int]
    """Rows of the landscape."""
    relationships: list[int]
    """Rows of the key values."""


class _Light:
    """What the four have in common."""

    name = ""
    layers = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)
    draws_on = ("decompose", "attributes")
    with_local = with_global = True
    with_chunks = False

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds
        self._landscape = grounds.landscape()
        self._stores: KeyValues = grounds.layer(key_values)

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        vector = self._grounds.encode(question)
        closeness = np.asarray(self._stores.vectors @ vector, dtype=np.float32)
        levels = []
        if self.with_local:
            levels.append(self._local(question, closeness))
        if self.with_global:
            levels.append(self._global(question))
        found = _Level(
            _in_turn([level.entities for level in levels]), _in_turn([level.relationships for level in levels])
        )
        pieces = in_shares(zip(SHARES, self._evidence(found, vector, budget_tokens), strict=True), budget_tokens)
        scores = {id(piece): 1 - place / len(pieces) for place, piece in enumerate(pieces)}

        def told(piece: Piece) -> tuple[float, tuple[tuple[str, float], ...]]:
            return scores[id(piece)], (("place", scores[id(piece)]),)

        names = GraphRows(self._grounds.store).names(self._landscape.entities[found.entities[:12]].tolist())
        seeds = tuple((name, 1.0) for name in names)
        return packed_retrieval(self.name, question, budget_tokens, self._grounds, pieces, told, seeds, started)

    def _local(self, question: str, closeness: NDArray[np.float32]) -> _Level:
        """Entities by the names in the question, and their relationships."""
        names = ", ".join(" ".join(run) for run in capitalised_runs(question)) or question
        cosines = np.asarray(self._landscape.entity_vectors @ self._grounds.encode(names), dtype=np.float32)
        for row in entity_seeds(question, self._grounds.store, self._landscape):
            cosines[row] += 1
        inside = self._grounds.inside
        entities = top_rows(cosines if inside is None else np.where(inside.entities, cosines, -np.inf), MOST)
        near = np.unique(self._stores.relationships_of[entities].indices)
        best = near[np.lexsort((near, -closeness[near]))]
        kept = best[self._told_relationships()[best]]
        return _Level(entities.tolist(), kept[:MOST].tolist())

    def _global(self, question: str) -> _Level:
        """Relationships by the theme of the question, and their ends, those with most of them first."""
        named = {word for run in capitalised_runs(question) for word in keywords(" ".join(run))}
        theme = ", ".join(word for word in keywords(question) if word not in named) or question
        cosines = np.asarray(self._stores.vectors @ self._grounds.encode(theme), dtype=np.float32)
        rows = top_rows(np.where(self._told_relationships(), cosines, -np.inf).astype(np.float32), MOST)
        counts = np.asarray(self._stores.ends[rows].sum(axis=0)).ravel()
        if self._grounds.inside is not None:
            counts = counts * self._grounds.inside.entities
        ends = np.flatnonzero(counts > 0)
        order = np.lexsort((ends, -self._stores.degrees()[ends], -counts[ends]))
        return _Level(ends[order][:MOST].tolist(), rows.tolist())

    def _told_relationships(self) -> NDArray[np.bool_]:
        """(r,) those that the scope lets be told."""
        inside, rows = self._grounds.inside, self._stores.sentence_rows
        told = np.ones(len(rows), dtype=bool)
        if inside is not None:
            of_model = rows < 0
            told[~of_model] = inside.sentences[rows[~of_model]]
            told[of_model] = np.asarray(self._landscape.stated.T @ inside.sentences.astype(np.float32)) > 0
        return told

    def _evidence(
        self, found: _Level, vector: NDArray[np.float32], budget_tokens: int
    ) -> tuple[list[Ranked], list[Ranked], list[Ranked]]:
        """Pieces of entities, of relationships, and of texts, each best first."""
        pieces_of = GraphPieces(self._grounds.store, self._landscape, self._grounds.inside)
        of_entities = self._described(found.entities, pieces_of)
        of_relationships = self._stated(found.relationships, pieces_of)
        chunks = self._chunks(found, vector, 10 + budget_tokens // CHUNK_TOKENS)
        texts = pieces_of.texts(self._landscape.chunks[chunks].tolist())
        of_texts: list[Ranked] = [(0.0, texts[node]) for node in self._landscape.chunks[chunks].tolist() if texts[node]]
        return of_entities, of_relationships, of_texts

    def _described(self, entities: Sequence[int], pieces_of: GraphPieces) -> list[Ranked]:
        """Each entity's attribute; where it has none, the sentence that is nearest to all that is said about it."""
        nodes = self._landscape.entities[list(entities)].tolist()
        about = {target: source for source, target, _ in self._attributes(nodes)}
        written = {piece.node: piece for piece in pieces_of.attributes(sorted(about.values()))}
        said = self._sentences_of(entities)
        sentences = self._landscape.sentences[sorted({*said.values()})].tolist()
        plain = dict(zip(sorted({*said.values()}), pieces_of.sentences(sentences), strict=True))
        found = [
            written.get(about.get(node, -1)) or plain.get(said.get(row, -1))
            for row, node in zip(entities, nodes, strict=True)
        ]
        return [(0.0, (piece,)) for piece in found if piece is not None]

    def _attributes(self, nodes: Sequence[int]) -> list[tuple[int, int, float]]:
        """(attribute, entity, weight), of those that the scope lets be told."""
        if self._grounds.inside is not None:
            # A summary may say what stands outside.
            return []
        return GraphRows(self._grounds.store).edges_to(EdgeType.DESCRIBES, nodes)

    def _sentences_of(self, entities: Sequence[int]) -> dict[int, int]:
        """Row of an entity -> row of the sentence nearest to its own vector, of those that the scope lets be told."""
        near = self._stores.closeness[list(entities)]
        if self._grounds.inside is not None:
            near = near.multiply(self._grounds.inside.sentences.astype(np.float32)).tocsr()
        best, is_told = np.asarray(near.argmax(axis=1)).ravel(), near.max(axis=1).toarray().ravel() > 0
        return {row: int(best[at]) for at, row in enumerate(entities) if is_told[at]}

    def _stated(self, relationships: Sequence[int], pieces_of: GraphPieces) -> list[Ranked]:
        nodes = self._stores.relationships[list(relationships)].tolist()
        is_sentence = self._stores.sentence_rows[list(relationships)] >= 0
        sentences = [node for node, plain in zip(nodes, is_sentence, strict=True) if plain]
        others = [node for node, plain in zip(nodes, is_sentence, strict=True) if not plain]
        pieces = {piece.node: piece for piece in (*pieces_of.sentences(sentences), *pieces_of.relationships(others))}
        return [(0.0, (pieces[node],)) for node in nodes if node in pieces]

    def _chunks(self, found: _Level, vector: NDArray[np.float32], most: int) -> list[int]:
        """Rows of chunks: those with most of the relationships and entities found, in turn with the nearest for `mix`."""
        land = self._landscape
        counts = np.zeros(len(land.chunks), dtype=np.float32)
        rows = self._stores.sentence_rows[found.relationships]
        said = [rows[rows >= 0]]
        for number in np.asarray(found.relationships, dtype=np.int64)[rows < 0] - np.count_nonzero(
            self._stores.sentence_rows >= 0
        ):
            said.append(land.stated[:, int(number)].nonzero()[0])
        for part in said:
            np.add.at(counts, land.chunk_of[part], 1.0)
        named = np.unique(land.sentences_of[found.entities].indices)
        held = np.zeros(len(land.chunks), dtype=bool)
        held[land.chunk_of[named]] = True
        cosines = np.asarray(land.chunk_vectors @ vector, dtype=np.float32)
        known = held | (counts > 0)
        if not known.any():
            known[:] = True
        scores = np.where(known, counts + cosines, -np.inf).astype(np.float32)
        if self._grounds.inside is not None:
            scores = np.where(self._grounds.inside.chunks, scores, -np.inf).astype(np.float32)
            cosines = np.where(self._grounds.inside.chunks, cosines, -np.inf).astype(np.float32)
        ranked = top_rows(scores, most).tolist()
        return _in_turn([ranked, top_rows(cosines, most).tolist()])[:most] if self.with_chunks else ranked


class LightLocal(_Light):
    """See the head of this module."""

    name = "light-local"
    with_global = False


class LightGlobal(_Light):
    """See the head of this module."""

    name = "light-global"
    with_local = False


class LightHybrid(_Light):
    """See the head of this module."""

    name = "light-hybrid"


class LightMix(_Light):
    """See the head of this module."""

    name = "light-mix"
    with_chunks = True


def _in_turn(lists: Iterable[Sequence[int]]) -> list[int]:
    """The first of each, then the second …, each item once."""
    mixed = (item for row in zip_longest(*lists) for item in row if item is not None)
    return list(dict.fromkeys(mixed))
