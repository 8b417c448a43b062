"""Keeps the caches of a vault up with its rows: at the end of a run they are made anew, or the changes are left to the log."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.graph.vectors.insertion_order import insertion_order
from noderag_local.retrieval.search_arrays import are_saved, save_search_arrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.snapshots.cache_file import overwritten_caches, remove_caches_of_other_states
from noderag_local.storage.snapshots.change_log import ChangeLog, end_log, logged_from
from noderag_local.storage.snapshots.snapshot import Snapshot, is_saved, origin
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vector_file import FILES, is_mapped, save_mapped
from noderag_local.storage.vectors.vector_index import SEARCH_EXACT_UP_TO, VectorIndex, is_indexed, save_hnsw

PREPARING = "preparing"
"""Name of the stage in which caches are made, in progress."""

HNSW_SHARE, SNAPSHOT_SHARE, VECTORS_SHARE = 0.1, 0.75, 0.15
"""Shares of the time that the HNSW index, the snapshot, and the vectors with the arrays of searches take."""

TOLD_FROM = 2_000
"""Sentences of a vault from which on the work is told of; with fewer it takes a moment."""

Advanced = Callable[[int, int], None]


class Caches:
    """The caches during one writing run."""

    def __init__(self, store: Store) -> None:
        """Begins to note what the run changes; must be called before it writes anything."""
        self._store = store
        self._log = ChangeLog(store)
        self._log.follow(caches_fit(store, store.stamp))

    def bring_up(self, advanced: Advanced, hnsw: Hnsw | None) -> None:
        """Ends the run, after which the caches, with the log, tell the vault's present state.

        Args:
            advanced: called with how far the work is, as a number of sentences, and the number of all.
            hnsw: index of the present vectors of all sentences, if the run has one; afterwards it is a view of its file.
        """
        since = logged_from(self._store)
        is_followed = since is not None and self._log.is_worth_keeping and caches_fit(self._store, since)
        if not is_followed and not caches_fit(self._store, self._store.stamp):
            with self._store.transaction():
                self._make(advanced, hnsw)
                self._log.begin()
        self._log.stop()

    def _make(self, advanced: Advanced, hnsw: Hnsw | None) -> None:
        sentences = TextRows(self._store).count_sentences()
        parts = _Parts(advanced if sentences > TOLD_FROM else lambda done, total: None, sentences)
        in_hnsw = None
        if sentences > SEARCH_EXACT_UP_TO:
            # First, because it then lies in its file and no longer in memory.
            in_hnsw = self._save_hnsw(parts.part(HNSW_SHARE), hnsw)
        snapshot = Snapshot.open(self._store, parts.part(SNAPSHOT_SHARE))
        if snapshot.changes is not None:
            snapshot.save(self._store)
        self._save_vectors(in_hnsw, parts.part(VECTORS_SHARE))
        parts.end()

    def forget(self) -> None:
        """Ends a run that has forgotten texts, after which no cache has anything of them.

        The log would be enough for searches, but the old caches still have the words and vectors of what is gone. So they are
        written anew, from their own arrays and the rows that changed, and the old files are overwritten. Where no log is kept,
        or a long one, they are removed. The HNSW index is always removed: usearch keeps removed vectors in its file. The next run that
        writes makes it again; until then, searches compare all vectors.
        """
        with overwritten_caches(self._store.folder), self._store.transaction():
            snapshot = Snapshot.saved(self._store)
            if snapshot is not None:
                snapshot.save(self._store)
                self._save_vectors(None, lambda done, total: None)
                self._log.begin()
            else:
                # A search may be writing a cache of the state that the log began at. It must not be taken.
                end_log(self._store)
        self._log.stop()

    def stop(self) -> None:
        """Ends a run and leaves the caches as they are; the log tells what the run did."""
        self._log.stop()

    def _save_vectors(self, in_hnsw: NDArray[np.float16] | None, advanced: Advanced) -> None:
        """Writes the files of the vectors and of the arrays of searches.

        Args:
            in_hnsw: vectors in the file of the HNSW index of the sentences; None if there is no such file.
            advanced: called with the number of the steps that are done, and of all.
        """
        store, steps = self._store, 2 * len(FILES) + 2
        for step, kind in enumerate(FILES):
            index = VectorIndex.open(store, kind)
            advanced(2 * step + 1, steps)
            save_mapped(store, kind, index.ids, index.vectors, in_hnsw if kind is NodeType.SENTENCE else None)
            advanced(2 * step + 2, steps)
        # Opened again, since what their files hold needs no memory.
        kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
        sentences, chunks, relationships = (VectorIndex.open(store, kind) for kind in kinds)
        save_search_arrays(store, sentences, chunks, relationships, lambda: advanced(steps - 1, steps))

    def _save_hnsw(self, advanced: Advanced, hnsw: Hnsw | None) -> NDArray[np.float16]:
        """Writes the index of the present vectors of the sentences; returns the vectors in its file."""
        if hnsw is None:
            held = SentenceVectors()
            held.read_index(self._store, advanced)
            hnsw = held.hnsw or _hnsw_of(VectorIndex.open(self._store, NodeType.SENTENCE), advanced)
        return save_hnsw(self._store, hnsw, advanced)


class _Parts:
    """Tells how far some work is, as a number of sentences."""

    def __init__(self, advanced: Advanced, sentences: int) -> None:
        self._advanced, self._sentences = advanced, sentences
        self._begun = 0.0

    def part(self, share: float) -> Advanced:
        """Begins the next part, which is a share of the work; returns what to call with how much of it is done, and its total."""
        before, self._begun = self._begun, self._begun + share

        def told(done: int, total: int) -> None:
            self._advanced(int(self._sentences * (before + share * done / max(total, 1))), self._sentences)

        told(0, 1)
        return told

    def end(self) -> None:
        """Tells that all is done."""
        self._advanced(self._sentences, self._sentences)


def remove_outdated(store: Store) -> None:
    """Removes the caches that are neither of the vault's present state nor of the one that the log begins at.

    Caches of communities (`*.links`), which name no state of the vault, are removed, too.
    """
    stamps = (store.stamp, logged_from(store))
    remove_caches_of_other_states(store.folder, [origin(stamp) for stamp in stamps if stamp])


def caches_fit(store: Store, stamp: str) -> bool:
    """Returns whether all caches are of the state with this stamp, without a look at their content."""
    return (
        is_saved(store, stamp)
        and are_saved(store, stamp)
        and all(is_mapped(store, kind, stamp) for kind in FILES)
        and (TextRows(store).count_sentences() <= SEARCH_EXACT_UP_TO or is_indexed(store, stamp))
    )


def _hnsw_of(sentences: VectorIndex, advanced: Advanced) -> Hnsw:
    """Makes the index of a vault whose sentences were connected before there was one."""
    vectors = sentences.vectors
    made, order = Hnsw(vectors.shape[1]), insertion_order(vectors)
    for done in made.add(np.asarray(sentences.ids)[order], vectors[order]):
        advanced(done, len(vectors))
    return made
