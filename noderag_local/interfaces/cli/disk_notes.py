"""Notes that a command prints about where files lie: old content on the disk, network shares, copies that are not encrypted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


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


def tell_of_plain_copy(opened: Vault, path: Path | None) -> None:
    """Warns on stderr that a file is plain text; says nothing when the vault is not encrypted or no file was made."""
    from noderag_local.interfaces.cli.failures import say

    note = "" if path is None else opened.encryption.plain_copy_note(Path(os.path.abspath(os.path.expanduser(path))))
    if note:
        say(note)
