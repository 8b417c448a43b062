"""The note that a command prints after it wrote notes from an encrypted vault into a file that is not encrypted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


def tell_of_plain_copy(opened: Vault, path: Path | None) -> None:
    """Warns on stderr that a file is plain text; says nothing when the vault is not encrypted or no file was made."""
    from noderag_local.interfaces.cli.failures import say

    note = "" if path is None else opened.encryption.plain_copy_note(Path(os.path.abspath(os.path.expanduser(path))))
    if note:
        say(note)
