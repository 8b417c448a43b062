"""`noderag doctor`: checks the installation and the vault, and says what to do about problems."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, Force, VaultDir, Yes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.domain.progress import Finding


Repair = Annotated[
    bool, typer.Option("--repair", help="First rebuild what follows from the rest: full-text indexes and caches.")
]


Report = Annotated[
    bool, typer.Option("--report", help="Show what a bug report needs, then ask whether to write it to FILE.")
]
File = Annotated[
    Path,
    typer.Argument(metavar="[FILE]", dir_okay=False, help="File that --report writes.", show_default=True),
]
REPORT_FILE = Path("noderag-report.txt")


def doctor(
    file: File = REPORT_FILE,
    report: Report = False,
    repair: Repair = False,
    yes: Yes = False,
    force: Force = False,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Check installation, models, vault, backups and offline guard.

    Each problem is shown with what to do about it, and the exit code is then 1.

    With --report it collects versions, settings, counts, times and the last errors of the log (--log FILE), and nothing else: no text of notes and questions, no file name, no address and no key.

    \b
    Examples:
      noderag doctor
      noderag doctor --repair
      noderag doctor --report --log noderag.log
    """
    if report:
        _report(file, vault, yes=yes, force=force, as_json=as_json)
        return
    if file != REPORT_FILE or yes or force:
        raise typer.BadParameter("FILE, --yes and --force are for --report")
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.machine.doctor_checks import all_checks

    if repair:
        _repair(vault)
    findings = all_checks(vault)
    if as_json:
        print_document(findings)
    else:
        _print_findings(findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _report(file: Path, vault: Path | None, *, yes: bool, force: bool, as_json: bool) -> None:
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.machine.bug_report import bug_report
    from noderag_local.system.disk.new_files import new_file
    from noderag_local.system.paths import absolute

    text, target = bug_report(vault), absolute(file)
    if not as_json:
        typer.echo(text)
    if yes or (not as_json and _agreed(target)):
        with new_file(target, force=force) as written:
            written.write(text.encode("utf-8"))
        say(f"Written to {target}. Read it once more before you send it.")
    elif not as_json:
        say("Nothing was written.")
    if as_json:
        print_document({"report": text, "file": target if yes else None})


def _agreed(target: Path) -> bool:
    if not sys.stdin.isatty():
        raise typer.BadParameter(
            "the report is written only after a question, and there is no terminal to ask at; add --yes"
        )
    return typer.confirm(f"Write this to {target}?", err=True)


def _repair(vault: Path | None) -> None:
    from noderag_local.domain.errors import VaultDamaged
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.options import opened_vault

    with opened_vault(vault) as opened:
        try:
            done = ", ".join(opened.safety.repair())
            say(f"Rebuilt: {done}.")
        except VaultDamaged as error:
            # The checks below say what is left to do.
            say(f"Repair was not possible: {error}")


def _print_findings(findings: Sequence[Finding]) -> None:
    from rich.text import Text

    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.amounts import counted
    from noderag_local.system.printing.plain_text import printable

    out = console()
    for finding in findings:
        mark = Text("ok   ", style="green") if finding.ok else Text("NOT  ", style="bold red")
        show(out, mark.append(printable(f"{finding.what}: {finding.detail}"), style=""))
        if finding.remedy:
            show(out, finding.remedy, indent=5)
    bad = sum(not finding.ok for finding in findings)
    show(out, "All is in order." if not bad else f"{counted(bad, 'things')} not in order.")
