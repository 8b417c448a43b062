"""Reads bookmarks that browsers export as HTML: each becomes a line with its address and the day on which it was added.

Folders become headings. All browsers write the format of Netscape. Its files end in ".html", so the first line identifies them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import BlockWriter, folded_text
from noderag_local.ingest.formats.local_day import local_day
from noderag_local.ingest.formats.markup.html_content import Side, TreeStep, walk

FIRST_LINE = "netscape-bookmark-file-1"
HEAD_BYTES = 512
"""Number of bytes at the start of a file in which its first line is sought."""

_ADDRESSES = ("http:", "https:", "ftp:", "file:")
"""Beginnings of addresses that lead to a page; scripts and the browser's own searches are left out."""
_LATEST_SECONDS = 1 << 33
"""Number above which a time counts no seconds but smaller units: the year 2242 in seconds, April 1970 in milliseconds."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A bookmarked page."""

    title: str
    address: str
    added: str = ""
    """Day as 2024-05-03; "" if it is unknown."""
    description: str = ""
    tags: tuple[str, ...] = ()


def write_bookmark(bookmark: Bookmark, writer: BlockWriter) -> None:
    """Writes a bookmark as a line; writes nothing if it leads to no page."""
    if not bookmark.address.lower().startswith(_ADDRESSES):
        return
    title = folded_text(bookmark.title)
    address = f"{title} ({bookmark.address})" if title and title != bookmark.address else bookmark.address
    added = f", added {bookmark.added}" if bookmark.added else ""
    tags = f", tagged {', '.join(bookmark.tags)}" if bookmark.tags else ""
    description = folded_text(bookmark.description)
    said = f": {description}" if description else "."
    writer.add(BlockKind.LIST_ITEM, f"{address}{added}{tags}{said}", tags=bookmark.tags)


def day_added(seconds: float) -> str:
    """Returns the day on which a bookmark was added; "" if that is not known.

    Args:
        seconds: seconds since the beginning of 1970, UTC; a number that is not above 0 stands for an unknown time.
    """
    return local_day(seconds) if seconds > 0 else ""


def is_bookmarks(page: str) -> bool:
    """Returns whether a page is an export of bookmarks, by its first line."""
    return FIRST_LINE in page[:HEAD_BYTES].lower()


def write_bookmarks(page: LexborHTMLParser, writer: BlockWriter) -> None:
    """Writes the bookmarks of an export.

    Args:
        page: tree of the file.
        writer: takes the blocks; its title is set.
    """
    heading = page.css_first("h1")
    writer.title = folded_text(heading.text()) if heading else ""
    if page.body is not None:
        _Export(writer).read(walk(page.body))


class _Export:
    """Walks through an export. A description follows its bookmark or folder, and nothing marks its end."""

    def __init__(self, writer: BlockWriter) -> None:
        self._writer = writer
        self._depth = 0
        self._text: list[str] | None = None
        """Text of the title or description that is being read; None outside of both."""
        self._link: LexborNode | None = None
        """Bookmark whose description may follow."""
        self._title = ""

    def read(self, steps: Iterable[TreeStep]) -> None:
        for step in steps:
            if step.side is Side.TEXT:
                if self._text is not None:
                    self._text.append(step.node.text_content or "")
            elif step.side is Side.ENTER:
                self._enter(step.node, step.node.tag or "")
            else:
                self._leave(step.node, step.node.tag or "")
        self._close()

    def _enter(self, node: LexborNode, tag: str) -> None:
        if tag in ("a", "h3", "dl", "dt", "hr"):
            self._close()
        if tag in ("a", "h3", "dd"):
            self._text = []
        elif tag == "dl":
            self._depth += 1

    def _leave(self, node: LexborNode, tag: str) -> None:
        if tag == "h3":
            self._writer.heading(self._depth + 1, "".join(self._text or ()))
            self._text = None
        elif tag == "a":
            self._link, self._title, self._text = node, "".join(self._text or ()), None
        elif tag == "dl":
            self._close()
            self._depth -= 1
            self._writer.under(self._depth + 1, "")

    def _close(self) -> None:
        """Writes the bookmark or the folder's description that was read."""
        said = "".join(self._text or ())
        if self._link is not None:
            write_bookmark(_bookmark(self._link, self._title, said), self._writer)
        else:
            self._writer.add(BlockKind.PARAGRAPH, said)
        self._link, self._text = None, None


def _bookmark(link: LexborNode, title: str, description: str) -> Bookmark:
    given = {name: value or "" for name, value in link.attributes.items()}
    tags = tuple(filter(None, map(folded_text, given.get("tags", "").split(","))))
    added = given.get("add_date", "")
    seconds = float(added) if added.isdecimal() and len(added) < 18 else 0
    # Some programs write milliseconds or microseconds.
    while seconds > _LATEST_SECONDS:
        seconds /= 1000
    return Bookmark(title, folded_text(given.get("href", "")), day_added(seconds), description, tags)
