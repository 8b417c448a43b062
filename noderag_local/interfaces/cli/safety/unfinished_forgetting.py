"""Finishes an interrupted `forget` at the start of the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError
from noderag_local.interfaces.cli.failures import say

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


def finish_forgetting(vault: Vault) -> None:
    """Finishes an interrupted `forget`; if that fails, prints why and lets the command continue."""
    from noderag_local.storage.forgetting.traces import told

    try:
        if not vault.safety.unfinished_forgetting():
            return
    except StoreError:
        # The command itself reports this error, or makes a vault if there is none.
        return
    say("A previous `noderag forget` was interrupted. Finishing it first.")
    try:
        left = vault.safety.finish_forgetting()
    except StoreError as error:
        say(f"The interrupted `noderag forget` could not be finished: {error}")
        return
    say(f"Not everything could be cleared. {told(left)}" if left else "It is finished.")
