"""Remembers the encrypted vaults that this user has opened on this machine.

A vault's own files cannot show that all of them were replaced by older copies, or that an unencrypted vault was put in its
place. So the user's state folder has one small file for each vault. It is named by a hash of the vault's path and contains no
path and no secret. Without this file, or on another machine, such a replacement is not noticed.
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
    """`VaultKey.vault`; "" if the file is damaged, for example by a power cut."""
    index: int = 0
    """Change count of the index."""
    conversations: int = 0
    """Change count of the conversations."""


def known(folder: Path) -> KnownVault | None:
    """Returns the last known state of the vault in a folder; None if this machine has never seen it encrypted."""
    try:
        document = json.loads(_path_of(folder).read_bytes())
        return KnownVault(str(document["vault"]), int(document["index"]), int(document["conversations"]))
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        return KnownVault("")


def remember(folder: Path, seen: KnownVault) -> None:
    """Stores the state of a vault; does nothing if the state folder cannot be written."""
    path = _path_of(folder)
    with suppress(OSError):
        make_private_folder(path.parent)
        document = {"vault": seen.vault, "index": seen.index, "conversations": seen.conversations}
        write_private(path, json.dumps(document))


def forget_vault(folder: Path) -> None:
    """Removes the stored state of the vault in this folder, so that any vault is accepted there.

    Raises:
        OSError: the file cannot be removed.
    """
    path = _path_of(folder)
    if path.exists():
        path.unlink()
        sync(path.parent)


def refuse_plain(folder: Path) -> None:
    """Refuses an unencrypted vault in a folder where this machine has seen an encrypted one.

    Raises:
        VaultReplaced: the vault was encrypted before.
    """
    if os.path.exists(_path_of(folder)):
        raise VaultReplaced(
            f"The vault in {folder} was encrypted when it was last opened here, and has no key now. Somebody may have put "
            "another one in its place, so it is not opened. If you decrypted it elsewhere, or want a new vault here: noderag "
            "restore --accept. Else put its files back, or go back to a backup: noderag restore."
        )


def _path_of(folder: Path) -> Path:
    return state_folder() / _FOLDER / hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
