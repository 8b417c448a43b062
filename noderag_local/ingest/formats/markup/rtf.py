"""Rich Text files (.rtf): headings by outline level, lists, tables as statements, footnotes, text boxes.

The walk is our own: striprtf 0.0.35 gives the bare text, without footnotes and without a sign of what is a heading.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.markup.rtf_tokens import CODE_PAGES, Token, tokens
from noderag_local.ingest.formats.office.tabular import stated_rows

MAX_GROUPS = 10_000
"""Most groups that are open at once; Word gives up far earlier."""

_SIGNS = {
    "tab": " ",
    "line": " ",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
    "~": "\u00a0",
    "_": "-",
    "{": "{",
    "}": "}",
    "\\": "\\",
}
_BREAKS = {"par", "sect", "page", "\n", "\r"}
"""What ends a paragraph; macOS writes a backslash at the end of the line, which means the same as \\par."""
_PASSED_OVER = set(
    "colortbl pict header headerl headerr headerf footer footerl footerr footerf listtable revtbl fldinst tc xe "
    "nonshppict objdata atnid atnauthor ftnsep ftnsepc aftnsep aftnsepc".split()
)
_NUMBERS_OF_LISTS = {"listtext", "pntext"}
_ASIDE = {"footnote", "shptxt"}
_CODE_PAGE_WORDS = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_MAX_OUTLINE_LEVEL = 8
_BULLET = re.compile(r"\s*[•◦▪‣]\s+")


@dataclass(frozen=True, slots=True)
class _State:
    """Properties inside a group; when it ends, those of the group around it apply again."""

    sink: list[str] | None
    """List that takes the text; None if it is not shown."""
    room: str = "body"
    """body, aside, fonts, styles or info."""
    font: int = -1
    fallback: int = 1
    """Characters after \\u that programs without Unicode show instead."""
    level: int | None = None
    style: int = -1
    is_item: bool = False
    in_table: bool = False
    hidden: bool = False


@dataclass(slots=True)
class _Reader:
    file_name: str
    writer: BlockWriter = field(default_factory=BlockWriter)
    title: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    asides: list[list[str]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    fonts: dict[int, str] = field(default_factory=dict)
    style_levels: dict[int, int] = field(default_factory=dict)
    code_page: str = "cp1252"
    default_font: int = -1

    def read(self, data: bytes) -> None:
        """Walks through the file; the last paragraph may lack its end."""
        state = _State(self.body)
        groups: list[_State] = []
        pending = bytearray()
        to_skip = 0
        starred = False
        for token in tokens(data):
            if token.data:
                kept, to_skip = _unskipped(token, to_skip)
                pending += kept
                continue
            self._flush(pending, state)
            to_skip = 0
            if token.brace == "{":
                groups.append(state)
                if len(groups) > MAX_GROUPS:
                    raise DocumentError(
                        f"it opens more than {MAX_GROUPS:,} groups, as no document does; it was not read"
                    )
            elif token.brace:
                if not groups:
                    break
                state = groups.pop()
            elif token.sign == "*":
                starred = True
                continue
            elif token.word == "u" and token.number is not None:
                _put(state, chr(token.number & 0xFFFF))
                to_skip = state.fallback
            else:
                state = self._obey(token, state, starred)
            starred = False
        self._flush(pending, state)
        self._paragraph(state)
        self._table()

    def _flush(self, pending: bytearray, state: _State) -> None:
        if pending and state.sink is not None:
            codec = self.fonts.get(state.font if state.font >= 0 else self.default_font) or self.code_page
            _put(state, pending.decode(codec, "replace"))
        pending.clear()

    def _obey(self, token: Token, state: _State, starred: bool) -> _State:
        """Does what a control word says; returns the state after it."""
        word = token.word or token.sign
        if state.sink is None and word not in _ASIDE and state.room == "body":
            return state
        if word in _SIGNS:
            _put(state, _SIGNS[word])
        elif word in _BREAKS:
            self._break(state)
        elif word in ("cell", "nestcell"):
            self.cells.append("".join(self.body))
            self.body.clear()
        elif word in ("row", "nestrow"):
            self.rows.append(self.cells)
            self.cells = []
        elif word in _ASIDE:
            self.asides.append([])
            return replace(state, sink=self.asides[-1], room="aside")
        elif word in _NUMBERS_OF_LISTS or word in _PASSED_OVER:
            return replace(state, sink=None)
        else:
            return self._set(word, token.number, state, starred)
        return state

    def _set(self, word: str, number: int | None, state: _State, starred: bool) -> _State:
        """Sets a property of the document, its fonts and styles, the paragraph or the text; returns the state after it."""
        value = 0 if number is None else number
        if word == "ansicpg":
            self.code_page = _known_codec(f"cp{value}")
        elif word in _CODE_PAGE_WORDS:
            self.code_page = _CODE_PAGE_WORDS[word]
        elif word == "deff":
            self.default_font = value
        elif word == "fonttbl":
            return replace(state, sink=None, room="fonts")
        elif word == "stylesheet":
            return replace(state, sink=None, room="styles")
        elif word == "info":
            return replace(state, sink=None, room="info")
        elif word == "title" and state.room == "info":
            return replace(state, sink=self.title)
        elif word == "fcharset" and state.room == "fonts":
            self.fonts[state.font] = CODE_PAGES.get(value, "")
        elif word == "outlinelevel" and state.room == "styles":
            self.style_levels[state.style] = value
        elif word == "pard":
            return replace(state, level=None, style=-1, is_item=False, in_table=False)
        elif word == "plain":
            return replace(state, font=-1, hidden=False)
        elif starred and state.room == "body":
            return replace(state, sink=None)
        else:
            return _with_property(state, word, number)
        return state

    def _break(self, state: _State) -> None:
        if state.room != "body" or state.in_table:
            _put(state, " ")
        else:
            self._paragraph(state)

    def _paragraph(self, state: _State) -> None:
        """Ends the paragraph; footnotes and text boxes in it come after it."""
        if not self.writer.title:  # the properties come before the text, and a heading would be taken for the title
            self.writer.title = own_title(_joined(self.title), self.file_name)
        text = _joined(self.body)
        self.body.clear()
        if text.strip() or self.asides:
            self._table()
        level = self.style_levels.get(state.style, -1) if state.level is None else state.level
        if 0 <= level <= _MAX_OUTLINE_LEVEL:
            self.writer.heading(level + 1, text)
        else:
            bullet = _BULLET.match(text)
            is_item = state.is_item or bullet is not None
            self.writer.add(
                BlockKind.LIST_ITEM if is_item else BlockKind.PARAGRAPH, text[bullet.end() if bullet else 0 :]
            )
        self._put_asides()

    def _put_asides(self) -> None:
        for aside in self.asides:
            self.writer.add(BlockKind.PARAGRAPH, _joined(aside))
        self.asides.clear()

    def _table(self) -> None:
        rows = [[_joined([cell]) for cell in row] for row in self.rows]
        self.rows = []
        for _, statement in stated_rows(rows):
            self.writer.add(BlockKind.TABLE_ROW, statement)


def _with_property(state: _State, word: str, number: int | None) -> _State:
    if number is None and word not in ("intbl", "v"):
        return state
    changes: dict[str, int | bool | None] = {}
    if word == "f":
        changes["font"] = number
    elif word == "uc":
        changes["fallback"] = max(number or 0, 0)
    elif word == "s":
        changes["style"] = number
    elif word == "outlinelevel":
        changes["level"] = number
    elif word == "ls":
        changes["is_item"] = number != 0
    elif word == "intbl":
        changes["in_table"] = True
    elif word == "v":
        changes["hidden"] = number != 0
    return replace(state, **changes) if changes else state  # type: ignore[arg-type]


def _put(state: _State, text: str) -> None:
    if state.sink is not None and not state.hidden:
        state.sink.append(text)


def _unskipped(token: Token, to_skip: int) -> tuple[bytes, int]:
    """Returns the bytes of a token without those that stand in for a Unicode character, and how many are still to skip."""
    if token.is_escaped:
        return (b"", to_skip - 1) if to_skip else (token.data, 0)
    return token.data[to_skip:], max(to_skip - len(token.data), 0)


def _joined(pieces: list[str]) -> str:
    """Returns text with whole surrogate pairs, of which the file writes one half at a time."""
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _known_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8" if name == "cp65001" else "cp1252"


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    file.seek(0)
    data = file.read()
    if not data.lstrip()[:5] == rb"{\rtf":
        raise DocumentError("it is damaged, or no Rich Text file: it does not start as one")
    reader = _Reader(name)
    reader.read(data)
    yield ExtractedDocument(reader.writer.title, tuple(reader.writer.blocks))


EXTRACTOR = Extractor(_read)
