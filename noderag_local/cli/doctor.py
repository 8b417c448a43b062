"""`noderag doctor`: is everything in order, and what to do where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.cli.options import AsJson, VaultDir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.records import Finding


Repair = Annotated[
    bool, typer.Option("--repair", help="First make anew what follows from the rest: full-text indexes and caches.")
]


def doctor(repair: Repair = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Check installation, models, vault, backups, offline guard.

    Each finding that is not in order says what to do; then the exit code is 1.

    \b
    Examples:
      noderag doctor
      noderag doctor --repair
    """
    from noderag_local.cli.checks import all_checks
    from noderag_local.cli.documents import print_document

    if repair:
        _repair(vault)
    findings = all_checks(vault)
    if as_json:
        print_document(findings)
    else:
        _print_findings(findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _repair(vault: Path | None) -> None:
    from noderag_local.cli.failures import say
    from noderag_local.cli.options import opened_vault
    from noderag_local.errors import VaultDamaged

    with opened_vault(vault) as opened:
        try:
            done = ", ".join(opened.safety.repair())
            say(f"Made anew: {done}.")
        except VaultDamaged as error:
            # The checks that follow say what is left to do.
            say(f"Repair was not possible: {error}")


def _print_findings(findings: Sequence[Finding]) -> None:
    from rich.text import Text

    from noderag_local.amounts import counted
    from noderag_local.cli.screen import console, show
    from noderag_local.plain_text import printable

    out = console()
    for finding in findings:
        mark = Text("ok   ", style="green") if finding.ok else Text("NOT  ", style="bold red")
        show(out, mark.append(printable(f"{finding.what}: {finding.detail}"), style=""))
        if finding.remedy:
            show(out, finding.remedy, indent=5)
    bad = sum(not finding.ok for finding in findings)
    show(out, "All is in order." if not bad else f"{counted(bad, 'things')} not in order.")
