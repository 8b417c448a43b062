"""Encryption of a vault at rest: putting it on, taking it off, and changing what opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from noderag_local.errors import StoreError
from noderag_local.passphrase_key import LOG2_N
from noderag_local.records import Finding
from noderag_local.store.backups import Backups
from noderag_local.store.cache_file import caches, remove_caches, remove_unfinished
from noderag_local.store.faults import told_plainly
from noderag_local.store.key_file import KeyFile, key_of, read_key_file, sealed
from noderag_local.store.private_files import make_private_folder
from noderag_local.store.vault_key import KEY_FILE_NAME, VaultKey, give
from noderag_local.unlocking import AskPassphrase, unlock


@dataclass(frozen=True, slots=True)
class Protection:
    """How a vault is protected."""

    is_encrypted: bool
    has_passphrase: bool
    in_keyring: bool


@dataclass(frozen=True, slots=True)
class Converted:
    """What encrypting or decrypting did."""

    backups: int
    """Folders of backups, and of what was put aside, that were converted or removed."""
    left: tuple[Path, ...]
    """Those that could not be, and are as they were."""


class VaultEncryption:
    """`Vault.encryption`."""

    def __init__(self, folder: Path, close: Callable[[], None]) -> None:
        """Works on the vault in a folder.

        Args:
            close: gives back what the vault has open of its files.
        """
        self._folder = folder
        self._close = close

    def protection(self) -> Protection:
        """How the vault is protected; asks for nothing.

        Raises:
            VaultDamaged: the key file is damaged.
        """
        file = self._file()
        return Protection(file is not None, bool(file and file.wrapped), bool(file and file.in_keyring))

    def unlock(self, ask: AskPassphrase | None = None) -> None:
        """As `unlocking.unlock`."""
        unlock(self._folder, ask)

    def check(self) -> list[Finding]:
        """Whether all that should be encrypted is; nothing for a vault that is not encrypted.

        Raises:
            VaultSealed: the key was not given.
            StoreError: a database cannot be read.
        """
        from noderag_local.store.conversion import forms

        key = key_of(self._folder)
        if key is None:
            return []
        left = [name for name, encrypted in forms(self._folder, key).items() if not encrypted]
        if left:
            remedy = "Encrypt what is left: noderag encrypt. Or end what was begun: noderag decrypt."
            return [Finding("encryption", False, f"not encrypted: {', '.join(left)}", remedy)]
        return [Finding("encryption", True, "databases, backups made since, and caches are encrypted")]

    def encrypt(
        self, passphrase: str, *, keyring: bool = False, drop_backups: bool = False, log2_n: int = LOG2_N
    ) -> Converted:
        """Encrypts everything in the vault's folder that comes from notes; one that was interrupted is brought to its end.

        A kill at any instant leaves a vault that opens. What was there is overwritten, as far as the file system lets.

        Args:
            passphrase: opens the vault from now on; "": none does, and the keyring alone has the key. A vault that is
                encrypted in part already keeps its own.
            keyring: the desktop's keyring is given the key, so that nobody is asked on this machine.
            drop_backups: removes all backups in the vault's folder; else they are encrypted.
            log2_n: of scrypt's n, for tests.

        Raises:
            VaultSealed: it is encrypted in part already, and that key was not given.
            VaultLocked: another process is writing to it.
            VaultDamaged: it is not in order, and stays as it is.
            StoreError: it is open in another program; there is no room; the keyring cannot be used.
        """
        with self._alone():
            file = self._file()
            if file is None:
                file = self._new_file(passphrase, keyring, log2_n)
            return self._encrypt_all(file, drop_backups)

    def decrypt(self, *, drop_backups: bool = False) -> Converted:
        """Takes the encryption off; one that was interrupted is brought to its end. The keyring keeps what it was given.

        Args:
            drop_backups: removes all backups in the vault's folder; else they are decrypted.

        Raises:
            VaultSealed, VaultLocked, VaultDamaged, StoreError: as `encrypt`.
        """
        from noderag_local.store.conversion import convert_folder

        with self._alone():
            file = self._file()
            if file is None:
                return Converted(0, ())
            key = self._key()
            with told_plainly(self._folder):
                convert_folder(self._folder, None, key)
                remove_caches(self._folder)
                done = self._each_backup(file, drop_backups, lambda place: _decrypt_place(place, key))
                (self._folder / KEY_FILE_NAME).unlink()
            return done

    def change_passphrase(self, passphrase: str, *, log2_n: int = LOG2_N) -> None:
        """Lets another passphrase open the vault and its backups there; nothing is encrypted anew.

        Raises:
            VaultSealed: the vault's key was not given.
            StoreError: it is not encrypted, or cannot be written.
        """
        self._rewrite(lambda file, key: file.with_passphrase(key, passphrase, log2_n))

    def keep_in_keyring(self, wanted: bool) -> None:
        """Gives the key to the desktop's keyring, or takes it from there.

        Raises:
            VaultSealed: the vault's key was not given.
            StoreError: it is not encrypted, no passphrase would open it, or the keyring cannot be used.
        """
        from noderag_local.store import desktop_keyring

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
        """Keeps other writers out; a folder that is not there is made."""
        from noderag_local.store.lock import WriterLock

        self._close()
        with told_plainly(self._folder):
            make_private_folder(self._folder)
            lock = WriterLock(self._folder)
            lock.take()
        try:
            remove_unfinished(self._folder)
            yield
        finally:
            lock.release()

    def _new_file(self, passphrase: str, keyring: bool, log2_n: int) -> KeyFile:
        """The key file of a new key, on the disk before anything is encrypted by it."""
        if not passphrase and not keyring:
            raise StoreError("A vault that nothing opens would be lost. Choose a passphrase, or the desktop's keyring.")
        key = VaultKey.new()
        file = KeyFile.of(key)
        if passphrase:
            file = file.with_passphrase(key, passphrase, log2_n)
        if keyring:
            from noderag_local.store import desktop_keyring

            desktop_keyring.keep(key)
            file = replace(file, in_keyring=True)
        with told_plainly(self._folder):
            file.write(self._folder)
        give(key)
        return file

    def _encrypt_all(self, file: KeyFile, drop_backups: bool) -> Converted:
        from noderag_local.store.conversion import convert_folder
        from noderag_local.store.on_disk import wipe

        key = self._key()
        with told_plainly(self._folder):
            convert_folder(self._folder, key, None)
            for path in caches(self._folder):
                wipe(path)
            return self._each_backup(file, drop_backups, lambda place: _encrypt_place(place, file, key))

    def _each_backup(self, file: KeyFile, drop: bool, convert: Callable[[Path], None]) -> Converted:
        done, left = 0, []
        for place in Backups(self._folder).places():
            theirs = read_key_file(place)
            if theirs is not None and theirs.proof != file.proof:
                left.append(place)
                continue
            try:
                if drop:
                    _wipe_place(place)
                else:
                    convert(place)
                done += 1
            except StoreError:
                # One that was put aside may be there because it is damaged.
                left.append(place)
        return Converted(done, tuple(left))

    def _rewrite(self, changed: Callable[[KeyFile, VaultKey], KeyFile]) -> None:
        file, key = self._file(), self._key()
        if file is None:
            raise sealed(self._folder)
        written = changed(file, key)
        with told_plainly(self._folder):
            for place in (self._folder, *Backups(self._folder).places()):
                theirs = read_key_file(place)
                if theirs is not None and theirs.proof == file.proof:
                    written.write(place)


def _encrypt_place(place: Path, file: KeyFile, key: VaultKey) -> None:
    from noderag_local.store.conversion import convert_folder

    file.write(place)
    convert_folder(place, key, None)


def _decrypt_place(place: Path, key: VaultKey) -> None:
    from noderag_local.store.conversion import convert_folder

    if (place / KEY_FILE_NAME).exists():
        convert_folder(place, None, key)
        (place / KEY_FILE_NAME).unlink()


def _wipe_place(place: Path) -> None:
    from noderag_local.store.on_disk import wipe

    for path in place.iterdir():
        wipe(path)
    place.rmdir()
