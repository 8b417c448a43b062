"""`noderag decrypt`: the vault without encryption again."""

from __future__ import annotations

import typer

from noderag_local.cli.encrypt import OfBackups, drops_backups, tell_left
from noderag_local.cli.options import AsJson, VaultDir, Yes, opened_vault


def decrypt(backups: OfBackups = None, yes: Yes = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Take the encryption of the vault off.

    Close other windows of noderag before. If it is interrupted, the vault opens all the same; run it again. The desktop's keyring keeps the key, since backups elsewhere may need it.

    Example: noderag decrypt
    """
    import sys

    from noderag_local.cli.documents import print_document
    from noderag_local.cli.failures import say
    from noderag_local.cli.screen import console, show

    with opened_vault(vault) as opened:
        if not opened.encryption.protection().is_encrypted:
            say("The vault is not encrypted.")
            return
        if not yes:
            if not sys.stdin.isatty():
                raise typer.BadParameter("decrypting asks first, and there is no terminal to ask at; say --yes")
            if not typer.confirm(f"Let everybody who gets at the disk read {opened.folder}?", err=True):
                say("The vault stays encrypted.")
                return
        done = opened.encryption.decrypt(drop_backups=drops_backups(opened, backups, "Decrypt"))
    if as_json:
        print_document({"vault": opened.folder, "backups": done.backups, "left": done.left})
        return
    show(console(), "The vault is not encrypted any more.")
    tell_left(done)
