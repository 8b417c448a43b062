"""The documents, sentences and entities of a scope, for browsing that shows nothing outside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Scope
from noderag_local.retrieval.scope import documents_within
from noderag_local.storage.browsing.scope_rows import ScopeRows
from noderag_local.storage.database.store import Store
from noderag_local.vault.browsing.catalogue import EntityCatalogue, read_catalogue, read_catalogue_within


@dataclass
class NotesWithin:
    """What lies in a scope, in one state of a vault."""

    store: Store
    scope: Scope
    documents: frozenset[int]
    """Ids of the documents."""
    sentence_ids: NDArray[np.int64]
    """Ids of their sentences, (n,) int64, ascending."""

    @cached_property
    def sentences(self) -> frozenset[int]:
        """The same ids, to look them up."""
        return frozenset(self.sentence_ids.tolist())

    @cached_property
    def entities(self) -> EntityCatalogue:
        """The entities that the sentences name."""
        if self.scope.is_everything:
            return read_catalogue(self.store)
        return read_catalogue_within(self.store, self.sentence_ids)


def read_notes_within(store: Store, scope: Scope) -> NotesWithin:
    """Returns what lies in a scope; raises the errors of `documents_within`.

    The sentences are looked up by their documents, and not by their order, so that no other rule decides what is shown.
    """
    with store.steady():
        ids, chosen = documents_within(store, scope)
        documents = frozenset(ids[chosen].tolist())
        return NotesWithin(store, scope, documents, ScopeRows(store).sentences_of(sorted(documents)))
