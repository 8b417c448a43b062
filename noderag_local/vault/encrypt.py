"""Encryption of a vault at rest: putting it on, taking it off, and changing what opens it."""

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
    """Encryption of a vault, as `Vault.encryption` gives it."""

    def __init__(self, folder: Path, close: Callable[[], None]) -> None:
        """Names a vault's folder; nothing is opened yet.

        Args:
            folder: of the vault.
            close: closes the files that the vault has open.
        """
        self._folder = folder
        self._close = close

    def protection(self) -> Protection:
        """Returns how the vault is protected; asks for no passphrase.

        Raises:
            VaultDamaged: the key file is damaged.
        """
        file = self._file()
        return Protection(file is not None, bool(file and file.wrapped), bool(file and file.in_keyring))

    def unlock(self, ask: AskPassphrase | None = None) -> None:
        """Opens an encrypted vault for this process, as `storage.encryption.unlock.unlock` does."""
        unlock(self._folder, ask)

    def check(self) -> list[Finding]:
        """Checks that everything is encrypted that should be; returns nothing for a plain vault. Asks for no key.

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
                "Finish what was begun: run noderag encrypt, or noderag decrypt. A file that it refuses was put there since: "
                "remove it, or move it to another folder if it is yours."
            )
            return [Finding("encryption", False, f"not encrypted: {', '.join(left)}", remedy)]
        return [Finding("encryption", True, "databases, backups in the vault's folder, and caches are encrypted")]

    def plain_copy_note(self, path: Path) -> str:
        """Returns the warning about a file outside the vault that holds text of the notes unencrypted.

        The warning is empty where the vault is not encrypted either.

        Raises:
            VaultDamaged: the key file is damaged.
        """
        if not self.protection().is_encrypted:
            return ""
        return f"{path} is plain text, though the vault is encrypted: whoever can read the file, or its disk, can read your notes in it."

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
        """Encrypts everything in the vault's folder that comes from notes; finishes an interrupted run.

        A kill at any instant leaves a vault that opens. What was there is overwritten, as far as the file system lets.

        Args:
            passphrase: opens the vault from now on; "": none does, and the keyring alone has the key. A vault that is
                encrypted in part already keeps its own.
            keyring: the desktop's keyring is given the key, so that nobody is asked on this machine.
            drop_backups: removes all backups in the vault's folder; else they are encrypted.
            progress: told how far it is.
            cancelled: asked often; what is done by then stays done.
            log2_n: logarithm to base 2 of scrypt's cost n; tests take a small one.

        Raises:
            VaultSealed: it is encrypted in part already, and that key was not given.
            VaultLocked: another process is writing to it.
            VaultDamaged: it is not in order, and stays as it is.
            StoreError: it is open in another program; there is no room; the keyring cannot be used.
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
        """Decrypts the vault; finishes an interrupted run. The keyring keeps what it was given.

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
        """Changes the passphrase of the vault and of the backups in its folder; nothing is encrypted anew.

        Raises:
            VaultSealed: the vault's key was not given.
            VaultLocked: another process is writing to it.
            StoreError: it is not encrypted, or cannot be written.
        """
        self._rewrite(lambda file, key: file.with_passphrase(key, passphrase, log2_n))

    def keep_in_keyring(self, wanted: bool) -> None:
        """Adds the key to the desktop's keyring, or removes it there.

        Raises:
            VaultSealed, VaultLocked: as `change_passphrase`.
            StoreError: it is not encrypted, no passphrase would open it, or the keyring cannot be used.
        """
        from noderag_local.storage.encryption import desktop_keyring

        def changed(file: KeyFile, key: VaultKey) -> KeyFile:
            if wanted:
                desktop_keyring.keep(key)
            elif file.wrapped is None:
                raise StoreError(f"Nothing but the keyring opens {self._folder}. Choose a passphrase first.")
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
        """Keeps other writers out inside the block; makes the folder when it is missing."""
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
        """Makes a new key and its file, which `encrypt_folder` writes before anything is encrypted with it."""
        from noderag_local.storage.encryption.conversion import check_convertible, databases

        if not passphrase and not keyring:
            raise StoreError("A vault that nothing opens would be lost. Choose a passphrase, or the desktop's keyring.")
        if databases(self._folder):
            # They may be somebody else's, in the place of an encrypted vault.
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
            # Once more: another process may have decrypted it, and encrypted it by another key.
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
    """Reads the key file of a place; returns None when it is missing or damaged."""
    try:
        return read_key_file(place)
    except VaultDamaged:
        return None
