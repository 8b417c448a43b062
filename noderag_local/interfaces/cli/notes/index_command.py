"""`noderag index`: reads files and folders into the vault."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_network
from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from noderag_local.domain.documents import Skipped
    from noderag_local.domain.progress import IndexReport, OtherLanguages
    from noderag_local.vault.vault import Vault

ERRORS_SHOWN = 20
"""Maximum number of errors that are shown; --json has all of them."""

Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH]...", help="Folders and files; left out: all of the vault.", show_default=False),
]
ByLines = Annotated[bool, typer.Option("--lines", help="Each line of a text file is a document of its own.")]


Again = Annotated[bool, typer.Option("--again", help="Read files again even if they have not changed.")]
KeepOld = Annotated[
    bool, typer.Option("--keep-old", help="Do not read unchanged files again because of an update of noderag.")
]
On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="RAY",
        show_default=False,
        help="Compute on all cores by Ray: `ray` for this machine, ray://HOST:PORT for a cluster on a private network.",
    ),
]


def index(
    paths: Paths = None,
    by_lines: ByLines = False,
    again: Again = False,
    keep_old: KeepOld = False,
    on: On = "",
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Read notes and documents into the vault.

    Only new and changed files are read. Hidden, ignored and very large files are left out and counted. If an update of noderag reads a format better, files of this format are read again; --keep-old postpones that.

    Without PATH, everything that was indexed before is brought up to date. Ctrl-C stops cleanly and keeps what is done; the same command continues from there.

    \b
    Examples:
      noderag index ~/notes
      noderag index
      noderag index ~/notes ~/papers/abstracts.jsonl --vault ~/vaults/work
      noderag index facts.txt --lines
      noderag index ~/papers/scan.pdf --again
      noderag index ~/archive --on ray://192.168.1.20:10001
    """
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    with (
        opened_vault(vault) as opened,
        clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
    ):
        groups = [(paths, by_lines)] if paths else _indexed_before(opened)
        if not (again or keep_old):
            _announce_reading_again(opened, [path for group, _ in groups for path in group])
        reports: list[IndexReport] = []
        for group, is_by_lines in groups:
            with shown_stages() as progress:
                report = opened.index(
                    group,
                    by_lines=is_by_lines,
                    again=again,
                    keep_old=keep_old,
                    on=on,
                    progress=progress,
                    cancelled=stop.asked,
                )
            reports.append(report)
            if report.stopped:
                break
        folder = opened.folder
    if as_json:
        _print_json(folder, reports, is_one_run=bool(paths))
    else:
        for report in reports:
            print_report(report)
    tell_of_network(folder)
    if code := _exit_code(reports, paths or ()):
        raise typer.Exit(code)


def _print_json(folder: Path, reports: Sequence[IndexReport], *, is_one_run: bool) -> None:
    from noderag_local.interfaces.cli.json_output import print_document

    runs = [_as_fields(report) for report in reports]
    print_document({"vault": folder, **(runs[0] if is_one_run else {"runs": runs})})


def _exit_code(reports: Sequence[IndexReport], paths: Sequence[Path]) -> int:
    from noderag_local.domain.errors import SourceError
    from noderag_local.interfaces.cli.failures import STOPPED

    if reports[-1].stopped:
        return STOPPED
    return SourceError.exit_code if _are_unread(paths, reports[0].skipped) else 0


def _are_unread(paths: Sequence[Path], skipped: Sequence[Skipped]) -> bool:
    """Returns whether a path that the user named could not be read itself."""
    from noderag_local.ingest.sync.missing_roots import EMPTIED

    named = {os.path.abspath(os.path.expanduser(path)) for path in paths}
    errors = (one for one in skipped if one.is_error and not one.is_of_a_record and one.reason != EMPTIED)
    return any(one.path in named for one in errors)


def _indexed_before(vault: Vault) -> list[tuple[list[Path], bool]]:
    """Returns the folders and files that were named before, with whether each line of their text files is a document.

    What came with an import, and what is not there now, is left out and named.

    Raises:
        VaultMissing: nothing was indexed yet.
        SourceError: nothing of it is there.
    """
    from noderag_local.domain.errors import SourceError
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.printed import place
    from noderag_local.system.disk.presence import is_there

    unchosen = set(vault.exchange.unchosen_roots())
    groups: dict[bool, list[Path]] = {}
    for folder in vault.atlas.library().folders:
        if folder.path in unchosen:
            say(f"Not indexed until you name it: {place(folder.path)}")
        elif not is_there(folder.path):
            say(f"{place(folder.path)} is not there, and what was read of it is left as it is.")
        else:
            groups.setdefault(folder.by_lines, []).append(Path(folder.path))
    if not groups:
        raise SourceError("There is nothing to index again. Name a folder, such as noderag index ~/notes.")
    return [(found, by_lines) for by_lines, found in sorted(groups.items())]


def _announce_reading_again(vault: Vault, paths: Sequence[Path]) -> None:
    """Says in advance which files are read again only because of an update of the program."""
    from noderag_local.domain.errors import VaultMissing
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.printing.amounts import counted

    try:
        outdated = vault.atlas.outdated_files(paths)
    except VaultMissing:
        return
    if outdated:
        say(
            f"{counted(outdated, 'files')} will be read again, because this version of noderag reads or cuts them in another"
            " way. To leave them for now, press Ctrl-C and add --keep-old."
        )


def print_report(report: IndexReport) -> None:
    """Prints the result of a run of indexing."""
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.amounts import counted, duration

    out = console()
    changes = [f"{counted(report.added, 'documents')} added"]
    changes += [f"{counted(report.changed, 'files')} changed"] * bool(report.changed)
    changes += [f"{counted(report.read_again, 'files')} read again"] * bool(report.read_again)
    changes += [f"{counted(report.removed, 'documents')} removed"] * bool(report.removed)
    changes += [f"{counted(report.moved, 'files')} moved"] * bool(report.moved)
    changes += [f"{counted(report.unchanged, 'files')} unchanged"] * bool(report.unchanged)
    show(out, ", ".join(changes) + ".")
    _print_skipped(out, report.skipped)
    times = ", ".join(f"{stage.stage} {duration(stage.seconds)}" for stage in report.stages if stage.seconds >= 0.05)
    _print_languages(out, report.other_languages)
    show(out, f"{duration(report.elapsed_seconds)}" + (f": {times}." if times else "."))
    if report.stopped:
        show(out, "What was done is kept; run the same command to continue.")


def _print_languages(out: Console, found: OtherLanguages | None) -> None:
    from noderag_local.interfaces.cli.printed import show

    if found is None:
        return
    show(out, f"{found.foreign} of {found.looked_at} notes that were looked at are not in English.")
    if found.is_taken:
        show(out, f"{found.model}, which knows about a hundred languages, compares meanings in this vault.")
        return
    show(
        out,
        f"The embedding model knows English only. `noderag models get {found.model}` fetches one for about a hundred languages; "
        "the next `noderag index` then makes all vectors by it.",
    )


def _print_skipped(out: Console, skipped: Sequence[Skipped]) -> None:
    from noderag_local.ingest.chunks.parsed_document import PARTLY_READ, SCAN_UNREAD
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.amounts import counted

    if not skipped:
        return
    reasons = Counter(one.reason for one in skipped)
    told = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    show(out, f"Left out: {told}.")
    errors = [one for one in skipped if one.is_error]
    for one in [one for one in skipped if one.reason in (PARTLY_READ, SCAN_UNREAD)][:ERRORS_SHOWN]:
        show(out, one.told, indent=2)
    complaints = console(stderr=True)
    for one in errors[:ERRORS_SHOWN]:
        show(complaints, one.told, indent=2)
    if len(errors) > ERRORS_SHOWN:
        show(complaints, f"and {counted(len(errors) - ERRORS_SHOWN, 'more errors')}; --json lists them all.", indent=2)


def _as_fields(report: IndexReport) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(report)
