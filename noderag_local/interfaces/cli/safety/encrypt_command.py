"""`noderag encrypt`: what is made of notes is on the disk only in a form that a passphrase opens."""

from __future__ import annotations

from typing import Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_old_blocks
from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.interfaces.cli.safety.converting import BackupHandling, OfBackups, drops_backups, shown, tell
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase

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

    What was there unencrypted is overwritten. On SSDs, and where the file system or a backup program keeps old versions, parts of it may stay readable until they are reused. Backups in other folders stay as they are. Close other windows of noderag before. Ctrl-C once stops cleanly. However it is interrupted, the vault opens all the same; run it again.

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
        # Where all is done already, there is nothing to ask.
        drop = drops_backups(opened, backups or BackupHandling.CONVERT if was_whole else backups, "Encrypt")
        chosen = "" if keyring_only or goes_on else passphrase(passphrase_file, new=True)()
        done = shown(partial(encryption.encrypt, chosen, keyring=keyring or keyring_only, drop_backups=drop))
        protection = encryption.protection()
    so = "The vault was encrypted already; nothing is left to do." if was_whole else "The vault is encrypted."
    if not was_whole:
        tell_of_old_blocks(opened.folder)
    tell(opened, done, so, as_json)
    if not protection.has_passphrase and not as_json:
        show(console(), "Only this machine's keyring opens it and its backups. To have another way: noderag passphrase")
