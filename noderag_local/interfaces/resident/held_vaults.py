"""The vaults that the resident process holds open between two commands."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError

if TYPE_CHECKING:
    from noderag_local.config import Settings
    from noderag_local.models.language_model import OpenedEngine
    from noderag_local.vault.vault import Vault

MOST_VAULTS = 2
"""Vaults that are held at once; the one that was not used for the longest time is closed for another."""


class Declined(BaseException):
    """The resident process does not run this command, which has printed nothing so far; the caller runs it itself.

    Like SystemExit, it is no error, so that nothing on its way reports it.
    """


class HeldVaults:
    """Open vaults, the last used one first."""

    def __init__(self) -> None:
        self._vaults: list[Vault] = []

    def vault(self, folder: Path, settings: Settings) -> Vault:
        """Returns a vault, opened or held since an earlier command with the same settings.

        Raises:
            Declined: the vault is encrypted, so its key shall not stay in memory, or an interrupted `forget` must be finished,
                which writes to the vault, or it cannot be read.
        """
        from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME
        from noderag_local.vault.vault import Vault

        if os.path.lexists(folder / KEY_FILE_NAME):
            self.close(lambda held: held.folder == folder)
            raise Declined
        vault = next((held for held in self._vaults if held.folder == folder and held.settings == settings), None)
        if vault is None:
            vault = Vault(folder, settings, NoLanguageModel())
        else:
            self._vaults.remove(vault)
        self._vaults.insert(0, vault)
        for other in self._vaults[MOST_VAULTS:]:
            other.close()
        del self._vaults[MOST_VAULTS:]
        _refuse_unfinished_forgetting(vault)
        return vault

    def follow(self) -> None:
        """Lets go of vaults that have changed or moved, and of those that are being written: encrypting needs the file alone."""
        from noderag_local.storage.database.lock import HOLDER_NAME

        for vault in self._vaults:
            if (vault.folder / HOLDER_NAME).exists():
                vault.close()
                continue
            try:
                vault.let_go_of_changed()
            except NoderagError:
                vault.close()

    def close(self, which: Callable[[Vault], bool] = lambda _: True) -> None:
        """Closes some vaults, or all."""
        for vault in [held for held in self._vaults if which(held)]:
            vault.close()
            self._vaults.remove(vault)

    def __len__(self) -> int:
        return len(self._vaults)


class NoLanguageModel:
    """Access to a language model that declines, since gigabytes should not stay in memory after a command."""

    count_tokens = None

    def name(self) -> str:
        """Raises Declined, as all methods but `close`."""
        raise Declined

    def engine(self) -> OpenedEngine | None:
        """Raises Declined."""
        raise Declined

    def needed(self, purpose: str = "") -> OpenedEngine:
        """Raises Declined."""
        raise Declined

    def count_exactly(self) -> None:
        """Raises Declined."""
        raise Declined

    def close(self) -> None:
        """Does nothing."""


_held: HeldVaults | None = None


def hold_vaults() -> HeldVaults:
    """Makes this process the resident one: `held_vault` gives its vaults from now on."""
    global _held
    _held = HeldVaults()
    return _held


def is_resident() -> bool:
    """Returns whether this process is the resident one."""
    return _held is not None


def held_vault(folder: Path, settings: Settings) -> Vault | None:
    """Returns the held vault in the resident process; None in any other process.

    Raises:
        Declined: as `HeldVaults.vault`.
    """
    return None if _held is None else _held.vault(folder, settings)


def _refuse_unfinished_forgetting(vault: Vault) -> None:
    try:
        if not vault.safety.unfinished_forgetting():
            return
    except NoderagError:
        # The command itself reports this error.
        pass
    raise Declined
