"""A forgetting that did not come to its end: the next command goes on with it, whichever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.cli.failures import say
from noderag_local.errors import StoreError

if TYPE_CHECKING:
    from noderag_local.vault import Vault


def finish_forgetting(vault: Vault) -> None:
    """Goes on with it before the command begins. Where that cannot be, it says so, and the command does its own work."""
    from noderag_local.store.traces import told

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
        say(f"It could not be finished: {error}")
        return
    say(f"It is finished but for this. {told(left)}" if left else "It is finished.")
