"""Prints text for a person: colours only at a terminal, and no control sequences from notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.system.printing.cited_place import named
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from noderag_local.domain.passages import Source


def console(*, stderr: bool = False) -> Console:
    """Makes the console to print to; it has no colours with NO_COLOR or when the output is not a terminal."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def show(target: Console, text: Text | str = "", *, indent: int = 0) -> None:
    """Prints text, wrapped between words on a terminal and as it is into a file or pipe."""
    from rich.padding import Padding
    from rich.text import Text

    shown = Text(text) if isinstance(text, str) else text
    if (seen := printable(shown.plain)) != shown.plain:
        shown = Text(seen)
    if not target.is_terminal:
        for line in shown.split("\n"):
            target.print(Text(" " * indent) + line, soft_wrap=True)
    elif indent:
        target.print(Padding(shown, (0, 0, 0, indent)))
    else:
        target.print(shown)


def place(path: str, first_line: int = 0, last_line: int = 0, looked_up_by: str = "") -> str:
    """Returns `path:first-last`, as terminals and editors open it; relative for files below the current folder.

    Args:
        path: of the file.
        first_line: counted from 1; 0 where the file has no lines.
        last_line: counted from 1; 0 where the file has no lines.
        looked_up_by: a place in a file without lines, such as "page 3": the result is then `path, page 3`.
    """
    shown = Path(path)
    if shown.is_relative_to(Path.cwd()):
        shown = shown.relative_to(Path.cwd())
    return printable(named(str(shown), first_line, looked_up_by, last_line))


def heading(source: Source) -> str:
    """Returns title and headings of a source in one line; may be empty."""
    parts = [source.title, *(part for part in source.headings if part != source.title)]
    return printable(" › ".join(" ".join(part.split()) for part in parts if part.strip()))


def source_line(source: Source, extra: str = "") -> Text:
    """Returns the line above a source: its number, its place, and its headings."""
    from rich.text import Text

    line = Text(f"[{source.number}] ", style="bold")
    line.append(place(source.path, source.first_line, source.last_line, source.place), style="cyan")
    title = heading(source)
    if title:
        line.append("  ").append(title, style="bold")
    if extra:
        line.append("  ").append(extra, style="dim")
    return line
