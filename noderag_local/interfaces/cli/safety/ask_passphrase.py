"""Asks for the passphrase of an encrypted vault, once per process and before anything is drawn."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME


def unlock_at_terminal(folder: Path) -> None:
    """Unlocks a vault or a backup for this process; asks at a terminal if it is encrypted.

    Raises:
        VaultSealed, SettingsError, VaultDamaged, StoreError: as for `storage.encryption.unlock.unlock`.
    """
    if not os.path.lexists(folder / KEY_FILE_NAME):
        return
    from noderag_local.storage.encryption.key_file import sealed
    from noderag_local.storage.encryption.unlock import unlock

    def typed(again: bool) -> str:
        from getpass import getpass

        if again:
            print("That is not the passphrase. Capitals and spaces matter.", file=sys.stderr)
        return getpass(f"Passphrase of {folder}: ", sys.stderr)

    try:
        unlock(folder, typed if sys.stdin.isatty() else None)
    except (EOFError, KeyboardInterrupt):
        print(file=sys.stderr)
        raise sealed(folder) from None
