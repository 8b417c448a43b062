"""Gets the key of an encrypted vault from the desktop's keyring, from a file with the passphrase, or from the user."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from noderag_local.domain.errors import SettingsError, StoreError, VaultSealed
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.encryption.key_file import KeyFile, read_key_file, sealed
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey, give, given
from noderag_local.system.paths import absolute

PASSPHRASE_FILE = "NODERAG_PASSPHRASE_FILE"
"""Environment variable with the path of a file whose first line is the passphrase, for use without a terminal."""
ATTEMPTS = 3

AskPassphrase = Callable[[bool], str]
"""Function that asks the user for the passphrase; its argument says whether the previous one was wrong."""


def unlock(folder: Path, ask: AskPassphrase | None = None) -> None:
    """Lets this process open the encrypted files of a vault or backup; does nothing if they are not encrypted.

    The key comes from the desktop's keyring, or else from the passphrase in the file named by NODERAG_PASSPHRASE_FILE, or else from
    the passphrase that the user enters.

    Args:
        folder: folder of the vault or backup.
        ask: asks the user for the passphrase; None if nobody can be asked.

    Raises:
        VaultSealed: the passphrase is wrong or missing.
        SettingsError: the file with the passphrase cannot be read.
        VaultDamaged: the key file is damaged.
        StoreError: only the desktop's keyring has the key, and it cannot be reached.
    """
    with told_plainly(folder / KEY_FILE_NAME):
        file = read_key_file(folder)
    if file is None or given(file.proof) is not None:
        return
    give(_of_keyring(file) or _by_file(folder, file) or _by_person(folder, file, ask))


def passphrase_in(path: Path) -> str:
    """Returns the passphrase in the first line of a file.

    Raises:
        SettingsError: the file cannot be read, or its first line is empty.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The passphrase cannot be read from {path}: {error}. Name another file.") from error
    if not lines or not lines[0]:
        raise SettingsError(f"The first line of {path} is empty. Write the passphrase there.")
    return lines[0]


def _of_keyring(file: KeyFile) -> VaultKey | None:
    if not file.in_keyring:
        return None
    from noderag_local.storage.encryption import desktop_keyring

    try:
        secret = desktop_keyring.kept(file.vault)
    except StoreError:
        if file.wrapped is None:
            raise
        return None
    return None if secret is None else file.proven(secret)


def _by_file(folder: Path, file: KeyFile) -> VaultKey | None:
    named = os.environ.get(PASSPHRASE_FILE)
    if not named or file.wrapped is None:
        return None
    key = file.opened_by(passphrase_in(absolute(Path(named))))
    if key is None:
        raise VaultSealed(
            f"The passphrase in {named} does not open {folder}. Correct it and run the command again; capitals and blanks count."
        )
    return key


def _by_person(folder: Path, file: KeyFile, ask: AskPassphrase | None) -> VaultKey:
    if file.wrapped is None:
        raise VaultSealed(
            f"Only the desktop's keyring of the machine that encrypted {folder} has its key. Open the vault there, and choose a "
            "passphrase: noderag passphrase."
        )
    if ask is None:
        raise sealed(folder)
    for attempt in range(ATTEMPTS):
        key = file.opened_by(ask(attempt > 0))
        if key is not None:
            return key
    raise VaultSealed(
        f"The passphrase does not open {folder}. Run the command again; capitals and blanks count. If you are sure of it, "
        f"{KEY_FILE_NAME} may be damaged: every backup has a copy of it."
    )
