"""Keeps the keys of vaults in the desktop's keyring (Secret Service, KWallet, the macOS Keychain)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from noderag_local.domain.errors import StoreError
from noderag_local.storage.encryption.vault_key import VaultKey

SERVICE = "noderag"

_LEAST_PRIORITY = 1.0
"""Minimal priority of a keyring backend, as the library recommends; others keep passwords in a readable file."""


def keep(key: VaultKey) -> None:
    """Stores a key in the keyring and checks it by reading it back.

    Raises:
        StoreError: there is no keyring, or it does not store the key.
    """
    import keyring

    with _told_plainly():
        if keyring.get_keyring().priority < _LEAST_PRIORITY:
            raise StoreError(
                "This machine has no desktop keyring that keeps a key safely. Use a passphrase without --keyring."
            )
        keyring.set_password(SERVICE, key.vault, key.secret.hex())
        if keyring.get_password(SERVICE, key.vault) != key.secret.hex():
            raise StoreError("The desktop's keyring did not keep the key. Use a passphrase alone, without --keyring.")


def kept(vault: str) -> bytes | None:
    """Returns the secret of a vault; None if the keyring does not have it.

    Raises:
        StoreError: there is no keyring, or it stays locked.
    """
    import keyring

    with _told_plainly():
        found = keyring.get_password(SERVICE, vault)
    try:
        return bytes.fromhex(found) if found else None
    except ValueError:
        return None


def remove(vault: str) -> None:
    """Removes the key of a vault from the keyring; does nothing if there is none.

    Raises:
        StoreError: there is no keyring, or it stays locked.
    """
    import keyring

    with _told_plainly():
        if keyring.get_password(SERVICE, vault) is not None:
            keyring.delete_password(SERVICE, vault)


@contextmanager
def _told_plainly() -> Iterator[None]:
    from keyring.errors import KeyringError

    try:
        yield
    except KeyringError as error:
        raise StoreError(
            f"The desktop's keyring cannot be used ({' '.join(str(error).split()) or type(error).__name__}). Log in to a desktop that has "
            "one and unlock it, or use a passphrase without --keyring."
        ) from error
