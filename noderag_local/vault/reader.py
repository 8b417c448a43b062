"""Opens a vault for searching and loads what searches need."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from noderag_local.config import Settings
from noderag_local.domain.errors import NoderagError
from noderag_local.domain.graph import Layer, NodeType
from noderag_local.domain.passages import EVERYTHING, Retrieval, Scope
from noderag_local.storage.browsing.freshness import layers
from noderag_local.storage.database.fact_names import EMBEDDED_WITH
from noderag_local.storage.database.store import Store
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from noderag_local.aggregation.entries import Entries
    from noderag_local.aggregation.usual.usual_forms import Meanings
    from noderag_local.models.embedding.embedding_model import EmbeddingModel
    from noderag_local.models.embedding.opening import EncodeQuestions
    from noderag_local.models.llm.engine import Engine
    from noderag_local.retrieval.full_graph import FullGraph
    from noderag_local.retrieval.graph_arrays import GraphArrays
    from noderag_local.retrieval.matches import Match
    from noderag_local.retrieval.retriever import LayerKey, Retriever, SearchContext
    from noderag_local.retrieval.scope import Inside
    from noderag_local.retrieval.search_arrays import SearchArrays
    from noderag_local.storage.snapshots.word_index import Words
    from noderag_local.storage.vectors.vector_index import VectorIndex
    from noderag_local.vault.browsing.catalogue import EntityCatalogue
    from noderag_local.vault.browsing.instant_search import InstantSearch
    from noderag_local.vault.browsing.notes_within import NotesWithin
    from noderag_local.vault.browsing.themes import ListedTheme
    from noderag_local.vault.browsing.timeline import Timeline

FALLBACK_METHOD = "bm25"
"""Retrieval method that is used while there are no vectors."""


class Reader:
    """Store open for reading, with the data that searches need; each part is loaded when it is first used."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.count_tokens: Callable[[str], int] | None = None
        self.model: Callable[[], Engine] | None = None
        self._settings = settings
        self._stamp = store.stamp
        self._opened = time.monotonic()
        self._indexes: dict[NodeType, VectorIndex] = {}
        self._last_scope: tuple[tuple[Scope, bool], Inside] | None = None
        self._last_entries: tuple[Scope, Entries] | None = None
        self._last_notes: tuple[Scope, NotesWithin] | None = None
        self._method_layers: dict[LayerKey, object] = {}

    def close(self) -> None:
        """Closes the store and lets go of everything that was loaded; the files that it lies in are open until then."""
        self.store.close()
        loaded = [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]
        for name in loaded:
            del self.__dict__[name]
        self._indexes.clear()
        self._method_layers.clear()
        self._last_scope = self._last_entries = self._last_notes = None

    def is_stale(self) -> bool:
        """Whether the vault has changed since it was opened."""
        return not (self.store.is_in_place and self.store.is_current and self.fits_the_store())

    def fits_the_store(self) -> bool:
        """Whether the store's state is the one that the reader was opened with, and whose parts it has loaded."""
        return self.store.stamp == self._stamp

    def has_lost_caches(self) -> bool:
        """Whether a writer has overwritten caches that this reader reads, as forgetting does; results may then be wrong."""
        from noderag_local.storage.snapshots.cache_file import were_overwritten

        return were_overwritten(self.store.folder, self._opened)

    def retriever(self, method: str, scope: Scope = EVERYTHING, most_passages: int | None = None) -> Retriever:
        """Returns the retrieval method of that name; "" means the method in the settings, or the fallback without vectors.

        Args:
            method: name of a retrieval method, or "".
            scope: documents outside the scope are never in the contexts.
            most_passages: number of passages that a context may have; None for no limit.

        Raises:
            SettingsError, LayerMissing: as `retrieval.retriever.retriever`.
            NotFound, SettingsError: as `retrieval.scope.inside`.
        """
        from noderag_local.retrieval.retriever import is_whole, retriever

        chosen = method or (self._settings.method if Layer.VECTORS in self._layers else FALLBACK_METHOD)
        search_context = self._search_context(scope, is_whole=is_whole(chosen))
        return retriever(chosen, replace(search_context, most_passages=most_passages), self._layers)

    def led_by(self, sentences: Sequence[int], found: Retrieval, scope: Scope) -> Retrieval:
        """Packs a retrieval again with some sentences first; see `retrieval.packing.results.led_by`."""
        from noderag_local.retrieval.packing.results import led_by

        return led_by(sentences, found, self._search_context(scope)) if Layer.VECTORS in self._layers else found

    def embeddings(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of texts, (n, dim) float32; see `Vault.embeddings`."""
        return self._encode_all(list(texts))

    @cached_property
    def meanings(self) -> Meanings:
        """The models that tell questions apart; unlike `embeddings`, they do not depend on the model of the vault's vectors."""
        from noderag_local.aggregation.usual.examples import MULTILINGUAL_NAME
        from noderag_local.aggregation.usual.usual_forms import Meanings
        from noderag_local.models.embedding.embedding_model import builtin_model, multilingual_model

        other = multilingual_model(absolute(self._settings.models_dir))
        encode = self._opened_later(other) if other is not None and other.name == MULTILINGUAL_NAME else None
        return Meanings(self._opened_later(builtin_model()), encode)

    def _opened_later(self, model: EmbeddingModel) -> EncodeQuestions:
        """Returns a function that embeds questions, and opens its model when it is first called."""

        @cache
        def encoder() -> EncodeQuestions:
            from noderag_local.models.embedding.opening import question_encoder

            return self._encode_all if self._is_of_vault(model) else question_encoder(model, self._settings)

        return lambda questions: encoder()(questions)

    def _is_of_vault(self, model: EmbeddingModel) -> bool:
        try:
            return self._embedding_model == model
        except NoderagError:
            # A question is understood also where the model of the vault is missing, and only words are searched.
            return False

    def matches(self, question: str) -> list[Match]:
        """Returns the files that match a question; see `retrieval.matches.matching_files`."""
        from noderag_local.retrieval.matches import matching_files

        return matching_files(self._search_context(EVERYTHING), question, by_vectors=Layer.VECTORS in self._layers)

    def _search_context(self, scope: Scope, *, is_whole: bool = False) -> SearchContext:
        from noderag_local.retrieval.retriever import SearchContext

        return SearchContext(
            self.store,
            lambda: self.graph_arrays,
            lambda: self.search_arrays,
            lambda: self._full_graph,
            self._index,
            lambda texts: self._encode_all(texts),
            self.count_tokens,
            None if scope.is_everything else self._inside(scope, is_whole),
            self._method_layers,
            self.model,
            lambda question: self._embedding_model.can_read(question),
            lambda question: self._embedding_model.knows_language(question),
            is_whole=is_whole,
        )

    def _inside(self, scope: Scope, is_whole: bool) -> Inside:
        from noderag_local.retrieval.scope import inside

        # Cached, because users ask several questions within one scope.
        if self._last_scope is None or self._last_scope[0] != (scope, is_whole):
            arrays = self.graph_arrays if is_whole else self.search_arrays
            self._last_scope = (scope, is_whole), inside(self.store, arrays, scope)
        return self._last_scope[1]

    def _index(self, kind: NodeType) -> VectorIndex:
        from noderag_local.storage.vectors.vector_index import VectorIndex

        if kind not in self._indexes:
            self._indexes[kind] = VectorIndex.open(self.store, kind)
        return self._indexes[kind]

    @cached_property
    def _layers(self) -> tuple[Layer, ...]:
        return layers(self.store)

    @cached_property
    def search_arrays(self) -> SearchArrays:
        """The arrays that the default method searches."""
        from noderag_local.retrieval.search_arrays import read_search_arrays

        kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
        return read_search_arrays(self.store, *(self._index(kind) for kind in kinds))

    @cached_property
    def graph_arrays(self) -> GraphArrays:
        """The whole graph as arrays."""
        from noderag_local.retrieval.graph_arrays import read_graph_arrays

        kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
        sentences, chunks, relationships = (self._index(kind) for kind in kinds)
        return read_graph_arrays(self.store, sentences, chunks, relationships)

    @cached_property
    def words(self) -> Words:
        """The sentences of each word."""
        from noderag_local.storage.snapshots.snapshot import Snapshot

        return self.search_arrays.words if Layer.VECTORS in self._layers else Snapshot.open(self.store).words

    @cached_property
    def entries(self) -> Entries:
        """The sentences that answers are computed from."""
        from noderag_local.aggregation.entries import Entries

        return Entries(self.store, self.words)

    def entries_within(self, scope: Scope) -> Entries:
        """Returns the sentences of a scope that answers are computed from; raises the same errors as `retriever`."""
        if scope.is_everything:
            return self.entries
        # Cached, because users ask several questions within one scope.
        if self._last_entries is None or self._last_entries[0] != scope:
            from noderag_local.aggregation.entries import Entries
            from noderag_local.retrieval.scope import documents_within

            ids, chosen = documents_within(self.store, scope)
            inside = frozenset(ids[chosen].tolist())
            self._last_entries = scope, Entries(self.store, self.words, inside.__contains__)
        return self._last_entries[1]

    def notes_within(self, scope: Scope) -> NotesWithin:
        """Returns the documents, sentences and entities of a scope; raises the same errors as `retriever`."""
        # Cached, because a server asks within one scope only.
        if self._last_notes is None or self._last_notes[0] != scope:
            from noderag_local.vault.browsing.notes_within import read_notes_within

            self._last_notes = scope, read_notes_within(self.store, scope)
        return self._last_notes[1]

    @cached_property
    def entities(self) -> EntityCatalogue:
        """Every entity, heaviest first."""
        from noderag_local.vault.browsing.catalogue import read_catalogue

        return read_catalogue(self.store)

    @cached_property
    def instant_search(self) -> InstantSearch:
        """The search for names and words, as a person types."""
        from noderag_local.vault.browsing.instant_search import DocumentCatalogue, InstantSearch

        return InstantSearch(self.store, self.entities, DocumentCatalogue(self.store))

    @cached_property
    def themes(self) -> tuple[ListedTheme, ...]:
        """Every community, largest first."""
        from noderag_local.vault.browsing.themes import read_themes

        return read_themes(self.store, self.entities)

    @cached_property
    def timeline(self) -> Timeline:
        """Every dated sentence."""
        from noderag_local.vault.browsing.timeline import read_timeline

        return read_timeline(self.store)

    @cached_property
    def _full_graph(self) -> FullGraph:
        from noderag_local.retrieval.full_graph import read_full_graph

        return read_full_graph(self.store, self.graph_arrays.entities)

    @cached_property
    def _embedding_model(self) -> EmbeddingModel:
        """The embedding model that made the vault's vectors, whatever the settings say."""
        from noderag_local.models.embedding.embedding_model import embedding_model

        return embedding_model(self.store.facts.get(EMBEDDED_WITH, ""), absolute(self._settings.models_dir))

    @cached_property
    def _encode_all(self) -> EncodeQuestions:
        from noderag_local.models.embedding.opening import question_encoder

        return question_encoder(self._embedding_model, self._settings)
