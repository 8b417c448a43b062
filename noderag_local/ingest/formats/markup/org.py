"""Org files of Emacs: headlines with their tags, paragraphs, lists, tables, blocks and links.

orgparse reads the outline (keywords for things to do, priorities, tags, planning); the text below a headline is read
here line by line, since its places are needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import orgparse
from orgparse.node import OrgNode

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.office.tabular import may_have_header, stated_rows

MAX_OUTLINE_COLUMNS = 1000
"""Characters of a line that orgparse sees: it takes 65 s for a headline of 40,000. Text is read here, in full."""

_OTHER_LINE_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Characters that end a line for orgparse, but not for editors."""
_FRAME = re.compile(r"[ \t]*#\+(?P<side>begin|end)_(?P<name>\w+)", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*#\+(?P<name>[\w-]+):[ \t]*(?P<value>.*)", re.IGNORECASE)
_COMMENT = re.compile(r"[ \t]*#(?: |$)")
_DRAWER = re.compile(r"[ \t]*:(?P<name>[\w-]+):[ \t]*$")
_DRAWER_END = re.compile(r"^[ \t]*:end:[ \t]*$", re.IGNORECASE)
_PLANNING = re.compile(r"[ \t]*(?:(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[][^>\]]*[>\]][ \t]*)+$")
_PLANNED = re.compile(r"(SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]([^<>\[\]]*+)[>\]]")
_RULE = re.compile(r"[ \t]*-{5,}[ \t]*$")
_TABLE_LINE = re.compile(r"[ \t]*\|")
_TABLE_RULE = re.compile(r"[ \t]*\|[-+|: \t]*$")
_FIXED_WIDTH = re.compile(r"[ \t]*:(?: |$)")
_ITEM = re.compile(
    r"(?P<mark>[ \t]*(?:[-+]|\d{1,9}[.)]|[A-Za-z][.)]|(?<=[ \t])\*)(?:[ \t]+|$))(?:\[@\d+\][ \t]*)?"
    r"(?:\[(?P<box>[ xX-])\][ \t]+)?"
)
_CODE_BLOCKS = frozenset({"src", "example", "export"})
_BLOCK_END = {
    name: re.compile(rf"^[ \t]*#\+end_{name}\b", re.IGNORECASE) for name in sorted({*_CODE_BLOCKS, "comment"})
}
_SHOWN_KEYWORDS = frozenset({"caption", "description", "subtitle", "author", "date"})
_LINK = re.compile(r"\[\[(?P<target>[^\[\]\n]{1,1000})\](?:\[(?P<label>[^\[\]]{1,1000})\])?\]")
_EMPHASIS = re.compile(
    r"(?<![\w*/_=~+])(?P<mark>[*/_=~+])(?=\S)(?P<inner>[^\n]{0,300}?(?:\n[^\n]{0,300}?)?(?<=\S))(?P=mark)(?![\w])"
)
"""A mark that is never closed costs a look at 600 characters, not at the rest of the file."""
_MAX_NESTED_EMPHASIS = 3
_TIMESTAMP = re.compile(r"[<\[](\d{4}-\d{2}-\d{2}[^<>\[\]\n]{0,40})[>\]]")
_TARGET = re.compile(r"<<<?([^<>\n]{1,200})>>>?")
_FOOTNOTE = re.compile(r"\[fn:[\w-]*\]")
_INLINE_FOOTNOTE = re.compile(r"\[fn:[\w-]*:([^\[\]]{1,2000})\]")
_NOTE = re.compile(r"(?:file:)?(?P<path>[^:]+?)\.(?:org|md|markdown|txt|text)(?:::.*)?$", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\\\\[ \t]*$", re.MULTILINE)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = _OTHER_LINE_ENDS.sub(" ", text_of(file))
    try:
        root = orgparse.loads("\n".join(line[:MAX_OUTLINE_COLUMNS] for line in text.split("\n")))
        nodes = [root, *root[1:]]
    except (ValueError, AttributeError, IndexError, RecursionError) as error:
        raise DocumentError(f"its outline is no Org that can be read ({error})") from error
    lines, writer = text.split("\n"), BlockWriter()
    writer.title = " ".join(root.get_file_property_list("TITLE"))
    for node in nodes:
        if isinstance(node, OrgNode):
            _headline(node, writer)
        first = 0 if node.is_root() else node.linenumber
        _Body(lines, first, min(node.end_linenumber, len(lines)), writer).read()
    yield ExtractedDocument(writer.title, tuple(writer.blocks), tuple(sorted(root.shallow_tags)))


def _headline(node: OrgNode, writer: BlockWriter) -> None:
    links = org_text(node.get_heading("raw")).links
    tags = sorted(node.shallow_tags) + ([node.todo] if node.todo else [])
    where = Whereabouts(first_line=node.linenumber, last_line=node.linenumber)
    # A title in the file's own words goes before that of the first headline.
    level = node.level if writer.title else node.level + 1
    writer.heading(level, org_text(node.heading).text, where, links=links, tags=tags)


class _Body:
    """The lines between one headline and the next."""

    def __init__(self, lines: list[str], first: int, end: int, writer: BlockWriter) -> None:
        """Lines `first` to `end` of the file, 0-based and half-open."""
        self.lines, self.at, self.end = lines, first, end
        self.writer = writer
        self.kind = BlockKind.PARAGRAPH
        self.gathered: list[str] = []
        self.gathered_from = first
        self.missing: set[re.Pattern[str]] = set()

    def read(self) -> None:
        while self.at < self.end:
            line = self.lines[self.at]
            if not line.strip():
                self._close()
            elif not self._is_special(line):
                item = _ITEM.match(line)
                if item:
                    self._close()
                    self.kind = BlockKind.LIST_ITEM
                self._gather(line[item.end() :] if item else line)
            self.at += 1
        self._close()

    def _is_special(self, line: str) -> bool:
        """Reads a line that is no running text, and leaves `at` on the last line that was used; returns False for running text."""
        frame = _FRAME.match(line)
        if frame:
            self._close()
            if frame["side"].lower() == "begin" and frame["name"].lower() in _BLOCK_END:
                self._block(frame["name"].lower())
        elif _DRAWER.match(line):
            self._drawer()
        elif _PLANNING.match(line):
            self._planning(line)
        elif _TABLE_LINE.match(line):
            self._close()
            self._table()
        elif _FIXED_WIDTH.match(line):
            self._close()
            self._fixed_width()
        elif _KEYWORD.match(line):
            self._keyword(line)
        else:
            return bool(_COMMENT.match(line) or _RULE.match(line))
        return True

    def _find(self, pattern: re.Pattern[str]) -> int:
        """Returns the next line that matches; the end if none does, which is searched only once."""
        if pattern in self.missing:
            return self.end
        found = next((at for at in range(self.at + 1, self.end) if pattern.match(self.lines[at])), self.end)
        if found == self.end:
            self.missing.add(pattern)
        return found

    def _block(self, name: str) -> None:
        """Writes a block of code as it is, and leaves out a comment; quotes and verses are running text."""
        end = self._find(_BLOCK_END[name])
        if name != "comment":
            code = "\n".join(line.removeprefix(",") for line in self.lines[self.at + 1 : end])
            self.writer.add(BlockKind.CODE, code, self._where(self.at + 1, end))
        self.at = end

    def _drawer(self) -> None:
        """Properties and logs are no text; a drawer that is never closed is none."""
        self._close()
        end = self._find(_DRAWER_END)
        self.at = self.at if end == self.end else end

    def _planning(self, line: str) -> None:
        self._close()
        for label, timestamp in _PLANNED.findall(line):
            where = self._where(self.at, self.at + 1)
            self.writer.add(BlockKind.PARAGRAPH, f"{label.capitalize()}: {timestamp}", where)

    def _table(self) -> None:
        first = self.at
        while self.at < self.end and _TABLE_LINE.match(self.lines[self.at]):
            self.at += 1
        at = [number for number in range(first, self.at) if not _TABLE_RULE.match(self.lines[number])]
        rows = [
            [org_text(cell).text for cell in self.lines[number].strip().removesuffix("|").split("|")[1:]]
            for number in at
        ]
        is_marked = bool(at) and at[0] + 1 < self.at and at[0] + 1 not in at
        for position, statement in stated_rows(rows, has_header=may_have_header(rows, is_marked=is_marked)):
            links = org_text(self.lines[at[position]]).links
            where = self._where(at[position], at[position] + 1)
            self.writer.add(BlockKind.TABLE_ROW, statement, where, links=links)
        self.at -= 1

    def _fixed_width(self) -> None:
        first = self.at
        while self.at < self.end and _FIXED_WIDTH.match(self.lines[self.at]):
            self.at += 1
        code = "\n".join(line.lstrip()[2:] for line in self.lines[first : self.at])
        self.writer.add(BlockKind.CODE, code, self._where(first, self.at))
        self.at -= 1

    def _keyword(self, line: str) -> None:
        self._close()
        found = _KEYWORD.match(line)
        if found and found["name"].lower() in _SHOWN_KEYWORDS:
            self.writer.add(BlockKind.PARAGRAPH, org_text(found["value"]).text, self._where(self.at, self.at + 1))

    def _gather(self, line: str) -> None:
        if not self.gathered:
            self.gathered_from = self.at
        self.gathered.append(line)

    def _close(self) -> None:
        """Ends the paragraph or list item that was gathered."""
        if self.gathered:
            shown = org_text("\n".join(self.gathered))
            where = self._where(self.gathered_from, self.gathered_from + len(self.gathered))
            self.writer.add(self.kind, shown.text, where, links=shown.links)
        self.gathered = []
        self.kind = BlockKind.PARAGRAPH

    def _where(self, first: int, end: int) -> Whereabouts:
        """Returns the place of 0-based half-open lines."""
        return Whereabouts(first_line=first + 1, last_line=max(end, first + 1))


@dataclass(frozen=True, slots=True)
class OrgText:
    """A stretch of Org as a person reads it."""

    text: str
    links: tuple[WikiLink, ...]


def org_text(source: str) -> OrgText:
    """Returns what is shown of a stretch of Org, and its links to other notes."""
    links: list[WikiLink] = []

    def label(match: re.Match[str]) -> str:
        shown = match["label"] or match["target"].removeprefix("file:")
        link = _note_link(match["target"], match["label"] or "")
        if link:
            links.append(link)
        return shown

    text = _LINK.sub(label, source)
    text = _INLINE_FOOTNOTE.sub(r" (\1)", text)
    for pattern, shown in ((_FOOTNOTE, ""), (_TIMESTAMP, r"\1"), (_TARGET, r"\1"), (_LINE_BREAK, "")):
        text = pattern.sub(shown, text)
    for _ in range(_MAX_NESTED_EMPHASIS):
        text, changes = _EMPHASIS.subn(r"\g<inner>", text)
        if not changes:
            break
    return OrgText(text, tuple(links))


def _note_link(target: str, label: str) -> WikiLink | None:
    """Returns the note that a link leads to; None for web pages, pictures and places in the same file.

    An identifier (`id:…`) says nothing to a person; programs that write such links label them with the note's title.
    """
    if target.startswith("id:") and label:
        return WikiLink(label, label)
    note = _NOTE.match(target)
    if note is None:
        return None
    name = note["path"].rsplit("/", 1)[-1]
    return WikiLink(name, label or name)


EXTRACTOR = Extractor(_read)
