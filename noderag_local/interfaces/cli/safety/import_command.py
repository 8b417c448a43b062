"""`noderag import`: a vault from an export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase

ROOTS_SHOWN = 10

File = Annotated[Path, typer.Argument(metavar="FILE", help="What noderag export FILE.jsonl wrote.", show_default=False)]


def import_(
    file: File, passphrase_file: PassphraseFile = None, vault: VaultDir = None, as_json: AsJson = False
) -> None:
    """Make a vault from an export.

    It is the same as the one that was exported, and must hold nothing yet. The folders that its notes were read from are not followed until you index them by name. A file that was cut or changed is refused, and nothing of it is kept. An encrypted one asks for its passphrase.

    \b
    Example:
      noderag import vault.jsonl --vault ~/second-vault
    """
    from noderag_local.interfaces.cli.notes.documents_command import print_document
    from noderag_local.interfaces.cli.printed import console, place, show

    with opened_vault(vault) as opened:
        done = opened.exchange.read_archive(file, passphrase(passphrase_file, new=False))
        folder = opened.folder
    if as_json:
        from dataclasses import asdict

        print_document({"vault": folder, **asdict(done)})
    else:
        out = console()
        show(out, f"Imported {done.rows:,} rows of {done.documents:,} documents into {folder}")
        for root in done.roots[:ROOTS_SHOWN]:
            show(out, f"Not followed until you index it: {place(root)}")
        if len(done.roots) > ROOTS_SHOWN:
            show(out, f"and {len(done.roots) - ROOTS_SHOWN:,} more; --json lists them all.")
