"""Reads saved web pages: their main text with headings, lists, tables and code. Exported bookmarks are web pages, too."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import BinaryIO

from selectolax.lexbor import LexborHTMLParser, LexborNode

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.ingest.formats.block_writer import NOWHERE, BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import decoded
from noderag_local.ingest.formats.markup.bookmarks import is_bookmarks, write_bookmarks
from noderag_local.ingest.formats.markup.html_content import (
    Content,
    Side,
    TreeStep,
    main_content,
    parsed,
    walk,
    whole_content,
)
from noderag_local.ingest.formats.markup.html_table import data_table
from noderag_local.ingest.formats.office.tabular import stated_rows

HEAD_BYTES = 4096
"""Bytes in which a page must name its encoding, and some more."""
MAX_HEADING_CHARACTERS = 200
"""A longer heading with blocks in it is one that nothing closes, and its blocks are paragraphs."""
REPLY_QUOTES = (
    "blockquote[type=cite], .gmail_quote, .moz-cite-prefix, .yahoo_quoted, #divRplyFwdMsg, #divRplyFwdMsg ~ *"
)

_CHARSET = re.compile(rb"(?:charset|encoding)\s*+=\s*+(?:[\"']\s*+)?([\w.:-]{2,40})", re.IGNORECASE)
_HEADING = re.compile(r"h([1-6])$")
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr html legend li main menu ol p pre section summary table tbody td tfoot th thead tr "
    "ul".split()
)
_ITEMS = frozenset({"li", "dd", "dt"})


LinkOf = Callable[[str, str], WikiLink | None]
"""(address, label) of an element `a` → the link to another note; None if the address is not that of a note."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = page_text(file)
    page, writer = parsed(text), BlockWriter()
    if is_bookmarks(text):
        write_bookmarks(page, writer)
    else:
        content = main_content(page)
        writer.title = _title(page, content)
        if content is not None:
            _Page(content, writer).read()
    yield ExtractedDocument(writer.title, tuple(writer.blocks))


def write_mail_body(text: str, writer: BlockWriter, *, without_quotes: bool, below: int = 0) -> None:
    """Writes the blocks of a page that has no menus, such as a mail, a chapter or a note.

    Args:
        text: HTML of the page.
        writer: takes the blocks.
        without_quotes: whether to leave out what mail programs quote below a reply.
        below: level of the heading above the page; the page's headings are that much deeper.

    Raises:
        DocumentError: it is nested too deep.
    """
    content = whole_content(parsed(text), REPLY_QUOTES if without_quotes else "")
    if content is not None:
        _Page(content, writer, below=below).read()


def page_text(file: BinaryIO) -> str:
    """Returns a page as text, decoded as it declares if that works.

    Raises:
        DocumentError: it is no text.
    """
    file.seek(0)
    data = file.read()
    declared = _CHARSET.search(data[:HEAD_BYTES])
    return decoded(data, declared[1].decode("ascii") if declared else "")


def write_linked_page(text: str, writer: BlockWriter, where: Whereabouts, link_of: LinkOf, without: str = "") -> None:
    """Writes the blocks of a note in HTML with its links to other notes.

    Args:
        text: HTML of the note; all of it is read, as there are no menus.
        writer: takes the blocks.
        where: place of the blocks.
        link_of: returns the link to a note for an address and a label.
        without: selector of elements to leave out; "" for none.

    Raises:
        DocumentError: it is nested too deep.
    """
    content = whole_content(parsed(text), without)
    if content is not None:
        _Page(content, writer, where, link_of).read()


def _no_link(_address: str, _label: str) -> WikiLink | None:
    return None


def _title(page: LexborHTMLParser, content: Content | None) -> str:
    """Returns the title of a page, without the name of the site that many add to it; the first heading shows what that is.

    A heading outside the text may be the name of the site itself, which stands at the end of most titles.
    """
    given = page.css_first("title")
    title = folded_text(given.text()) if given else ""
    shown = _first_heading(content.root if content else None)
    if shown and (not title or shown in title):
        return shown
    outside = _first_heading(page.root)
    return outside if outside and (not title or title.startswith(outside)) else title


def _first_heading(root: LexborNode | None) -> str:
    heading = root.css_first("h1") if root is not None else None
    return folded_text(heading.text().removesuffix("¶")) if heading else ""


class _Page:
    """One walk through a page. Text is gathered until a block begins or ends."""

    def __init__(
        self,
        content: Content,
        writer: BlockWriter,
        where: Whereabouts = NOWHERE,
        link_of: LinkOf = _no_link,
        below: int = 0,
    ) -> None:
        self.content, self.writer, self.where, self.link_of, self.below = content, writer, where, link_of, below
        self.links: list[WikiLink] = []
        self.gathered: list[str] = []
        self.kinds: list[BlockKind] = []
        self.code_depth = 0
        self.table: int | None = None
        self.heading: int | None = None

    def read(self) -> None:
        """Writes all blocks."""
        for step in walk(self.content.root, self.content.left_out):
            if self.table is None:
                self._step(step)
            elif step.side is Side.LEAVE and step.node.mem_id == self.table:
                self.table = None
        self._close(BlockKind.PARAGRAPH)

    def _step(self, step: TreeStep) -> None:
        node, tag = step.node, step.node.tag or ""
        if step.side is Side.TEXT:
            self.gathered.append(node.text_content or "")
        elif tag == "br":
            self.gathered.append("\n")
        elif step.side is Side.ENTER:
            if tag == "a":
                self.links += self._links_in(node)
            self._enter(node, tag)
        else:
            self._leave(node, tag)

    def _links_in(self, node: LexborNode) -> list[WikiLink]:
        """Returns the links to other notes in an element and its children, in order."""
        found = (self.link_of(one.attributes.get("href") or "", folded_text(one.text())) for one in node.css("a[href]"))
        return [link for link in found if link is not None]

    def _enter(self, node: LexborNode, tag: str) -> None:
        if tag not in _BLOCKS:
            return
        if self.heading is not None:
            self.gathered.append(" ")
            return
        self._close(self._kind)
        if _HEADING.match(tag) and not self.code_depth and len(node.text()) <= MAX_HEADING_CHARACTERS:
            self.heading = node.mem_id
        if tag == "pre":
            self.code_depth += 1
        if tag in _ITEMS:
            self.kinds.append(BlockKind.LIST_ITEM)
        if tag == "table":
            self._table(node)

    def _table(self, node: LexborNode) -> None:
        table = data_table(node, _BLOCKS, self.content.left_out)
        links = deque(self._links_in(node)) if table.rows else deque()
        for _, statement in stated_rows(table.rows, has_header=table.has_header):
            of_row = []
            while links and links[0].label in statement:
                of_row.append(links.popleft())
            self.writer.add(BlockKind.TABLE_ROW, statement, self.where, links=of_row)
        self.table = node.mem_id if table.rows else None

    def _leave(self, node: LexborNode, tag: str) -> None:
        if self.heading not in (None, node.mem_id):
            return
        self.heading = None
        heading = _HEADING.match(tag)
        if heading and not self.code_depth:
            text = "".join(self.gathered).removesuffix("¶")
            self.writer.heading(self.below + int(heading[1]), text, self.where, links=self.links)
            self.gathered, self.links = [], []
        elif tag in _BLOCKS:
            self._close(self._kind)
        if tag == "pre":
            self.code_depth -= 1
        if tag in _ITEMS:
            self.kinds.pop()

    @property
    def _kind(self) -> BlockKind:
        if self.code_depth:
            return BlockKind.CODE
        return self.kinds[-1] if self.kinds else BlockKind.PARAGRAPH

    def _close(self, kind: BlockKind) -> None:
        self.writer.add(kind, "".join(self.gathered), self.where, links=self.links)
        self.gathered, self.links = [], []


EXTRACTOR = Extractor(_read)
