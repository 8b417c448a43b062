"""`noderag forget`: removes documents from the vault."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_old_blocks
from noderag_local.interfaces.cli.options import AsJson, VaultDir, Yes, opened_vault

if TYPE_CHECKING:
    from noderag_local.pipeline.indexing import ForgetReport
    from noderag_local.retrieval.matches import Match
    from noderag_local.vault.vault import Vault

NUMBER = re.compile(r"\d+")
SHOWN_WIDTH = 120
"""Maximum characters shown of a passage that a search found."""

Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH]...", help="Files and folders that were indexed.", show_default=False),
]
Query = Annotated[
    str,
    typer.Option(
        "--query", metavar="WORDS", show_default=False, help="Find files about this, and choose which to forget."
    ),
]
Expect = Annotated[
    int | None,
    typer.Option(
        "--expect",
        metavar="N",
        min=1,
        show_default=False,
        help="With --query: forget the matches without asking which, if there are exactly N.",
    ),
]
KeepConversations = Annotated[
    bool, typer.Option("--keep-conversations", help="Do not delete the conversations that quote them.")
]
Backups = Annotated[
    bool, typer.Option("--backups", help="Also replace all backups by a new one, since they still have the files.")
]


def forget(
    paths: Paths = None,
    query: Query = "",
    expect: Expect = None,
    keep_conversations: KeepConversations = False,
    backups: Backups = False,
    yes: Yes = False,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Remove files or folders from the vault.

    Removes everything that was made from them, to the last byte, and the conversations that quote them; the files themselves stay. From then on, indexing a folder above leaves them out; indexing one by its own path takes it back.

    With --query it shows the files about something, each with the passage, and asks which of them you mean. In a script, add --yes and --expect N, the number of files that must match, or name the files.

    \b
    Examples:
      noderag forget ~/notes/diary.md
      noderag forget ~/papers --yes --backups
      noderag forget --query "Aunt Vera's illness"
      noderag forget --query "Aunt Vera's illness" --expect 2 --yes
    """
    from noderag_local.domain.errors import StoreError
    from noderag_local.interfaces.cli.failures import STOPPED, say

    if bool(paths) == bool(query):
        raise typer.BadParameter("name files or folders, or search for them with --query; not both")
    if expect is not None and not query:
        raise typer.BadParameter("--expect only goes with --query")
    if query and yes and expect is None:
        raise typer.BadParameter(
            "--yes with --query would forget whatever matches: name the files instead, or add --expect N with the number of "
            "files that must match"
        )
    with opened_vault(vault) as opened:
        paths = paths or _found(opened, query, expect)
        if not paths or (not yes and not _agreed(opened, paths, keep_conversations)):
            say("Nothing was forgotten.")
            if as_json:
                _print_document(opened, _nothing_forgotten())
            return
        report = _forgotten(opened, paths, keep_conversations, backups)
    if as_json:
        _print_document(opened, report)
    else:
        _print_report(report)
    tell_of_old_blocks(opened.folder)
    if report.stopped or report.traces:
        raise typer.Exit(STOPPED if report.stopped else StoreError.exit_code)


def _forgotten(opened: Vault, paths: list[Path], keep_conversations: bool, renew_backups: bool) -> ForgetReport:
    """Removes the files and shows the progress."""
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    with (
        clean_stop("Stopping; what is removed stays so. Ctrl-C again stops at once.") as stop,
        shown_stages() as progress,
    ):
        return opened.forget(
            paths,
            keep_conversations=keep_conversations,
            renew_backups=renew_backups,
            progress=progress,
            cancelled=stop.asked,
        )


def _found(opened: Vault, query: str, expect: int | None) -> list[Path]:
    """Returns the files about something: all if their number is as expected, otherwise those that the person chooses.

    Raises:
        BadParameter: the number is not as expected, or there is no terminal to ask at.
    """
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.amounts import counted

    found = opened.matches(query)
    _show_matches(opened, found)
    if expect is not None:
        if len(found) != expect:
            raise typer.BadParameter(
                f"{counted(len(found), 'files')} {'matches' if len(found) == 1 else 'match'}, not the {expect} of --expect; nothing was forgotten"
            )
        return [Path(match.path) for match in found]
    if not found:
        show(console(stderr=True), "No file is about this.")
        return []
    _person_needed()
    chosen = typer.prompt("Which ones should be forgotten? Numbers, or all, or none", default="none", err=True)
    wanted = set(range(1, len(found) + 1)) if chosen.strip() == "all" else {int(n) for n in NUMBER.findall(chosen)}
    return [Path(match.path) for number, match in enumerate(found, 1) if number in wanted]


def _show_matches(opened: Vault, found: Sequence[Match]) -> None:
    from noderag_local.interfaces.cli.printed import console, place, show

    out = console(stderr=True)
    for number, match in enumerate(found, 1):
        documents = len({document.record for document in opened.atlas.library().within(match.path)})
        many = f", a file of {documents:,} documents" if documents > 1 else ""
        near = "" if match.cosine is None else f", similarity {match.cosine:.2f}"
        show(out, f"{number}  {place(match.path)}{many}{near}")
        show(out, shorten(match.passage, SHOWN_WIDTH), indent=3)


def _person_needed() -> None:
    if not sys.stdin.isatty():
        raise typer.BadParameter("forgetting asks first, and there is no terminal to ask at; say --yes")


def _agreed(opened: Vault, paths: list[Path], keep_conversations: bool) -> bool:
    """Asks for agreement and returns it; returns True if there is nothing to forget, since the vault then reports that.

    Raises:
        BadParameter: there is no terminal to ask at.
    """
    from noderag_local.interfaces.cli.printed import place
    from noderag_local.system.printing.amounts import counted

    library = opened.atlas.library()
    found = {
        (document.path, document.record)
        for path in paths
        for document in library.within(os.path.abspath(os.path.expanduser(path)))
    }
    quoting = 0 if keep_conversations else len(opened.safety.conversations_quoting(paths))
    if not found and not quoting:
        return True
    _person_needed()
    names = ", ".join(place(str(path)) for path in paths)
    question = f"Forget {counted(len(found), 'documents')} of {names}?"
    if quoting:
        verb = "quotes" if quoting == 1 else "quote"
        question += f" {counted(quoting, 'conversations')} that {verb} them will be deleted."
    return typer.confirm(question, err=True)


def _nothing_forgotten() -> ForgetReport:
    from noderag_local.pipeline.indexing import ForgetReport

    return ForgetReport(files=0, documents=0, conversations=0, traces=(), backups=0, stopped=False, elapsed_seconds=0.0)


def _print_document(opened: Vault, report: ForgetReport) -> None:
    from noderag_local.interfaces.cli.json_output import print_document

    print_document({"vault": opened.folder, **asdict(report)})


def _print_report(report: ForgetReport) -> None:
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.storage.forgetting.traces import told
    from noderag_local.system.printing.amounts import counted

    out = console()
    gone = f"Forgot {counted(report.documents, 'documents')} of {counted(report.files, 'files')}"
    talks = f" and {counted(report.conversations, 'conversations')} that quoted them" if report.conversations else ""
    show(out, f"{gone}{talks}; on disk nothing has changed.")
    show(out, "Indexing leaves them out from now on; index one by its own path to take it back.")
    if report.traces:
        show(out, told(report.traces))
    if report.backups:
        show(
            out,
            f"They are still in {counted(report.backups, 'backups')}. To put a new backup in place of all: noderag backup --only",
        )
