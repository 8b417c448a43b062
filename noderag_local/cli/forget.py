"""`noderag forget`: takes documents out of the vault again."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from noderag_local.vault import Vault

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Files and folders that were indexed.", show_default=False)
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def forget(paths: Paths, yes: Yes = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Take files or folders out of the vault.

    Everything that was made of them goes; the files themselves stay where they are. Indexing a folder above leaves them out from then on; indexing one by its own path takes it back. Kept conversations may still quote them.

    \b
    Examples:
      noderag forget ~/notes/diary.md
      noderag forget ~/papers --yes
    """
    from noderag_local.cli.documents import print_document
    from noderag_local.cli.failures import STOPPED, say
    from noderag_local.cli.interruption import clean_stop
    from noderag_local.cli.stages import shown_stages

    with opened_vault(vault) as opened:
        if not yes and not _agreed(opened, paths):
            say("Nothing was forgotten.")
            return
        with (
            clean_stop("Stopping; what is removed stays so. Ctrl-C again stops at once.") as stop,
            shown_stages() as progress,
        ):
            report = opened.forget(paths, progress=progress, cancelled=stop.asked)
        folder = opened.folder
    if as_json:
        from dataclasses import asdict

        print_document({"vault": folder, **asdict(report)})
    else:
        _print_report(report.files, report.documents)
    if report.stopped:
        raise typer.Exit(STOPPED)


def _agreed(opened: Vault, paths: list[Path]) -> bool:
    """Whether the person wants it; also where there is nothing to ask about, and the vault has the last word.

    Raises:
        BadParameter: there is nobody to ask.
    """
    from noderag_local.amounts import counted
    from noderag_local.cli.screen import place

    library = opened.atlas.library()
    found = {
        (document.path, document.record)
        for path in paths
        for document in library.within(os.path.abspath(path.expanduser()))
    }
    if not found:
        return True
    if not sys.stdin.isatty():
        raise typer.BadParameter("forgetting asks first, and there is no terminal to ask at; say --yes")
    names = ", ".join(place(str(path)) for path in paths)
    question = f"Forget {counted(len(found), 'documents')} of {names}? Kept conversations may still quote them."
    return typer.confirm(question, err=True)


def _print_report(files: int, documents: int) -> None:
    from noderag_local.amounts import counted
    from noderag_local.cli.screen import console, show

    out = console()
    show(out, f"Forgot {counted(documents, 'documents')} of {counted(files, 'files')}; on disk nothing has changed.")
    show(out, "Indexing leaves them out from now on; index one by its own path to take it back.")
