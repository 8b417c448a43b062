"""Notes that a command prints about the disk under a vault: old content it cannot overwrite, and network shares."""

from __future__ import annotations

from pathlib import Path


def tell_of_old_blocks(folder: Path) -> None:
    """Warns, after something was removed or encrypted, that the disk may still hold it; says nothing when it does not."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.disk.file_systems import old_blocks_note

    note = old_blocks_note(folder)
    if note:
        say(note)


def tell_of_network(folder: Path) -> None:
    """Warns that a vault lies on a network share; says nothing when it does not."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.disk.file_systems import network_note

    note = network_note(folder)
    if note:
        say(note)
