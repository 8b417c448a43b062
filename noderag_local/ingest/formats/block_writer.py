"""Collects the blocks of a document while a reader walks through it, and knows under which headings each stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.ingest.formats.extract import ExtractedBlock
from noderag_local.system.printing.plain_text import printable

MAX_CHARACTERS = 200
_MADE_UP = re.compile(
    r"untitled.*|unbenannt.*|sans[ -]titre.*|no title|title|titel|slide 1|folie 1|(?:document|dokument)\s?\d*"
    r"|word[ -](?:document|dokument)|powerpoint[ -](?:presentation|präsentation)|présentation powerpoint|microsoft (?:word|powerpoint|excel) - .*"
    r"|.*\.(?:docx?|odt|rtf|pdf|tex|dvi|ps|indd|qxd|pptx?|xlsx?|pages|pub|fm|md|html?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Place of a block in its file, as in `ExtractedBlock`."""

    place: str = ""
    first_line: int = 0
    last_line: int = 0


NOWHERE = Whereabouts()


class BlockWriter:
    """Collects blocks and tidies their texts; a block without words is left out."""

    def __init__(self) -> None:
        self.title = ""
        """Title of the document; it is not among the blocks' headings, since every block stands under it."""
        self.blocks: list[ExtractedBlock] = []
        self._headings: list[tuple[int, str]] = []

    @property
    def headings(self) -> tuple[str, ...]:
        """Present headings, outermost first, without the title."""
        return tuple(text for level, text in self._headings if text != self.title or level > 1)

    def heading(
        self,
        level: int,
        text: str,
        where: Whereabouts = NOWHERE,
        *,
        links: Iterable[WikiLink] = (),
        tags: Iterable[str] = (),
    ) -> None:
        """Adds a heading, which ends those of its own and deeper levels.

        Args:
            level: 1 is the outermost. The first heading of level 1 becomes the title if there is none yet.
            text: the heading; nothing is added if it is blank.
            where: its place in the file.
            links: links to other notes in it.
            tags: tags in it, without the leading #.
        """
        folded = folded_text(text)
        if not folded:
            return
        if level == 1 and not self.title:
            self.title = folded
        self.under(level, "")
        self.add(BlockKind.HEADING, folded, where, links=links, tags=tags)
        self.under(level, folded)

    def under(self, level: int, text: str) -> None:
        """Places the following blocks under a heading that is no block of its own.

        Args:
            level: level of the heading; those of this level and of deeper ones end.
            text: the heading; "" only ends others.
        """
        self._headings = [heading for heading in self._headings if heading[0] < level]
        if text:
            self._headings.append((level, text))

    def add(
        self,
        kind: BlockKind,
        text: str,
        where: Whereabouts = NOWHERE,
        *,
        links: Iterable[WikiLink] = (),
        tags: Iterable[str] = (),
    ) -> None:
        """Adds a block under the present headings; code keeps its lines, other text is folded."""
        shown = code_text(text) if kind is BlockKind.CODE else folded_text(text)
        if shown:
            kept_links, kept_tags = tuple(dict.fromkeys(links)), tuple(dict.fromkeys(tags))
            self.blocks.append(
                ExtractedBlock(
                    kind,
                    shown,
                    self.headings,
                    where.place,
                    where.first_line,
                    where.last_line,
                    kept_links,
                    kept_tags,
                )
            )


def folded_text(text: str) -> str:
    """Returns printable text on one line, each run of white space as one space."""
    return " ".join(printable(" ".join(text.split())).split())


def code_text(text: str) -> str:
    """Returns printable text with its lines and indentation, without empty lines at its ends."""
    lines = printable(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(line.rstrip() for line in lines[filled[0] : filled[-1] + 1]) if filled else ""


def own_title(title: str, file_name: str) -> str:
    """Returns the title in a file's properties on one line, or "" if a program made it up.

    Most programs fill it in unasked: with the name of the file or of the program, or the word for a new document.

    Args:
        title: title as the file has it.
        file_name: name of the file without its folder; a title that repeats it says nothing.
    """
    folded = " ".join(printable(title).split())
    is_name = folded.casefold() in (file_name.casefold(), file_name.rpartition(".")[0].casefold())
    return "" if is_name or len(folded) > MAX_CHARACTERS or _MADE_UP.fullmatch(folded) else folded
