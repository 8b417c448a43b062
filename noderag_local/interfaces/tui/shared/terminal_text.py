"""Makes text of documents, models and file names safe to show, and shortens paths."""

from __future__ import annotations

import os

from textual.content import Content

from noderag_local.system.paths import lies_in
from noderag_local.system.printing.plain_text import printable


def safe_text(text: str, style: str = "") -> Content:
    """Returns text of a document, a model or a file name as content that contains no markup, escape sequences or links.

    Args:
        text: unsafe text.
        style: Textual style for the whole text.
    """
    return Content.styled(printable(text), style) if style else Content(printable(text))


def on_one_line(text: str, style: str = "") -> Content:
    """Returns safe text on one line, with runs of white space as single spaces."""
    return safe_text(" ".join(text.split()), style)


def from_home(path: str | os.PathLike[str]) -> str:
    """Returns a path with "~" for the home folder."""
    written, home = os.fspath(path), os.path.expanduser("~")
    return f"~{written[len(home) :]}" if lies_in(written, home) and home != os.sep else written
