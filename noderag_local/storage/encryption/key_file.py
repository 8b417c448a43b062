"""Reads and writes the key file, which marks a vault as encrypted and holds its key, wrapped by a passphrase.

The file lies in the vault's folder and in each backup, so that each can be opened by itself. A vault without it is not
encrypted. While a vault is being encrypted or decrypted, the key file lists the files that are not encrypted, with their hashes
and a MAC. No other unencrypted file in the folder is ever opened.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

from noderag_local.domain.errors import VaultDamaged, VaultReplaced, VaultSealed
from noderag_local.storage.encryption.known_vaults import refuse_plain
from noderag_local.storage.encryption.passphrase_key import (
    LEAST_LOG2_N,
    LOG2_N,
    MOST_LOG2_N,
    SALT_BYTES,
    passphrase_key,
)
from noderag_local.storage.encryption.sealed_pieces import BEGINNING_BYTES, KEY_BYTES, sealing_pieces, unsealed_pieces
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey, given
from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.private_files import write_private

FORM = 1


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A key that is encrypted with a passphrase."""

    log2_n: int
    """Base-2 logarithm of scrypt's n."""
    salt: bytes
    beginning: bytes
    """Beginning of the nonce."""
    sealed: bytes
    """Key, encrypted as in `sealed_pieces`."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """Content of a key file."""

    vault: str
    proof: str
    wrapped: Wrapped | None
    """Key encrypted with the passphrase; None if the vault has no passphrase."""
    in_keyring: bool
    """Whether the desktop's keyring stores the key."""
    plain: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each unencrypted file below the folder; empty unless a conversion is running or was interrupted."""
    plain_mac: str = ""
    """MAC of `plain` with the key; "" if `plain` is empty."""

    @classmethod
    def of(cls, key: VaultKey) -> KeyFile:
        """Returns a key file that only identifies its key."""
        return cls(key.vault, key.proof, None, False)

    def with_passphrase(self, key: VaultKey, passphrase: str, log2_n: int = LOG2_N) -> KeyFile:
        """Returns a copy in which the key is encrypted with another passphrase."""
        salt, beginning, target = os.urandom(SALT_BYTES), os.urandom(BEGINNING_BYTES), BytesIO()
        wrapping = passphrase_key(passphrase, salt, log2_n, KEY_BYTES)
        with sealing_pieces(target, wrapping, self._header(beginning)) as file:
            file.write(key.secret)
        return replace(self, wrapped=Wrapped(log2_n, salt, beginning, target.getvalue()))

    def opened_by(self, passphrase: str) -> VaultKey | None:
        """Returns the key; None if the passphrase is wrong or the vault has none."""
        if self.wrapped is None:
            return None
        wrapping = passphrase_key(passphrase, self.wrapped.salt, self.wrapped.log2_n, KEY_BYTES)
        sealed_key, header = BytesIO(self.wrapped.sealed), self._header(self.wrapped.beginning)
        try:
            return self.proven(unsealed_pieces(sealed_key, wrapping, header, ValueError).read())
        except ValueError:
            return None

    def proven(self, secret: bytes) -> VaultKey | None:
        """Returns the key with this secret; None if it belongs to another vault."""
        key = VaultKey(self.vault, secret)
        return key if key.proof == self.proof else None

    def noting(self, key: VaultKey, plain: Mapping[str, str]) -> KeyFile:
        """Returns a copy that lists these files as not encrypted."""
        return replace(self, plain=dict(plain), plain_mac=_mac(key, plain) if plain else "")

    def noted(self, key: VaultKey) -> Mapping[str, str]:
        """Returns the listed unencrypted files; empty if the list was not written with this key."""
        return self.plain if hmac.compare_digest(self.plain_mac, _mac(key, self.plain)) else {}

    def _header(self, beginning: bytes) -> bytes:
        """Returns the header that ties the wrapped key to this vault."""
        return bytes.fromhex(self.vault) + beginning

    def write(self, folder: Path) -> None:
        """Writes the file into a folder and waits until it is completely on the disk.

        Raises:
            OSError: the folder cannot be written.
        """
        write_private(folder / KEY_FILE_NAME, json.dumps(_document(self), indent=1) + "\n")


def read_key_file(folder: Path) -> KeyFile | None:
    """Reads the key file of a folder; returns None if there is none, which means that the folder is not encrypted.

    Raises:
        VaultDamaged: the file was changed or cut off.
        OSError: the file cannot be read.
    """
    path = folder / KEY_FILE_NAME
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise VaultDamaged(
                f"{path} is a link to nothing. Every backup has a copy of the file: put one in its place."
            ) from None
        return None
    try:
        return _key_file(json.loads(content))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise VaultDamaged(
            f"{path} is damaged or of a newer version of noderag. Every backup has a copy of the file: put one in its place."
        ) from error


def remove_key_file(folder: Path) -> None:
    """Removes the key file of a folder and waits until the disk has it; does nothing if there is none.

    Raises:
        OSError: the file cannot be removed.
    """
    (folder / KEY_FILE_NAME).unlink(missing_ok=True)
    sync(folder)


def key_of(folder: Path) -> VaultKey | None:
    """Returns the key of the files in a folder; None if they are not encrypted.

    Raises:
        VaultSealed: this process was not given the key.
        VaultDamaged: as for `read_key_file`.
        VaultReplaced: the folder had a key file before and has none now.
        OSError: the key file cannot be read.
    """
    file = read_key_file(folder)
    if file is None:
        refuse_plain(folder)
        return None
    key = given(file.proof)
    if key is None:
        raise sealed(folder)
    return key


def hash_of(path: Path) -> str:
    """Returns the hexadecimal SHA-256 of a file.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_encrypted_in_part(folder: Path) -> bool:
    """Returns whether a conversion of the databases in a folder is running, or was interrupted.

    Raises:
        VaultDamaged, OSError: as `read_key_file`.
    """
    file = read_key_file(folder)
    # Names with a folder belong to backups.
    return file is not None and any("/" not in name for name in file.plain)


def is_noted_plain(path: Path, key: VaultKey) -> bool:
    """Returns whether the key file beside a database lists it, with its present content, as not encrypted.

    Raises:
        OSError: the file cannot be read.
    """
    file = read_key_file(path.parent)
    wanted = file.noted(key).get(path.name) if file else None
    return wanted is not None and wanted == hash_of(path)


def not_encrypted(path: Path) -> VaultReplaced:
    """Returns the error about an unencrypted file in an encrypted vault that the key file does not list."""
    return VaultReplaced(
        f"{path} is not encrypted, though its vault has a key: somebody may have put it there, so it is not opened. Put the "
        "encrypted one back, or go back to a backup: noderag restore. If encrypting the vault was interrupted by an older "
        "version of noderag, and you are sure that the file is yours: noderag restore --accept."
    )


def sealed(folder: Path) -> VaultSealed:
    """Returns the error that this folder is encrypted and its key was not given."""
    return VaultSealed(
        f"{folder} is encrypted. Run noderag at a terminal, which asks for the passphrase, or name a file that holds it in "
        "its first line: NODERAG_PASSPHRASE_FILE=FILE."
    )


def _document(file: KeyFile) -> dict[str, object]:
    wrapped = file.wrapped and {
        "scrypt_log2_n": file.wrapped.log2_n,
        "salt": file.wrapped.salt.hex(),
        "beginning": file.wrapped.beginning.hex(),
        "sealed": file.wrapped.sealed.hex(),
    }
    noted = {"plain": dict(file.plain), "plain_mac": file.plain_mac} if file.plain else {}
    return {
        "form": FORM,
        "vault": file.vault,
        "proof": file.proof,
        "passphrase": wrapped,
        "in_keyring": file.in_keyring,
        **noted,
    }


def _key_file(document: dict[str, object]) -> KeyFile:
    """Returns the key file that a JSON document describes.

    Raises:
        ValueError, KeyError, TypeError: the document is no key file.
    """
    if document["form"] != FORM:
        raise ValueError(f"form {document['form']!r}")
    wrapped, plain = document["passphrase"], document.get("plain", {})
    if not isinstance(plain, dict):
        raise TypeError(f"{plain!r} is not a list of files")
    return KeyFile(
        _hex(document["vault"]).hex(),
        _hex(document["proof"]).hex(),
        _wrapped(wrapped) if isinstance(wrapped, dict) else None,
        document["in_keyring"] is True,
        {str(name): _hex(digest).hex() for name, digest in plain.items()},
        _hex(document.get("plain_mac", "")).hex(),
    )


def _mac(key: VaultKey, plain: Mapping[str, str]) -> str:
    written = json.dumps(sorted(plain.items())).encode()
    return hmac.new(key.derived(b"files that are not encrypted"), written, hashlib.sha256).hexdigest()


def _wrapped(document: dict[str, object]) -> Wrapped:
    log2_n = document["scrypt_log2_n"]
    if not isinstance(log2_n, int) or not LEAST_LOG2_N <= log2_n <= MOST_LOG2_N:
        raise ValueError(f"scrypt_log2_n {log2_n!r}")
    return Wrapped(log2_n, _hex(document["salt"]), _hex(document["beginning"]), _hex(document["sealed"]))


def _hex(value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return bytes.fromhex(value)
