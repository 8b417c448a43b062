"""`noderag decrypt`: the vault without encryption again."""

from __future__ import annotations

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, Yes, opened_vault
from noderag_local.interfaces.cli.safety.converting import OfBackups, drops_backups, shown, tell


def decrypt(backups: OfBackups = None, yes: Yes = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Take the encryption of the vault off.

    Close other windows of noderag before. Ctrl-C once stops cleanly. However it is interrupted, the vault opens all the same; run it again. The desktop's keyring keeps the key, since backups elsewhere may need it.

    Example: noderag decrypt
    """
    import sys
    from functools import partial

    from noderag_local.interfaces.cli.failures import say

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
        drop = drops_backups(opened, backups, "Decrypt")
        done = shown(partial(opened.encryption.decrypt, drop_backups=drop))
    tell(opened, done, "The vault is not encrypted any more.", as_json)
