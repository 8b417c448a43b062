"""Turns entities, relationships and texts into pieces of a context, for methods that search by keys and values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, GraphPart
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.graph_evidence.graph_pieces import GraphPieces, summaries_inside
from noderag_local.papers.graph_evidence.key_values import KeyValues, key_values, profiled_key_values
from noderag_local.retrieval.default.seeds import entity_seeds
from noderag_local.retrieval.packing.budget_shares import Ranked
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.profile_rows import ProfileRows
from noderag_local.text.capitals import capitalised_runs

CHUNK_TOKENS = 60
"""Most chunks have at least this many tokens; limits how many are collected for a budget."""


class KeyValueEvidence:
    """The evidence of a vault that the scope of a question allows."""

    def __init__(self, search_context: SearchContext, *, with_profiles: bool = False) -> None:
        """Takes what is searched; `with_profiles` searches the model's profiles, and shows them, where there are any."""
        self.graph_arrays = search_context.graph_arrays()
        self.stores: KeyValues = search_context.layer(profiled_key_values if with_profiles else key_values)
        self._with_profiles = with_profiles
        self.pieces = GraphPieces(search_context.store, self.graph_arrays, search_context.inside)
        self._search_context = search_context

    def entities(self, question: str, most: int, vector: NDArray[np.float32]) -> list[int]:
        """Returns the rows of the entities with the nearest keys; those that the question names come first.

        Args:
            question: as it was asked.
            most: maximum number of entities.
            vector: (dim,) vector of the names to search for.
        """
        cosines = np.asarray(self.stores.entity_vectors @ vector, dtype=np.float32)
        for row in entity_seeds(question, self._search_context.store, self.graph_arrays):
            cosines[row] += 1
        inside = self._search_context.inside
        known = self.graph_arrays.is_named if inside is None else self.graph_arrays.is_named & inside.entities
        allowed = np.where(known, cosines, np.float32(-np.inf))
        return [int(row) for row in top_rows(allowed, most) if known[row]]

    def allowed_relationships(self) -> NDArray[np.bool_]:
        """Returns which relationships, (r,), the scope allows."""
        inside, rows = self._search_context.inside, self.stores.sentence_rows
        allowed = np.ones(len(rows), dtype=bool)
        if inside is not None:
            of_model = rows < 0
            allowed[~of_model] = inside.sentences[rows[~of_model]]
            allowed[of_model] = np.asarray(self.graph_arrays.stated.T @ inside.sentences.astype(np.float32)) > 0
        return allowed

    def described(self, entities: Sequence[int]) -> list[Ranked]:
        """Returns each entity's profile or attribute or, without them, the sentence nearest to the mean of all about it."""
        nodes = self.graph_arrays.entities[list(entities)].tolist()
        profiles = self._profiles(nodes)
        about = self._attributes([node for node in nodes if node not in profiles])
        made = (*self.pieces.attributes(sorted(about.values())), *self.pieces.profiles(sorted(profiles.values())))
        written = {piece.node: piece for piece in made}
        about |= profiles
        said = self._sentences_of(entities)
        rows = sorted({*said.values()})
        plain = dict(zip(rows, self.pieces.sentences(self.graph_arrays.sentences[rows].tolist()), strict=True))
        found = [
            written.get(about.get(node, -1)) or plain.get(said.get(row, -1))
            for row, node in zip(entities, nodes, strict=True)
        ]
        return [(0.0, (piece,)) for piece in found if piece is not None]

    def stated(self, relationships: Sequence[int]) -> list[Ranked]:
        """Returns relationships, by rows of the key values: as their sentence or, of the model, as profile or statements."""
        nodes = self.stores.relationships[list(relationships)].tolist()
        is_sentence = self.stores.sentence_rows[list(relationships)] >= 0
        sentences = [node for node, plain in zip(nodes, is_sentence, strict=True) if plain]
        others = [node for node, plain in zip(nodes, is_sentence, strict=True) if not plain]
        profiles = self._profiles(others)
        plain = [node for node in others if node not in profiles]
        made = (*self.pieces.sentences(sentences), *self.pieces.relationships(plain))
        of_profile = {piece.node: piece for piece in self.pieces.profiles(sorted(profiles.values()))}
        pieces = {piece.node: piece for piece in made}
        pieces |= {node: of_profile[one] for node, one in profiles.items() if one in of_profile}
        return [(0.0, (pieces[node],)) for node in nodes if node in pieces]

    def chunks(self, entities: Sequence[int], relationships: Sequence[int], cosines: NDArray[np.float32]) -> list[int]:
        """Returns the rows of the chunks that these come from, those with most of the relationships first, then by cosine.

        If there are no relationships, all chunks are ordered by cosine.

        Args:
            entities: rows of the graph arrays.
            relationships: rows of the key values.
            cosines: (c,) cosine of each chunk with the question; -inf outside the scope.
        """
        counts = np.zeros(len(cosines), dtype=np.float32)
        np.add.at(counts, self.graph_arrays.chunk_of[self._stating(relationships)], 1.0)
        known = counts > 0
        known[self.graph_arrays.chunk_of[distinct(self.graph_arrays.sentences_of[list(entities)].indices)]] = True
        if not np.isfinite(cosines[known]).any():
            known[:] = True
        scores = np.where(known, counts + cosines, -np.inf).astype(np.float32)
        return list(map(int, top_rows(scores, len(cosines))))

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns the cosine of each chunk with a vector, (c,); -inf outside the scope."""
        cosines = np.asarray(self.graph_arrays.chunk_vectors @ vector, dtype=np.float32)
        inside = self._search_context.inside
        return cosines if inside is None else np.where(inside.chunks, cosines, -np.inf).astype(np.float32)

    def texts(self, chunks: Sequence[int], budget_tokens: int) -> list[Ranked]:
        """Returns as many of the chunks, given by rows, as a budget can hold."""
        nodes = self.graph_arrays.chunks[list(chunks)[: 10 + budget_tokens // CHUNK_TOKENS]].tolist()
        texts = self.pieces.texts(nodes)
        return [(0.0, texts[node]) for node in nodes if texts[node]]

    def allowed_summaries(self, nodes: Sequence[int]) -> list[int]:
        """Returns the attributes, high-level elements and profiles that scope and searched graph allow, in their order."""
        inside = self._search_context.inside
        if self._search_context.evidence is GraphPart.RULES:
            return []
        if inside is None or not nodes:
            return list(nodes)
        allowed = summaries_inside(self._search_context.store, self.graph_arrays, inside)
        return [node for node, is_allowed in zip(nodes, np.isin(nodes, allowed), strict=True) if is_allowed]

    def _attributes(self, nodes: Sequence[int]) -> dict[int, int]:
        """Returns the attribute of each entity that has one inside the scope."""
        edges = GraphRows(self._search_context.store).edges_to(EdgeType.DESCRIBES, nodes)
        allowed = set(self.allowed_summaries([attribute for attribute, _, _ in edges]))
        return {entity: attribute for attribute, entity, _ in edges if attribute in allowed}

    def _profiles(self, nodes: Sequence[int]) -> dict[int, int]:
        """Returns the profile of each entity or relationship that has one inside the scope; none if they are not used."""
        found = ProfileRows(self._search_context.store).of(nodes) if self._with_profiles else {}
        allowed = set(self.allowed_summaries(sorted(found.values())))
        return {node: profile for node, profile in found.items() if profile in allowed}

    def _sentences_of(self, entities: Sequence[int]) -> dict[int, int]:
        """Returns for each entity's row the row of the sentence nearest to its vector, among those inside the scope."""
        near = self.stores.closeness[list(entities)]
        if self._search_context.inside is not None:
            near = near.multiply(self._search_context.inside.sentences.astype(np.float32)).tocsr()
        if not near.nnz:
            return {}
        best, is_told = np.asarray(near.argmax(axis=1)).ravel(), near.max(axis=1).toarray().ravel() > 0
        return {row: int(best[at]) for at, row in enumerate(entities) if is_told[at]}

    def _stating(self, relationships: Sequence[int]) -> NDArray[np.int64]:
        """Returns the rows of the sentences that state relationships, one entry for each statement."""
        rows = self.stores.sentence_rows[list(relationships)]
        plain = np.count_nonzero(self.stores.sentence_rows >= 0)
        of_model = np.asarray(relationships, dtype=np.int64)[rows < 0] - plain
        return np.concatenate([rows[rows >= 0], self.graph_arrays.stated[:, of_model].nonzero()[0]])


def names_in(question: str) -> str:
    """Returns the names in a question, joined by commas; the question itself if it has none."""
    return ", ".join(" ".join(run) for run in capitalised_runs(question)) or question
