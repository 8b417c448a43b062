"""`noderag help`: the manual in a terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.domain.errors import NotFound
from noderag_local.interfaces.cli.completions import topics
from noderag_local.interfaces.cli.options import AsJson

if TYPE_CHECKING:
    from noderag_local.manual.pages import ManualSection

MOST_COLUMNS = 100
"""Longer lines are hard to read."""

Topic = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TOPIC",
        help="A page, a command or a heading; left out: the list of pages.",
        show_default=False,
        autocompletion=topics,
    ),
]


def help_(topic: Topic = None, as_json: AsJson = False) -> None:
    """Read the manual.

    A topic is a page (settings), a command (forget, models get), or any heading. In a pipe, the output is plain Markdown.

    \b
    Examples:
      noderag help
      noderag help settings
      noderag help forget
      noderag help privacy | grep -i swap
    """
    from noderag_local.interfaces.cli.json_output import print_document

    section = _found(" ".join(topic or ()))
    if as_json:
        print_document(_document(section))
    elif sys.stdout.isatty():
        _page_through(_overview() if section is None else section.text)
    else:
        typer.echo(_overview() if section is None else section.text)


def _found(topic: str) -> ManualSection | None:
    """Returns the section of a topic, or None if no topic was given.

    Raises:
        NotFound: there is no such topic; the message suggests similar ones.
    """
    from noderag_local.manual.lookup import find, nearest

    if not topic:
        return None
    section = find(topic)
    if section is None:
        near = "".join(f"\n  noderag help {name}" for name in nearest(topic))
        rest = f" Perhaps you mean:{near}" if near else ""
        raise NotFound(f"The manual has no topic {topic!r}.{rest}\nAll pages: noderag help")
    return section


def _document(section: ManualSection | None) -> dict[str, object]:
    from noderag_local.manual.pages import pages

    if section is None:
        return {"pages": [{"name": one.name, "title": one.title, "summary": one.summary} for one in pages()]}
    return {"page": section.page, "title": section.title, "text": section.text}


def _overview() -> str:
    """Returns a list of all pages and what they are about, as Markdown."""
    from noderag_local.manual.pages import CONTENTS, pages

    listed = [one for one in pages() if one.name != CONTENTS]
    lines = [f"| `{one.name}` | {one.summary} |" for one in listed]
    head = ["# The manual", "", "`noderag help TOPIC` shows one of these pages, a command, or any heading.", ""]
    return "\n".join([*head, "| topic | what is in it |", "| --- | --- |", *lines, ""])


def _page_through(text: str) -> None:
    """Shows formatted Markdown, with the pager if it is longer than the screen."""
    laid_out = _laid_out(text)
    pager = _pager()
    if pager is None:
        sys.stdout.write(laid_out)
        return
    # -F quits if everything fits on the screen, -R shows colours, -X leaves the text on the screen.
    variables = {"LESS": "FRX", **os.environ}
    with subprocess.Popen(pager, stdin=subprocess.PIPE, env=variables, text=True, encoding="utf-8") as shown:
        try:
            shown.communicate(laid_out)
        except KeyboardInterrupt:
            shown.wait()


def _pager() -> list[str] | None:
    """Returns the user's pager and its arguments, or None when there is none."""
    words = shlex.split(os.environ.get("PAGER", "less"))
    return words if words and shutil.which(words[0]) else None


def _laid_out(text: str) -> str:
    from rich.console import Console
    from rich.markdown import Markdown

    out = Console()
    out.width = min(out.width, MOST_COLUMNS)
    with out.capture() as captured:
        # Links lead to files that a terminal cannot open, so only their text is shown.
        out.print(Markdown(text, hyperlinks=False))
    return captured.get()
