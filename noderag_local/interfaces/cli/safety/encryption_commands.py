"""`noderag encrypt`, `noderag decrypt` and `noderag passphrase`: manages the encryption of the vault."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_old_blocks
from noderag_local.interfaces.cli.options import AsJson, VaultDir, Yes, opened_vault
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from noderag_local.domain.progress import Progress
    from noderag_local.storage.encryption.vault_conversion import Converted
    from noderag_local.vault.vault import Vault


class BackupHandling(StrEnum):
    """What to do with the backups in the vault's folder."""

    CONVERT = "convert"
    REMOVE = "remove"


OfBackups = Annotated[
    BackupHandling | None,
    typer.Option(
        "--backups",
        show_default=False,
        help="What to do with the backups in the vault's folder; otherwise you are asked.",
    ),
]


class Convert(Protocol):
    """Method that encrypts or decrypts a vault."""

    def __call__(self, *, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Converted:
        """Converts the vault, reports progress, and ends cleanly when `cancelled` returns True."""


def drops_backups(opened: Vault, chosen: BackupHandling | None, verb: str) -> bool:
    """Returns whether to remove the backups in the vault's folder; asks at a terminal, and otherwise keeps them."""
    if chosen is None and sys.stdin.isatty():
        from noderag_local.system.printing.amounts import counted

        there = opened.safety.backups()
        if there:
            question = f"{verb} {counted(len(there), 'backups')} as well? If not, they are removed."
            return not typer.confirm(question, default=True, err=True)
    return chosen is BackupHandling.REMOVE


def shown(convert: Convert) -> Converted:
    """Converts the vault and shows the progress."""
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.stage_bars import shown_stages
    from noderag_local.interfaces.resident.leaving import told_by_resident

    # It may have the vault open, which must be this process's alone.
    told_by_resident("end")
    with (
        clean_stop("Stopping; the vault can still be opened. Ctrl-C again stops at once.") as stop,
        shown_stages() as progress,
    ):
        return convert(progress=progress, cancelled=stop.asked)


def tell(opened: Vault, done: Converted, in_words: str, as_json: bool) -> None:
    """Prints the result of a conversion.

    Args:
        opened: the vault.
        done: what the conversion did.
        in_words: sentence about the vault's new state, if the conversion was not stopped.
        as_json: True prints one JSON document instead of sentences.

    Raises:
        Exit: the conversion was stopped.
    """
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.printed import console, place, show

    if as_json:
        _print_document(opened, done)
    elif done.stopped:
        show(console(), "What was done is kept; the passphrase or the keyring opens the vault.")
        show(console(), "To encrypt all of it: noderag encrypt. To decrypt all of it: noderag decrypt.")
    else:
        show(console(), in_words)
        for folder in done.left:
            told = "could not be converted and is unchanged. Delete it if you do not need it."
            show(console(), f"{place(str(folder))} {told}")
    if done.stopped:
        raise typer.Exit(STOPPED)


def _tell_unchanged(opened: Vault, told: str, as_json: bool) -> None:
    """Prints that a conversion was not begun, and why."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.storage.encryption.vault_conversion import Converted

    say(told)
    if as_json:
        _print_document(opened, Converted(backups=0, left=(), stopped=False))


def _print_document(opened: Vault, done: Converted) -> None:
    from dataclasses import asdict

    from noderag_local.interfaces.cli.json_output import print_document

    is_encrypted = opened.encryption.protection().is_encrypted
    print_document({"vault": opened.folder, "encrypted": is_encrypted, **asdict(done)})


InKeyring = Annotated[
    bool, typer.Option("--keyring", help="Also store the key in the desktop's keyring, so that you are not asked here.")
]
KeyringOnly = Annotated[
    bool, typer.Option("--keyring-only", help="Use no passphrase; if the keyring is lost, so is the vault.")
]


def encrypt(
    keyring: InKeyring = False,
    keyring_only: KeyringOnly = False,
    backups: OfBackups = None,
    passphrase_file: PassphraseFile = None,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Encrypt the vault with a passphrase.

    Database, full-text index, vectors, caches, conversations and backups are encrypted; your notes themselves, and what you export, are not. An empty vault can be encrypted as well. Without the passphrase or your keyring nobody can read anything; a forgotten passphrase cannot be replaced.

    Unencrypted files of the vault are overwritten. On SSDs, and where the file system or a backup program keeps old versions, parts of them may stay readable until the space is reused. Backups in other folders are not changed. Close other windows of noderag before. Ctrl-C stops cleanly. After any interruption the vault can still be opened; run the command again.

    \b
    Examples:
      noderag encrypt
      noderag encrypt --keyring
      noderag encrypt --passphrase-file ~/.secret --backups remove
    """
    from functools import partial

    from noderag_local.interfaces.cli.printed import console, show

    with opened_vault(vault) as opened:
        encryption = opened.encryption
        goes_on = encryption.protection().is_encrypted
        was_whole = goes_on and all(finding.ok for finding in encryption.check())
        # If everything is encrypted already, there is nothing to ask.
        drop = drops_backups(opened, backups or BackupHandling.CONVERT if was_whole else backups, "Encrypt")
        chosen = "" if keyring_only or goes_on else passphrase(passphrase_file, new=True)()
        done = shown(partial(encryption.encrypt, chosen, keyring=keyring or keyring_only, drop_backups=drop))
        protection = encryption.protection()
    so = "The vault was already encrypted; nothing is left to do." if was_whole else "The vault is encrypted."
    if not was_whole:
        tell_of_old_blocks(opened.folder)
    tell(opened, done, so, as_json)
    if not protection.has_passphrase and not as_json:
        show(console(), "Only this machine's keyring opens it and its backups. To add a passphrase: noderag passphrase")


def decrypt(backups: OfBackups = None, yes: Yes = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Remove the encryption of the vault.

    Close other windows of noderag before. Ctrl-C stops cleanly. After any interruption the vault can still be opened; run the command again. The desktop's keyring keeps the key, since backups elsewhere may need it.

    Example: noderag decrypt
    """
    from functools import partial

    with opened_vault(vault) as opened:
        if not opened.encryption.protection().is_encrypted:
            _tell_unchanged(opened, "The vault is not encrypted.", as_json)
            return
        if not yes:
            if not sys.stdin.isatty():
                raise typer.BadParameter("decrypting asks first, and there is no terminal to ask at; say --yes")
            if not typer.confirm(f"Make {opened.folder} readable for everybody who has access to the disk?", err=True):
                _tell_unchanged(opened, "The vault stays encrypted.", as_json)
                return
        drop = drops_backups(opened, backups, "Decrypt")
        done = shown(partial(opened.encryption.decrypt, drop_backups=drop))
    tell(opened, done, "The vault is no longer encrypted.", as_json)


Keyring = Annotated[
    bool | None,
    typer.Option(
        "--keyring/--no-keyring",
        show_default=False,
        help="Instead of a new passphrase: store the key in the desktop's keyring, or remove it from there.",
    ),
]


def change_passphrase(
    keyring: Keyring = None, passphrase_file: PassphraseFile = None, vault: VaultDir = None, as_json: AsJson = False
) -> None:
    """Choose another passphrase for the vault.

    It takes a second, because only the key is encrypted again. The backups in the vault's folder get the new passphrase as well; those elsewhere keep the old one. Whoever knows the old passphrase and has such a copy can still open the vault. If that matters, decrypt and encrypt the vault, which makes a new key.

    \b
    Examples:
      noderag passphrase
      noderag passphrase --keyring
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, show

    with opened_vault(vault) as opened:
        if not opened.encryption.protection().is_encrypted:
            raise typer.BadParameter("the vault is not encrypted; encrypt it with noderag encrypt")
        if keyring is None:
            opened.encryption.change_passphrase(passphrase(passphrase_file, new=True)())
            done = "The passphrase is changed."
        else:
            opened.encryption.keep_in_keyring(keyring)
            done = "The desktop's keyring has the key." if keyring else "The keyring no longer has the key."
        protection = opened.encryption.protection()
    if as_json:
        print_document({"vault": opened.folder, "protection": protection})
        return
    show(console(), done)
