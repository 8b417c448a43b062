"""Names that are read as one, and what a person decides about them."""

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
    """Decisions about names, as `Vault.names` gives them. Merging loses nothing: every decision can be taken back."""

    def __init__(self, read: Callable[[], Reader], writing: Callable[[], AbstractContextManager[Store]]) -> None:
        """Works on a vault.

        Args:
            read: gives the vault's reader, opened anew where the vault has changed.
            writing: opens its store for writing.
        """
        self._read, self._writing = read, writing

    def offered(self) -> tuple[OfferedPair, ...]:
        """Returns names that may be one, best first, without decided ones. Compares all names.

        Raises:
            VaultMissing: nothing was indexed yet.
        """
        from noderag_local.vault.browsing.same_names import offered_pairs

        reader = self._read()
        return offered_pairs(reader.store, reader.graph_arrays)

    def merged(self) -> tuple[MergedName, ...]:
        """Returns names that stand for others, by name; errors as for `offered`."""
        from noderag_local.vault.browsing.same_names import merged_list

        return merged_list(self._read().store)

    def apart(self) -> tuple[ApartPair, ...]:
        """Returns names that a person holds apart; errors as for `offered`."""
        from noderag_local.vault.browsing.same_names import apart_list

        return apart_list(self._read().store)

    def sentences(self, node: int) -> tuple[Source, ...]:
        """Returns the first sentences that name an entity; errors as for `offered`."""
        from noderag_local.vault.browsing.same_names import sentences_of

        return sentences_of(self._read().store, node)

    def entity(self, name: str) -> int:
        """Returns the node of a name.

        Raises:
            NotFound: no entity has this name.
            VaultMissing: nothing was indexed yet.
        """
        from noderag_local.extraction.same_names.merging import named_entity

        return named_entity(self._read().store, name)

    def merge(self, one: str, other: str) -> bool:
        """Merges two names; returns False when that would join names that a person holds apart.

        Raises:
            NotFound: no entity has one of the names, or both are the name of one.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
        """
        return self._decide(one, other, True)

    def keep_apart(self, one: str, other: str) -> None:
        """Keeps two names apart from now on, whatever the rules say; errors as for `merge`."""
        self._decide(one, other, False)

    def undo(self, one: str, other: str) -> None:
        """Removes what was decided about two names, so that only the rules count; errors as for `merge`."""
        self._decide(one, other, None)

    def _decide(self, one: str, other: str, same: bool | None) -> bool:
        from noderag_local.extraction.same_names.merging import decide

        with self._writing() as store:
            return decide(store, one, other, same)
