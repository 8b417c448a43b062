"""`noderag export`: the vault as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, Force, VaultDir, opened_vault
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase
from noderag_local.interfaces.cli.safety.plain_copies import tell_of_plain_copy

if TYPE_CHECKING:
    from noderag_local.vault.export.archive import Carried
    from noderag_local.vault.export.graph_file import WrittenGraph
    from noderag_local.vault.export.notes import WrittenNotes


class Form(StrEnum):
    """What can be written."""

    MARKDOWN = "markdown"
    JSON_LINES = "jsonl"
    GRAPHML = "graphml"


Target = Annotated[Path, typer.Argument(metavar="TARGET", help="New folder (markdown) or file.", show_default=False)]
Format = Annotated[
    Form | None,
    typer.Option(
        "--format",
        show_default=False,
        help="markdown: notes to read; jsonl: all of the vault, for noderag import; graphml: for Gephi. "
        "Else as the file ends; a folder takes markdown.",
    ),
]
Talks = Annotated[bool, typer.Option("--conversations", help="Kept conversations as well (jsonl).")]
Encrypt = Annotated[bool, typer.Option("--encrypt", help="Only a passphrase opens the file (jsonl).")]


def export(
    target: Target,
    form: Format = None,
    force: Force = False,
    conversations: Talks = False,
    encrypt: Encrypt = False,
    passphrase_file: PassphraseFile = None,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Write the vault into files.

    jsonl holds everything and gives the same vault again; markdown is a folder of notes, one for each named entity and theme, linked as Obsidian does; graphml is the graph with its types.

    \b
    Examples:
      noderag export vault.jsonl
      noderag export ~/graph-notes --format markdown
      noderag export graph.graphml
    """
    from noderag_local.interfaces.cli.notes.documents_command import print_document
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    chosen = form or _form_of(target)
    if (conversations or encrypt) and chosen is not Form.JSON_LINES:
        raise typer.BadParameter("--conversations and --encrypt are for --format jsonl")
    with opened_vault(vault) as opened:
        exchange = opened.exchange
        done: Carried | WrittenNotes | WrittenGraph
        if chosen is Form.JSON_LINES:
            ask = passphrase(passphrase_file, new=True) if encrypt else None
            done = exchange.write_archive(target, conversations=conversations, passphrase=ask, force=force)
            told = f"{done.rows:,} rows of {done.documents:,} documents"
        elif chosen is Form.GRAPHML:
            done = exchange.write_graph(target, force=force)
            told = f"{done.nodes:,} nodes and {done.edges:,} edges"
        else:
            with shown_stages() as progress:
                done = exchange.write_notes(target, force=force, progress=progress)
            told = f"{done.entities:,} entities and {done.themes:,} themes"
        if not encrypt:
            tell_of_plain_copy(opened, target)
    if as_json:
        print_document(done)
    else:
        show(console(), f"Wrote {told}: {done.path}")


def _form_of(target: Path) -> Form:
    return next((form for form in Form if target.suffix == f".{form}"), Form.MARKDOWN)
