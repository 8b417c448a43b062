"""Leaves a resident process behind after a search, and asks it about itself or to end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from noderag_local.interfaces.resident import held_vaults
from noderag_local.interfaces.resident.meeting_place import connected, is_there, socket_path
from noderag_local.interfaces.resident.messages import WrongMessage, receive, send
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault

ANSWER_SECONDS = 5.0
"""Time that the resident process has to tell about itself; it may be running a command."""


def leave_resident(vault: Vault) -> None:
    """Starts the resident process with a vault, for the next searches.

    Does nothing if the setting `resident` is off, a log is written, the vault is encrypted, or there is such a process.
    """
    is_off = held_vaults.is_resident() or not vault.settings.resident or vault.settings.log
    if is_off or not socket_path() or os.path.lexists(vault.folder / KEY_FILE_NAME) or is_there():
        return
    try:
        # The folder stays that of the caller until the settings are read, which may name others relative to it.
        subprocess.Popen(
            # -P: no module may come from the folder that one stands in, which holds notes as likely as not.
            [sys.executable, "-P", "-m", "noderag_local.interfaces.resident", str(vault.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        # Too many processes, for example; the search itself is done.
        return


def told_by_resident(word: str) -> Mapping[str, Any] | None:
    """Asks the resident process about itself ("tell"), or to end ("end"); returns None if there is none, or it is busy."""
    connection = connected()
    if connection is None:
        return None
    with connection:
        try:
            connection.settimeout(ANSWER_SECONDS)
            send(connection, {"do": word})
            return receive(connection)[0]
        except (OSError, WrongMessage):
            return None
