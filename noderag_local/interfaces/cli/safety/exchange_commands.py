"""`noderag export` and `noderag import`: writes the vault to files, and makes a vault from an export."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_plain_copy
from noderag_local.interfaces.cli.options import AsJson, Force, VaultDir, opened_vault
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase

if TYPE_CHECKING:
    from noderag_local.vault.export.archive import Carried
    from noderag_local.vault.export.graph_file import WrittenGraph
    from noderag_local.vault.export.notes import WrittenNotes


class Form(StrEnum):
    """Formats of an export."""

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
        "By default the file's suffix decides; a name without one is a folder of markdown.",
    ),
]
Talks = Annotated[bool, typer.Option("--conversations", help="Also export stored conversations (jsonl).")]
Encrypt = Annotated[bool, typer.Option("--encrypt", help="Encrypt the file with a passphrase (jsonl).")]


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
    """Write the vault to files.

    jsonl contains everything and can be imported again; markdown is a folder of notes, one for each named entity and theme, linked as in Obsidian; graphml is the graph with its types.

    \b
    Examples:
      noderag export vault.jsonl
      noderag export ~/graph-notes --format markdown
      noderag export graph.graphml
    """
    from noderag_local.interfaces.cli.json_output import print_document
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
    """Returns the format that a name's ending stands for; markdown for a folder and for a name without an ending.

    Raises:
        BadParameter: no format has this ending.
    """
    ending = target.suffix.lower().removeprefix(".")
    # What follows the dot of "notes-2026.11" is no ending.
    if target.is_dir() or not ending[:1].isalpha():
        return Form.MARKDOWN
    if ending not in list(Form):
        raise typer.BadParameter(
            f"no format has the ending {target.suffix!r}. Name the file .jsonl or .graphml, or for a folder of notes give "
            "--format markdown."
        )
    return Form(ending)


ROOTS_SHOWN = 10

File = Annotated[Path, typer.Argument(metavar="FILE", help="File written by noderag export.", show_default=False)]


def import_(
    file: File, passphrase_file: PassphraseFile = None, vault: VaultDir = None, as_json: AsJson = False
) -> None:
    """Make a vault from an export.

    The new vault is the same as the exported one; the target must be empty. The folders that its notes were read from are not followed until you index them by name. A file that was cut or changed is refused, and nothing of it is kept. An encrypted file asks for its passphrase.

    \b
    Example:
      noderag import vault.jsonl --vault ~/second-vault
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, place, show

    with opened_vault(vault) as opened:
        done = opened.exchange.read_archive(file, passphrase(passphrase_file, new=False))
        folder = opened.folder
    if as_json:
        from dataclasses import asdict

        print_document({"vault": folder, **asdict(done)})
    else:
        out = console()
        show(out, f"Imported {done.rows:,} rows of {done.documents:,} documents into {folder}")
        for root in done.roots[:ROOTS_SHOWN]:
            show(out, f"Not followed until you index it: {place(root)}")
        if len(done.roots) > ROOTS_SHOWN:
            show(out, f"and {len(done.roots) - ROOTS_SHOWN:,} more; --json lists them all.")
