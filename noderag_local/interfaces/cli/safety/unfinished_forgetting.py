"""An interrupted forgetting is finished by the next command, whichever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError
from noderag_local.interfaces.cli.failures import say

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


def finish_forgetting(vault: Vault) -> None:
    """Finishes an interrupted forgetting before the command begins; if it cannot, it says why, and the command continues."""
    from noderag_local.storage.forgetting.traces import told

    try:
        if not vault.safety.unfinished_forgetting():
            return
    except StoreError:
        # The command itself will tell, or make a vault where there is none.
        return
    say("A forgetting was interrupted. Finishing it first.")
    try:
        left = vault.safety.finish_forgetting()
    except StoreError as error:
        say(f"The forgetting could not be finished: {error}")
        return
    say(f"Not all could be cleared. {told(left)}" if left else "The forgetting is finished.")
