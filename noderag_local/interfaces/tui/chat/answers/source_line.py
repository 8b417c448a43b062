"""The line of one source below an answer."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.shared.link_line import LinkLine
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.system.printing.cited_place import where


class SourceLine(LinkLine):
    """Shows a source's number, file, headings, and lines or page."""

    def __init__(self, source: Source, remark: str = "") -> None:
        """
        Args:
            remark: ours, in a few words.
        """
        super().__init__(place(source, remark))
        self.source = source


def place(source: Source, remark: str = "") -> Content:
    """Returns where a source stands in the notes, on one line."""
    headings = [name for name in source.headings if name]
    stands = where(source.first_line, source.last_line, source.place)
    parts = [
        Content(f"[{source.number}] " if source.number else ""),
        on_one_line(Path(source.path).name, "$text-accent"),
        *(Content(" › ") + on_one_line(name) for name in headings),
        Content(" · " if stands else "") + on_one_line(stands),
        Content(f" · {remark}" if remark else ""),
    ]
    return Content("").join(parts)
