"""The encrypted vaults that this user has opened on this machine.

A vault's own files cannot tell that all of them were put back together, or that the key file was taken away and a plain
vault put there. One small file a vault, in the user's state folder, remembers it. It is named by a hash of the vault's path,
and holds no path and no secret. Where it is gone, or on another machine, nothing of this is noticed.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.errors import VaultReplaced
from noderag_local.storage.database.state_folder import state_folder
from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.private_files import make_private_folder, write_private

_FOLDER = "encrypted vaults"


@dataclass(frozen=True, slots=True)
class KnownVault:
    """State of an encrypted vault when this machine last saw it."""

    vault: str
    """`VaultKey.vault`; "" where the file is damaged, as a power cut may leave it."""
    index: int = 0
    """Generation of the index."""
    conversations: int = 0
    """Generation of the conversations."""


def known(folder: Path) -> KnownVault | None:
    """Returns what this machine remembers of the vault in a folder; None where it never saw it encrypted."""
    try:
        document = json.loads(_path_of(folder).read_bytes())
        return KnownVault(str(document["vault"]), int(document["index"]), int(document["conversations"]))
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        return KnownVault("")


def remember(folder: Path, seen: KnownVault) -> None:
    """Stores the state of a vault; does nothing where the state folder cannot be written."""
    path = _path_of(folder)
    with suppress(OSError):
        make_private_folder(path.parent)
        document = {"vault": seen.vault, "index": seen.index, "conversations": seen.conversations}
        write_private(path, json.dumps(document))


def forget_vault(folder: Path) -> None:
    """Forgets the vault in this folder: any vault may stand there from now on.

    Raises:
        OSError: the note cannot be removed.
    """
    path = _path_of(folder)
    if path.exists():
        path.unlink()
        sync(path.parent)


def refuse_plain(folder: Path) -> None:
    """Refuses a vault without a key where this machine has seen an encrypted one.

    Raises:
        VaultReplaced: there was one.
    """
    if os.path.exists(_path_of(folder)):
        raise VaultReplaced(
            f"The vault in {folder} was encrypted when it was last opened here, and has no key now. Somebody may have put "
            "another one in its place, so it is not opened. If you decrypted it elsewhere, or want a new vault here: noderag "
            "restore --accept. Else put its files back, or go back to a backup: noderag restore."
        )


def _path_of(folder: Path) -> Path:
    return state_folder() / _FOLDER / hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
