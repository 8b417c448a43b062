"""`noderag watch`: keeps a vault up to date while its files change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.notes.index_command import KeepOld
from noderag_local.interfaces.cli.options import VaultDir, opened_vault

if TYPE_CHECKING:
    from noderag_local.vault.watch import Followed

Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH]...", help="Folders and files; the default is all in the vault.", show_default=False),
]
ByLines = Annotated[
    bool, typer.Option("--lines", help="Each line of a text file among PATHS is a document of its own.")
]
EachAsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document for each change, each on its own line.")
]


def watch(
    paths: Paths = None,
    by_lines: ByLines = False,
    keep_old: KeepOld = False,
    vault: VaultDir = None,
    each_as_json: EachAsJson = False,
) -> None:
    """Follow folders and files, and index what changes.

    Other commands can read and ask meanwhile. While another command writes, this one waits. If a folder vanishes as a whole, for
    example with its drive, or is suddenly empty, its notes stay in the vault. If the vault's own drive vanishes or the disk is
    full, the command waits.

    Ctrl-C stops it; what is done is kept, and the exit code is 0.

    \b
    Examples:
      noderag watch
      noderag watch ~/notes --vault ~/vaults/work
    """
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.json_output import print_line
    from noderag_local.interfaces.cli.printed import place

    with (
        opened_vault(vault) as opened,
        clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
    ):
        for root in () if paths else opened.exchange.unchosen_roots():
            say(f"Not followed until you index it: {place(root)}")
        say(f"Following what is in {opened.folder}; Ctrl-C stops.")
        opened.watch(
            paths or (),
            by_lines=by_lines,
            keep_old=keep_old,
            told=print_line if each_as_json else _print,
            stopped=stop.asked,
        )


def _print(followed: Followed) -> None:
    """Prints a line about what was done, and one for each file that cannot be read."""
    import time

    from noderag_local.interfaces.cli.printed import console, show

    now = time.strftime("%H:%M:%S")
    for line in _lines(followed):
        show(console(), f"{now} {line}")


def _lines(followed: Followed) -> Iterator[str]:
    from noderag_local.system.printing.amounts import counted, duration

    report = followed.report
    if report is None:
        yield f"Waiting: {followed.waiting}" if followed.waiting else "Following again."
        return
    changes = [(report.added, "documents", "added"), (report.removed, "documents", "removed")]
    changes += [(report.changed, "files", "changed"), (report.moved, "files", "moved")]
    told = ", ".join(f"{counted(number, things)} {what}" for number, things, what in changes if number)
    if told:
        yield f"{told} in {duration(report.elapsed_seconds)}."
    for skip in followed.unreadable:
        yield skip.told
