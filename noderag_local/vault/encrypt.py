"""Encrypts and decrypts a vault, and changes its passphrase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError, VaultDamaged
from noderag_local.domain.progress import Finding, Progress
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.encryption.key_file import KeyFile, key_of, read_key_file, sealed
from noderag_local.storage.encryption.known_vaults import refuse_plain
from noderag_local.storage.encryption.passphrase_key import LOG2_N
from noderag_local.storage.encryption.unlock import AskPassphrase, unlock
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey, give
from noderag_local.storage.snapshots.cache_file import remove_unfinished
from noderag_local.system.disk.private_files import make_private_folder

if TYPE_CHECKING:
    from noderag_local.storage.encryption.conversion_progress import ConversionProgress
    from noderag_local.storage.encryption.vault_conversion import Converted


@dataclass(frozen=True, slots=True)
class Protection:
    """How a vault is protected."""

    is_encrypted: bool
    has_passphrase: bool
    in_keyring: bool


class VaultEncryption:
    """Encryption of one vault; see `Vault.encryption`."""

    def __init__(self, folder: Path, close: Callable[[], None]) -> None:
        """Takes a vault's folder and opens nothing yet.

        Args:
            folder: folder of the vault.
            close: closes the files that the vault has open.
        """
        self._folder = folder
        self._close = close

    def protection(self) -> Protection:
        """Returns how the vault is protected, without asking for a passphrase.

        Raises:
            VaultDamaged: the key file is damaged.
        """
        file = self._file()
        return Protection(file is not None, bool(file and file.wrapped), bool(file and file.in_keyring))

    def unlock(self, ask: AskPassphrase | None = None) -> None:
        """Unlocks an encrypted vault for this process; see `storage.encryption.unlock.unlock`."""
        unlock(self._folder, ask)

    def check(self) -> list[Finding]:
        """Checks, without a key, that no file of an encrypted vault is left unencrypted; returns [] for a plain vault.

        Raises:
            VaultDamaged: the key file is damaged.
            StoreError: a file cannot be read.
        """
        from noderag_local.storage.encryption.vault_conversion import plain_files

        if self._file() is None:
            return []
        with told_plainly(self._folder):
            left = [str(path.relative_to(self._folder)) for path in plain_files(self._folder)]
        if left:
            remedy = (
                "Finish the conversion: run noderag encrypt or noderag decrypt. A file that the command refuses was put there later: "
                "remove it, or move it to another folder if it is yours."
            )
            return [Finding("encryption", False, f"not encrypted: {', '.join(left)}", remedy)]
        return [Finding("encryption", True, "databases, backups in the vault's folder, and caches are encrypted")]

    def plain_copy_note(self, path: Path) -> str:
        """Returns the warning that an exported file holds text of an encrypted vault's notes without encryption.

        The warning is empty if the vault is not encrypted.

        Raises:
            VaultDamaged: the key file is damaged.
        """
        if not self.protection().is_encrypted:
            return ""
        return f"{path} is plain text, though the vault is encrypted: anybody who can read the file can read your notes in it."

    def encrypt(
        self,
        passphrase: str,
        *,
        keyring: bool = False,
        drop_backups: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
        log2_n: int = LOG2_N,
    ) -> Converted:
        """Encrypts everything in the vault's folder that was made from notes; finishes an interrupted run.

        If the process is killed, the vault can still be opened. Unencrypted files are overwritten as far as the file system allows.

        Args:
            passphrase: the vault's new passphrase; "" means that only the keyring has the key. A vault that is already
                encrypted in part keeps its passphrase.
            keyring: whether the desktop's keyring stores the key, so that this machine does not ask for the passphrase.
            drop_backups: whether all backups in the vault's folder are removed instead of encrypted.
            progress: called with the progress.
            cancelled: called often; True stops the run and keeps what is done.
            log2_n: logarithm to base 2 of scrypt's cost n; tests use a small one.

        Raises:
            VaultSealed: the vault is already encrypted in part, and its key was not given.
            VaultLocked: another process is writing to the vault.
            VaultDamaged: the vault is damaged and stays as it is.
            StoreError: the vault is open in another program, there is no room, or the keyring cannot be used.
        """
        from noderag_local.storage.encryption.conversion_progress import ConversionProgress

        with self._alone():
            file = self._file()
            file, key = (file, self._key()) if file else self._new_file(passphrase, keyring, log2_n)
            return self._converted(file, key, True, drop_backups, ConversionProgress("encrypting", progress, cancelled))

    def decrypt(
        self,
        *,
        drop_backups: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Converted:
        """Decrypts the vault; finishes an interrupted run. The keyring keeps its copy of the key.

        Args:
            drop_backups: removes all backups in the vault's folder; else they are decrypted.
            progress: told how far it is.
            cancelled: asked often; what is done by then stays done.
            progress, cancelled: as `encrypt`.

        Raises:
            VaultSealed, VaultLocked, VaultDamaged, StoreError: as `encrypt`.
        """
        from noderag_local.storage.encryption.conversion_progress import ConversionProgress
        from noderag_local.storage.encryption.vault_conversion import Converted

        with self._alone():
            file = self._file()
            if file is None:
                return Converted(0, (), False)
            return self._converted(
                file, self._key(), False, drop_backups, ConversionProgress("decrypting", progress, cancelled)
            )

    def change_passphrase(self, passphrase: str, *, log2_n: int = LOG2_N) -> None:
        """Changes the passphrase of the vault and of the backups in its folder, without encrypting the files again.

        Raises:
            VaultSealed: the vault's key was not given.
            VaultLocked: another process is writing to it.
            StoreError: it is not encrypted, or cannot be written.
        """
        self._rewrite(lambda file, key: file.with_passphrase(key, passphrase, log2_n))

    def keep_in_keyring(self, wanted: bool) -> None:
        """Adds the vault's key to the desktop's keyring, or removes it there.

        Raises:
            VaultSealed, VaultLocked: as `change_passphrase`.
            StoreError: it is not encrypted, no passphrase would open it, or the keyring cannot be used.
        """
        from noderag_local.storage.encryption import desktop_keyring

        def changed(file: KeyFile, key: VaultKey) -> KeyFile:
            if wanted:
                desktop_keyring.keep(key)
            elif file.wrapped is None:
                raise StoreError(f"Only the keyring has the key of {self._folder}. Choose a passphrase first.")
            else:
                desktop_keyring.remove(key.vault)
            return replace(file, in_keyring=wanted)

        self._rewrite(changed)

    def _file(self) -> KeyFile | None:
        with told_plainly(self._folder / KEY_FILE_NAME):
            return read_key_file(self._folder)

    def _key(self) -> VaultKey:
        key = key_of(self._folder)
        if key is None:
            raise StoreError(f"{self._folder} is not encrypted. To encrypt it: noderag encrypt.")
        return key

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps other writers out inside the block; creates the vault's folder if it is missing."""
        from noderag_local.storage.database.lock import WriterLock

        self._close()
        with told_plainly(self._folder):
            make_private_folder(self._folder)
            lock = WriterLock(self._folder)
            lock.take()
        try:
            with told_plainly(self._folder):
                remove_unfinished(self._folder)
            yield
        finally:
            lock.release()

    def _new_file(self, passphrase: str, keyring: bool, log2_n: int) -> tuple[KeyFile, VaultKey]:
        """Returns a new key and its key file, which `encrypt_folder` writes before it encrypts anything."""
        from noderag_local.storage.encryption.conversion import check_convertible, databases

        if not passphrase and not keyring:
            raise StoreError("Nobody could open a vault without a passphrase or a keyring. Choose one of them.")
        if databases(self._folder):
            # Somebody may have put unencrypted files in place of an encrypted vault.
            refuse_plain(self._folder)
        check_convertible(self._folder, None)
        key = VaultKey.new()
        file = KeyFile.of(key)
        if passphrase:
            file = file.with_passphrase(key, passphrase, log2_n)
        if keyring:
            from noderag_local.storage.encryption import desktop_keyring

            desktop_keyring.keep(key)
            file = replace(file, in_keyring=True)
        give(key)
        return file, key

    def _converted(
        self, file: KeyFile, key: VaultKey, encrypts: bool, drop_backups: bool, progress: ConversionProgress
    ) -> Converted:
        from noderag_local.storage.encryption.vault_conversion import VaultConversion

        with told_plainly(self._folder):
            return VaultConversion(self._folder, file, key, encrypts=encrypts, drops_backups=drop_backups).run(progress)

    def _rewrite(self, changed: Callable[[KeyFile, VaultKey], KeyFile]) -> None:
        self._key()
        with self._alone():
            # Checked again, since another process may have decrypted the vault and encrypted it with another key.
            file, key = self._file(), self._key()
            if file is None:
                raise sealed(self._folder)
            written = changed(file, key)
            with told_plainly(self._folder):
                for place in (self._folder, *Backups(self._folder).places()):
                    there = _key_file_of(place)
                    if there is not None and there.proof == file.proof:
                        replace(written, plain=there.plain, plain_mac=there.plain_mac).write(place)


def _key_file_of(place: Path) -> KeyFile | None:
    """Returns the key file in a folder; None if it is missing or damaged."""
    try:
        return read_key_file(place)
    except VaultDamaged:
        return None
