"""`noderag encrypt`: what is made of notes is on the disk only in a form that a passphrase opens."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.cli.passphrase import PassphraseFile, passphrase

if TYPE_CHECKING:
    from noderag_local.vault import Vault
    from noderag_local.vault_encryption import Converted


class Backups(StrEnum):
    """What becomes of the backups in the vault's folder."""

    CONVERT = "convert"
    REMOVE = "remove"


OfBackups = Annotated[
    Backups | None,
    typer.Option(
        "--backups", show_default=False, help="What becomes of the backups in the vault's folder; else you are asked."
    ),
]
InKeyring = Annotated[
    bool, typer.Option("--keyring", help="Also give the key to the desktop's keyring, so that nobody is asked here.")
]
KeyringOnly = Annotated[
    bool, typer.Option("--keyring-only", help="Without a passphrase: if the keyring is lost, so is the vault.")
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

    Database, full-text index, vectors, caches, conversations and backups are encrypted; your notes themselves, and what you export, are not. A vault that is still empty can be encrypted, too. Whoever knows neither the passphrase nor your keyring can read nothing; a forgotten passphrase cannot be replaced.

    What was there unencrypted is overwritten. On SSDs, and where the file system or a backup program keeps old versions, parts of it may stay readable until they are reused. Backups in other folders stay as they are. Close other windows of noderag before. If it is interrupted, the vault opens all the same; run it again.

    \b
    Examples:
      noderag encrypt
      noderag encrypt --keyring
      noderag encrypt --passphrase-file ~/.secret --backups remove
    """
    from noderag_local.cli.documents import print_document
    from noderag_local.cli.screen import console, show

    with opened_vault(vault) as opened:
        went_on = opened.encryption.protection().is_encrypted
        drop = drops_backups(opened, backups, "Encrypt")
        chosen = "" if keyring_only or went_on else passphrase(passphrase_file, new=True)()
        done = opened.encryption.encrypt(chosen, keyring=keyring or keyring_only, drop_backups=drop)
        protection = opened.encryption.protection()
    if as_json:
        print_document({"vault": opened.folder, "backups": done.backups, "left": done.left})
        return
    out = console()
    show(out, "The vault was encrypted already; nothing is left to do." if went_on else "The vault is encrypted.")
    tell_left(done)
    if not protection.has_passphrase:
        show(out, "Only this machine's keyring opens it and its backups. To have another way: noderag passphrase")


def drops_backups(opened: Vault, chosen: Backups | None, verb: str) -> bool:
    """Whether the backups in the vault's folder are to be removed; asks where that is possible, and else keeps them."""
    if chosen is None and sys.stdin.isatty():
        from noderag_local.amounts import counted

        there = opened.safety.backups()
        if there:
            question = f"{verb} {counted(len(there), 'backups')} as well? If not, they are removed."
            return not typer.confirm(question, default=True, err=True)
    return chosen is Backups.REMOVE


def tell_left(done: Converted) -> None:
    """Names the backups that stay as they were."""
    from noderag_local.cli.screen import console, place, show

    for folder in done.left:
        show(
            console(),
            f"{place(str(folder))} could not be converted and stays as it was. Delete it if you do not need it.",
        )
