"""The steps that `noderag encrypt` and `noderag decrypt` share: backups, progress, result."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from noderag_local.domain.progress import Progress
    from noderag_local.storage.encryption.vault_conversion import Converted
    from noderag_local.vault.vault import Vault


class BackupHandling(StrEnum):
    """The choice of what happens to the backups in the vault's folder."""

    CONVERT = "convert"
    REMOVE = "remove"


OfBackups = Annotated[
    BackupHandling | None,
    typer.Option(
        "--backups", show_default=False, help="What becomes of the backups in the vault's folder; else you are asked."
    ),
]


class Convert(Protocol):
    """Encrypts or decrypts a vault."""

    def __call__(self, *, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Converted: ...


def drops_backups(opened: Vault, chosen: BackupHandling | None, verb: str) -> bool:
    """Whether to remove the backups in the vault's folder; asks at a terminal, and otherwise keeps them."""
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

    with (
        clean_stop("Stopping; the vault opens all the same. Ctrl-C again stops at once.") as stop,
        shown_stages() as progress,
    ):
        return convert(progress=progress, cancelled=stop.asked)


def tell(opened: Vault, done: Converted, in_words: str, as_json: bool) -> None:
    """Prints how the conversion ended.

    Args:
        in_words: what is true of the vault where it was not stopped.

    Raises:
        Exit: it was stopped.
    """
    from dataclasses import asdict

    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.notes.documents_command import print_document
    from noderag_local.interfaces.cli.printed import console, place, show

    if as_json:
        print_document({"vault": opened.folder, **asdict(done)})
    elif done.stopped:
        show(console(), "What was done by then stays so; the passphrase or the keyring opens the vault.")
        show(console(), "To have all of it encrypted: noderag encrypt. To have none of it encrypted: noderag decrypt.")
    else:
        show(console(), in_words)
        for folder in done.left:
            told = "could not be converted and stays as it was. Delete it if you do not need it."
            show(console(), f"{place(str(folder))} {told}")
    if done.stopped:
        raise typer.Exit(STOPPED)
