"""Lists names that are merged into one entity, and stores the user's decisions about them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.storage.database.store import Store
    from noderag_local.vault.browsing.same_names import ApartPair, MergedName, OfferedPair
    from noderag_local.vault.reader import Reader


class VaultNames:
    """Merged names and decisions about names; see `Vault.names`. Every decision can be undone without loss."""

    def __init__(self, read: Callable[[], Reader], writing: Callable[[], AbstractContextManager[Store]]) -> None:
        """Takes functions that open the vault.

        Args:
            read: returns the vault's reader and reopens it after a change of the vault.
            writing: opens the vault's store for writing.
        """
        self._read, self._writing = read, writing

    def offered(self) -> tuple[OfferedPair, ...]:
        """Compares all names and returns undecided pairs that may mean the same, the likeliest first.

        Raises:
            VaultMissing: nothing was indexed yet.
        """
        from noderag_local.vault.browsing.same_names import offered_pairs

        reader = self._read()
        return offered_pairs(reader.store, reader.graph_arrays)

    def merged(self) -> tuple[MergedName, ...]:
        """Returns the merged entities, ordered by name; errors as for `offered`."""
        from noderag_local.vault.browsing.same_names import merged_list

        return merged_list(self._read().store)

    def apart(self) -> tuple[ApartPair, ...]:
        """Returns pairs of names that the user keeps apart; errors as for `offered`."""
        from noderag_local.vault.browsing.same_names import apart_list

        return apart_list(self._read().store)

    def sentences(self, node: int) -> tuple[Source, ...]:
        """Returns the first sentences that mention an entity; errors as for `offered`."""
        from noderag_local.vault.browsing.same_names import sentences_of

        return sentences_of(self._read().store, node)

    def entity(self, name: str) -> int:
        """Returns the id of the entity with this name.

        Raises:
            NotFound: no entity has this name.
            VaultMissing: nothing was indexed yet.
        """
        from noderag_local.extraction.same_names.merging import named_entity

        return named_entity(self._read().store, name)

    def merge(self, one: str, other: str) -> bool:
        """Merges two names; returns False if this would join names that the user keeps apart.

        Raises:
            NotFound: no entity has one of the names, or both names belong to the same entity.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
        """
        return self._decide(one, other, True)

    def keep_apart(self, one: str, other: str) -> None:
        """Keeps two names apart from now on, whatever the rules say; errors as for `merge`."""
        self._decide(one, other, False)

    def undo(self, one: str, other: str) -> None:
        """Removes the user's decision about two names, so that the rules decide; errors as for `merge`."""
        self._decide(one, other, None)

    def _decide(self, one: str, other: str, same: bool | None) -> bool:
        from noderag_local.extraction.same_names.merging import decide
        from noderag_local.pipeline.caches import Caches

        with self._writing() as store:
            caches = Caches(store)
            decided = decide(store, one, other, same)
            caches.stop()
        return decided
