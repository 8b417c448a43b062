"""`noderag backup` and `noderag restore`: makes verified copies of the vault and restores one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, Yes, opened_vault
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    from noderag_local.storage.backup.restore import Restored
    from noderag_local.vault.vault import Vault

Place = Annotated[
    Path | None,
    typer.Argument(
        metavar="[DIR]", help="Folder for the backup; the default is one in the vault's.", show_default=False
    ),
]
Only = Annotated[
    bool, typer.Option("--only", help="Delete all other backups there, which may hold what was forgotten since.")
]


def backup(place: Place = None, only: Only = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Make a backup of the vault and its conversations.

    Both may be in use meanwhile. The copy is read and compared before it counts as a backup. Of all backups, the newest three are kept, one for each of the last days, and one for each of the last weeks. noderag also makes backups by itself after long work, at most one a day.

    \b
    Examples:
      noderag backup
      noderag backup /media/stick/noderag
      noderag backup --only
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, show

    with opened_vault(vault) as opened:
        made = opened.safety.back_up(place and absolute(place), only=only)
    if as_json:
        print_document({"backup": made.folder, "made": made.made.isoformat(), "size_bytes": made.size_bytes})
        return
    out = console()
    show(out, f"Backup of {made.size_bytes / 1e6:,.1f} MB in {made.folder}; it was checked.")
    show(out, f"To go back to it: noderag restore{f' {shlex.quote(str(made.folder.parent))}' if place else ''}")


Named = Annotated[
    Path | None,
    typer.Argument(
        metavar="[BACKUP]", help="A backup, or a folder of backups; left out: the vault's newest.", show_default=False
    ),
]
Accept = Annotated[
    bool,
    typer.Option(
        "--accept",
        help="Trust the vault's files, although they are older than when you last used them, or no longer encrypted.",
    ),
]


def restore(
    named: Named = None, accept: Accept = False, yes: Yes = False, vault: VaultDir = None, as_json: AsJson = False
) -> None:
    """Replace the vault with a backup.

    The backup is checked first. The present vault is kept aside. Close other windows of noderag before.

    \b
    Examples:
      noderag restore
      noderag restore /media/stick/noderag --yes
      noderag restore --accept
    """
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.interfaces.cli.safety.ask_passphrase import unlock_at_terminal
    from noderag_local.interfaces.resident.leaving import told_by_resident

    if accept and named:
        raise typer.BadParameter(
            "--accept keeps the vault's own files, so it takes no BACKUP; leave out one of the two"
        )
    with opened_vault(vault) as opened:
        what = "Trust the vault in {} as it is?" if accept else "Replace the vault in {} with a backup?"
        if not yes and not _agreed(what.format(opened.folder)):
            say("Nothing was restored.")
            if as_json:
                _print_document(opened)
            return
        if accept:
            opened.safety.accept()
            show(console(stderr=True), f"The vault in {opened.folder} is now trusted as it is.")
            if as_json:
                _print_document(opened, accepted=True)
            return
        chosen = named and absolute(named)
        # A backup from elsewhere has its own key.
        unlock_at_terminal(opened.safety.chosen_backup(chosen).folder)
        told_by_resident("end")
        done = opened.safety.restore(chosen)
    if as_json:
        _print_document(opened, done)
        return
    out = console()
    show(out, f"The vault now has the contents of {done.backup}.")
    if done.aside:
        show(out, f"The previous vault is in {done.aside}. Delete it when you no longer need it.")
    show(out, "To update it: noderag index PATH")


def _print_document(opened: Vault, done: Restored | None = None, *, accepted: bool = False) -> None:
    from noderag_local.interfaces.cli.json_output import print_document

    backup, aside = (done.backup, done.aside) if done else (None, None)
    print_document({"vault": opened.folder, "backup": backup, "aside": aside, "accepted": accepted})


def _agreed(question: str) -> bool:
    """Asks a question and returns whether the person agrees.

    Raises:
        BadParameter: there is no terminal to ask at.
    """
    if not sys.stdin.isatty():
        raise typer.BadParameter("restoring asks first, and there is no terminal to ask at; say --yes")
    return typer.confirm(question, err=True)
