"""`noderag backup`: a copy of the vault that is known to be whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.system.paths import absolute

Place = Annotated[
    Path | None,
    typer.Argument(metavar="[DIR]", help="Folder for the backup; else one in the vault's.", show_default=False),
]
Only = Annotated[
    bool, typer.Option("--only", help="Delete all other backups there, which may hold what was forgotten since.")
]


def backup(place: Place = None, only: Only = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Make a backup of the vault and its conversations.

    It may be in use meanwhile. The copy is read whole and compared before it counts. Kept are the newest three, one for each of the last days, and one for each of the last weeks; noderag also makes one by itself after long work, at most one a day.

    \b
    Examples:
      noderag backup
      noderag backup /media/stick/noderag
      noderag backup --only
    """
    from noderag_local.interfaces.cli.notes.documents_command import print_document
    from noderag_local.interfaces.cli.printed import console, show

    with opened_vault(vault) as opened:
        made = opened.safety.back_up(place and absolute(place), only=only)
    if as_json:
        print_document({"backup": made.folder, "made": made.made.isoformat(), "size_bytes": made.size_bytes})
        return
    out = console()
    show(out, f"Backup of {made.size_bytes / 1e6:,.1f} MB in {made.folder}; it was checked.")
    show(out, "To go back to it: noderag restore")
