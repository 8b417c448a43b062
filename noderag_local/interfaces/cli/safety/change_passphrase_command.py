"""`noderag passphrase`: another passphrase for an encrypted vault, and whether the keyring has its key."""

from __future__ import annotations

from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase

Keyring = Annotated[
    bool | None,
    typer.Option(
        "--keyring/--no-keyring",
        show_default=False,
        help="Instead: give the key to the desktop's keyring, or take it from there.",
    ),
]


def change_passphrase(
    keyring: Keyring = None, passphrase_file: PassphraseFile = None, vault: VaultDir = None, as_json: AsJson = False
) -> None:
    """Choose another passphrase for the vault.

    It takes a second, as only the key is encrypted anew. The backups in the vault's folder get the new passphrase, too; those elsewhere keep the old one. Who knows the old one and has such a copy can still open the vault: where that matters, decrypt and encrypt it, which makes a new key.

    \b
    Examples:
      noderag passphrase
      noderag passphrase --keyring
    """
    from noderag_local.interfaces.cli.notes.documents_command import print_document
    from noderag_local.interfaces.cli.printed import console, show

    with opened_vault(vault) as opened:
        if not opened.encryption.protection().is_encrypted:
            raise typer.BadParameter("the vault is not encrypted; noderag encrypt does that")
        if keyring is None:
            opened.encryption.change_passphrase(passphrase(passphrase_file, new=True)())
            done = "The passphrase is changed."
        else:
            opened.encryption.keep_in_keyring(keyring)
            done = "The desktop's keyring has the key." if keyring else "The keyring does not have the key any more."
        protection = opened.encryption.protection()
    if as_json:
        print_document({"vault": opened.folder, "protection": protection})
        return
    show(console(), done)
