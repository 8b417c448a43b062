"""Prints text for people: with colours only at a terminal, and without control sequences from notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import SourceError
from noderag_local.system.disk.current_folder import current_folder
from noderag_local.system.printing.cited_place import named
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from noderag_local.domain.passages import Source


def console(*, stderr: bool = False) -> Console:
    """Returns the console to print to; it has no colours with NO_COLOR or if the output is not a terminal."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def show(target: Console, text: Text | str = "", *, indent: int = 0) -> None:
    """Prints text, wrapped at words on a terminal and unchanged into a file or pipe."""
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
    """Returns `path:first-last`, which terminals and editors can open; the path is relative below the current folder.

    Args:
        path: path of the file.
        first_line: first line, from 1; 0 if the file has no lines.
        last_line: last line, from 1; 0 if the file has no lines.
        looked_up_by: place in a file without lines, such as "page 3"; the result is then `path, page 3`.
    """
    return printable(named(_from_here(path), first_line, looked_up_by, last_line))


def _from_here(path: str) -> str:
    try:
        here = current_folder()
    except SourceError:
        # Nothing lies below a folder that was removed.
        return path
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def heading(source: Source) -> str:
    """Returns title and headings of a source on one line; may be ""."""
    parts = [source.title, *(part for part in source.headings if part != source.title)]
    return printable(" › ".join(" ".join(part.split()) for part in parts if part.strip()))


def source_line(source: Source, extra: str = "") -> Text:
    """Returns the line above a source, with its number, its place and its headings."""
    from rich.text import Text

    line = Text(f"[{source.number}] ", style="bold")
    line.append(place(source.path, source.first_line, source.last_line, source.place), style="cyan")
    title = heading(source)
    if title:
        line.append("  ").append(title, style="bold")
    if extra:
        line.append("  ").append(extra, style="dim")
    return line
