"""`noderag add`: appends a line to the inbox and indexes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from pathlib import Path

FROM_INPUT = "-"
MOST_CHARACTERS = 100_000
"""Characters of an entry; a file given by mistake is refused."""

Words = Annotated[
    list[str],
    typer.Argument(metavar="TEXT...", help="What to note; - reads it from standard input.", show_default=False),
]


class AddCommand(TyperCommand):
    """The command `noderag add`, for which "- [ ] Pay the rent" is a text and no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words of the command line; white space in front of a text is left out later."""
        return super().parse_args(ctx, [f" {word}" if word.startswith("- ") else word for word in args])


def add(text: Words, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Note something: append a line with day and time to your inbox.

    The inbox is a note of yours that the setting inbox_file names. This is the only command that writes to a note: it appends,
    and changes nothing that stands there. The note is then indexed, so that the line is found at once. A text that begins with
    an empty check box becomes a task.

    \b
    Examples:
      noderag add "Call the landlord about the boiler"
      noderag add "- [ ] Pay the rent by 1 December 2026"
      xclip -o | noderag add -
    """
    from datetime import datetime

    from noderag_local.config import load_settings
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, place, show
    from noderag_local.vault.inbox import add_entry, entry, inbox_of

    settings = load_settings(vault=vault)
    file = inbox_of(settings.inbox_file, settings.vault)
    item = entry(_given(text), datetime.now())
    add_entry(file, item)
    folder = _indexed(file, vault)
    if as_json:
        print_document({"vault": folder, "file": file, "entry": item})
    else:
        show(console(), f"Added to {place(str(file))}:")
        show(console(), item)


def _given(words: list[str]) -> str:
    """Returns the text to note.

    Raises:
        BadParameter: there is none, or it is too long.
    """
    from noderag_local.system.printing.plain_text import printable

    text = " ".join(words)
    if text == FROM_INPUT:
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        text = sys.stdin.read(MOST_CHARACTERS + 1)
    if not printable(text).strip():
        raise typer.BadParameter('there is nothing to note. Write it, such as "Call the landlord about the boiler".')
    if len(text) > MOST_CHARACTERS:
        raise typer.BadParameter(f"an entry has at most {MOST_CHARACTERS:,} characters. Save it as a note of its own.")
    return text


def _indexed(file: Path, vault: Path | None) -> Path:
    """Indexes the inbox, and returns the folder of the vault.

    Raises:
        NoderagError: it cannot be indexed now; stderr then says that the line was written.
    """
    from noderag_local.domain.errors import NoderagError
    from noderag_local.interfaces.cli.failures import say

    try:
        with opened_vault(vault) as opened:
            report = opened.index([file])
            folder = opened.folder
    except NoderagError:
        say(f"The line is in {file}, but is not found yet. `noderag index` on that file reads it later.")
        raise
    for skipped in report.skipped:
        say(f"The line is in {file}, but is not found: {skipped.told}")
    return folder
