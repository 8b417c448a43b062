"""Prints notes about where files are stored: remains of old content on the disk, network shares, unencrypted copies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


def tell_of_old_blocks(folder: Path) -> None:
    """Warns, after a removal or an encryption, if the disk may still contain the old content."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.disk.file_systems import old_blocks_note

    note = old_blocks_note(folder)
    if note:
        say(note)


def tell_of_network(folder: Path) -> None:
    """Warns if a vault is on a network share."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.disk.file_systems import network_note

    note = network_note(folder)
    if note:
        say(note)


def tell_of_plain_copy(opened: Vault, path: Path | None) -> None:
    """Warns on stderr that a file is not encrypted, if the vault is and the file was written."""
    from noderag_local.interfaces.cli.failures import say

    note = "" if path is None else opened.encryption.plain_copy_note(Path(os.path.abspath(os.path.expanduser(path))))
    if note:
        say(note)
