"""A forgetting that did not come to its end: the next command goes on with it, and tells what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noderag_local.cli.failures import say
from noderag_local.errors import StoreError

if TYPE_CHECKING:
    from noderag_local.store.traces import Trace
    from noderag_local.vault import Vault


def finish_forgetting(vault: Vault) -> None:
    """Goes on with it before the command begins. Where that cannot be, it says so, and the command does its own work."""
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


def told(left: Sequence[Trace]) -> str:
    """What is left of a forgetting, why, and what to do; one sentence or more for each file."""
    return " ".join(_told(one) for one in left)


def _told(trace: Trace) -> str:
    if trace.path.endswith(".sqlite"):
        who = f" by {', '.join(trace.readers)}" if trace.readers else ""
        return (
            f"{trace.path} and its log, {trace.path}-wal, may still hold text of what was forgotten: the forgetting was "
            f"stopped, or the file is being read{who}. Close other programs that have it open; the next command of noderag "
            "on this vault clears it."
        )
    return f"{trace.path} still holds backups from before: put a new one in their place with noderag backup --only."
