"""Markdown notes, as CommonMark and Obsidian write them.

markdown-it-py finds the blocks and their lines; what stands inside a block is read by `inline`, since its offsets
are needed. HTML comments, link addresses and marks are not shown but stay in the passages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, list_block, reference
from markdown_it.token import Token

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.file_parts import Part
from noderag_local.ingest.chunks.parsed_document import (
    PARTLY_READ,
    Block,
    Draft,
    Fragment,
    Marker,
    Omission,
    short_title,
)
from noderag_local.ingest.chunks.sentence_split import sentences_of
from noderag_local.ingest.formats.text.front_matter_lines import property_blocks
from noderag_local.ingest.formats.text.inline import shown
from noderag_local.ingest.formats.text.line_breaks import are_jotted, statement_ends
from noderag_local.ingest.formats.text.note_metadata import (
    NoteMetadata,
    NoteNames,
    block_ids,
    note_metadata,
    note_names,
)
from noderag_local.ingest.formats.text.text_reader import Found, Keep, TextReader, content_hash, guessed_encoding
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.languages import language_of

_COMMENT_MARK = re.compile(r"^%%[ \t]*$", re.MULTILINE)
_CODE_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_SHOWN_CHARACTER = re.compile(r"[^\n]")

MAX_BLOCK_CHARACTERS = 1 << 16
"""A longer block is read in pieces, so that no scanner sees more at once."""

_DEEPEST = 200
"""Levels of lists and quotes; a list has two."""
_DAY_OF_MONTH = (
    r"\d{1,2}\.[ ](?:Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember)(?!\w)"
    r"|(?:1[3-9]|2\d|3[01])\.[ ](?:April|August|September|November)(?!\w)"
)
"""A German day in front of a line, which CommonMark takes for the number of a list. "4. April" may
also be an item of an English list of months, but such a list has no item 13."""
_FIRST_PREFIX = re.compile(
    rf"[ \t]*(?:>[ \t]?|[-+*][ \t]+|(?!{_DAY_OF_MONTH})\d{{1,9}}[.)][ \t]+)*(?:\[[ xX/-]\][ \t]+)?[ \t]*"
)
_LATER_PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*")
_HEADING_MARKS = re.compile(r"(?:[ \t]*+(?:>|[-+*][ \t]++|\d{1,9}[.)][ \t]++))*+[ \t]*+#{1,6}+[ \t]++")
_CLOSING_MARKS = re.compile(r"(?<![ \t])[ \t]++#++[ \t]*+$")
_SPANS_LINES = re.compile(r"<|%%|\$\$")
"""Finds HTML, comments and formulas, which may reach over the end of a line."""
_DROPPED_HTML = re.compile(r"\s*<(?:script|style|svg|template)\b", re.IGNORECASE)

Headings = tuple[tuple[int, str], ...]


def _parser() -> MarkdownIt:
    """Returns a parser that reads what is nested too deep as a paragraph, where markdown-it drops the rest of the text."""
    made = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table").disable("inline")
    ends_others = ["paragraph", "reference", "blockquote"]
    made.block.ruler.at("reference", _unless_footnote)
    made.block.ruler.at("list", _up_to_the_limit(list_block), {"alt": ends_others})
    made.block.ruler.at("blockquote", _up_to_the_limit(blockquote), {"alt": [*ends_others, "list"]})
    return made


def _up_to_the_limit(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    def bounded(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:
        return state.level + 2 < _DEEPEST and rule(state, first_line, end_line, silent)

    return bounded


def _unless_footnote(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:
    """Reads the address of a link, which is not shown; "[^1]: Ibid." is a footnote, whose one word is text."""
    begin = state.bMarks[first_line] + state.tShift[first_line]
    return not state.src.startswith("[^", begin) and reference(state, first_line, end_line, silent)


_PARSER = _parser()


class Outline:
    """Blocks of a part of a note, and the headings that apply at its end."""

    def __init__(self, text: str, start: int, headings: Headings, title: str) -> None:
        """Reads a part.

        Args:
            text: text of the part.
            start: where its front matter ends.
            headings: (level, text) of the headings that apply at the start.
            title: title of the document; "" if the first heading of level 1 is to be it.
        """
        self.text = text
        self.headings = headings
        self.title = title
        self.blocks: list[Block] = []
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._first_line = bisect_right(self._line_starts, start) - 1
        self._in_jotted = are_jotted(text[start:])
        self._read(_PARSER.parse(text[start:]))

    def _read(self, tokens: list[Token]) -> None:
        heading_level, in_list, in_row = 0, 0, False
        for token in tokens:
            if token.type == "heading_open":
                heading_level = int(token.tag[1])
            elif token.type == "list_item_open":
                in_list += 1
            elif token.type == "list_item_close":
                in_list -= 1
            elif token.type == "tr_open":
                self._row(token)
                in_row = True
            elif token.type == "tr_close":
                in_row = False
            elif token.type == "inline" and not in_row:
                if heading_level:
                    self._heading(token, heading_level)
                    heading_level = 0
                else:
                    self._paragraph(token, BlockKind.LIST_ITEM if in_list else BlockKind.PARAGRAPH)
            elif token.type in ("fence", "code_block"):
                self._add(BlockKind.CODE, *self._span(token))
            elif token.type == "html_block" and not _DROPPED_HTML.match(token.content):
                self._paragraph(token, BlockKind.PARAGRAPH)

    def _span(self, token: Token) -> tuple[int, int]:
        """Offsets of a token's lines, without the last line end."""
        first, last = token.map or [0, 0]
        end = min(self._line_starts[self._first_line + last] - 1, len(self.text))
        return self._line_starts[self._first_line + first], end

    def _heading(self, token: Token, level: int) -> None:
        start, end = self._span(token)
        marks = _HEADING_MARKS.match(self.text, start, end)
        inner = marks.end() if marks else start
        closing = _CLOSING_MARKS.search(self.text, inner, end) if marks else None
        fragments, markers = shown(self.text, inner, closing.start() if closing else end, with_tags=False)
        title = short_title(printable("".join(fragment.text for fragment in fragments)))
        if level == 1 and not self.title:
            self.title = title
        above = tuple(heading for heading in self.headings if heading[0] < level)
        self.headings = (*above, (level, title))
        self._add(BlockKind.HEADING, start, end, fragments, markers)

    def _row(self, token: Token) -> None:
        start, end = self._span(token)
        inner = start + len(self.text[start:end]) - len(self.text[start:end].lstrip("> \t|"))
        fragments, markers = shown(self.text, inner, max(inner, start + len(self.text[start:end].rstrip(" \t|"))))
        self._add(BlockKind.TABLE_ROW, start, end, fragments, markers)

    def _paragraph(self, token: Token, kind: BlockKind) -> None:
        start, end = self._span(token)
        while end - start > MAX_BLOCK_CHARACTERS:
            half = start + MAX_BLOCK_CHARACTERS // 2
            cut = max(self.text.rfind(mark, half, start + MAX_BLOCK_CHARACTERS) for mark in ". \n") + 1
            cut = cut if cut > half else start + MAX_BLOCK_CHARACTERS
            self._lines(kind, start, cut)
            start = cut
        self._lines(kind, start, end)

    def _lines(self, kind: BlockKind, start: int, end: int) -> None:
        """Adds a paragraph, cut where a line break ends a statement: Obsidian shows each of them."""
        pieces = self._pieces(start, end) or [(start, end)]
        lines = [self.text[first:stop] for first, stop in pieces]
        is_cut = kind is BlockKind.PARAGRAPH and not _SPANS_LINES.search(self.text, start, end)
        ends = statement_ends(lines, in_jotted=self._in_jotted) if is_cut else [False] * (len(pieces) - 1)
        statement: list[tuple[int, int]] = []
        for piece, is_end in zip(pieces, [*ends, True], strict=True):
            statement.append(piece)
            if is_end:
                stop = start + len(self.text[start : piece[1]].rstrip("\n"))
                self._add(kind, start, stop, *self._shown(statement))
                start, statement = piece[1], []

    def _pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """Returns (start, end) of the lines of a paragraph, without the mark that each line of a quote has."""
        at, pattern, pieces = start, _FIRST_PREFIX, []
        while at < end:
            stop = self.text.find("\n", at, end) + 1 or end
            prefix = pattern.match(self.text, at, stop)
            pieces.append((prefix.end() if prefix else at, stop))
            at, pattern = stop, _LATER_PREFIX
        return pieces

    def _shown(self, pieces: Sequence[tuple[int, int]]) -> tuple[tuple[Fragment, ...], tuple[Marker, ...]]:
        """Returns what is shown of the (start, end) of some lines; marks may open in one line and close in the next."""
        if all(first == before for (_, before), (first, _) in pairwise(pieces)):
            pieces = [(pieces[0][0], pieces[-1][1])]
        read = [shown(self.text, first, last) for first, last in pieces]
        fragments = (one for found, _ in read for one in found)
        return tuple(fragments), tuple(one for _, found in read for one in found)

    def _add(
        self,
        kind: BlockKind,
        start: int,
        end: int,
        fragments: tuple[Fragment, ...] | None = None,
        markers: tuple[Marker, ...] = (),
    ) -> None:
        breadcrumb = tuple(text for level, text in self.headings if level > 1 or text != self.title)
        self.blocks.append(Block(kind, start, end, breadcrumb, fragments, markers))


class NoteBlocks(NamedTuple):
    """Blocks of a part of a note, and the tags in its properties."""

    blocks: list[Block]
    tags: tuple[str, ...] = ()


OwnBlocks = Callable[[str, list[Block], bool], NoteBlocks]
"""(text, its blocks, whether it is the first part of the note) → the blocks, changed for the program that wrote the note."""


def _as_they_are(_text: str, blocks: list[Block], _is_first: bool) -> NoteBlocks:
    return NoteBlocks(blocks)


def _read(name: str, encoding: str, parts: Iterator[Part], keep: Keep, record: int) -> Found:
    return note_drafts(name, encoding, parts, record, note_names(name))


def note_drafts(
    name: str,
    encoding: str,
    parts: Iterator[Part],
    record: int,
    names: NoteNames,
    own_blocks: OwnBlocks = _as_they_are,
) -> Found:
    """Yields the documents of a note in Markdown, with notices of what could not be read.

    Args:
        name: name of the file, with the name of its folder.
        encoding: name of its encoding.
        parts: parts of the file.
        record: number of the first document.
        names: names that the note has from its file.
        own_blocks: adapts the blocks to the program that wrote the note.
    """
    about, title = NoteMetadata(), ""
    headings: Headings = ()
    for part in parts:
        text = part.decoded.text
        if part.decoded.is_first:
            about = note_metadata(text)
            title = short_title(printable(about.title))
            if about.fault:
                detail = f"has front matter that {about.fault}, so it was read as text. Fix it, and its title and tags count."
                yield Omission(PARTLY_READ, detail, 1)
        start = about.end if part.decoded.is_first else 0
        outline = Outline(_without_block_comments(text), start, headings, title)
        headings = outline.headings
        title = outline.title or names.title
        own = own_blocks(text, outline.blocks, part.decoded.is_first)
        properties = property_blocks(text, start, about.fields)
        sentences = sentences_of(text, [*properties, *own.blocks], language_of(text), part.decoded.passages)
        if not sentences:
            continue
        digest = content_hash(part.data)
        aliases = tuple(dict.fromkeys((*about.aliases, *names.aliases, *block_ids(text))))
        kept = tuple(alias for alias in aliases if alias != title)
        tags = (*about.tags, *own.tags)
        yield Draft(name, record, title, encoding, digest, text, sentences, tags, kept, about.day)
        record += 1


def _without_block_comments(text: str) -> str:
    """Returns `text` with spaces in place of Obsidian's comments, which run from a line %% to the next; offsets stay, and code is left alone."""
    if "%%" not in text:
        return text
    fences = [match.start() for match in _CODE_FENCE.finditer(text)]
    marks = [match for match in _COMMENT_MARK.finditer(text) if not _is_in_code(match.start(), fences)]
    pieces, at = [], 0
    for opening, closing in zip(marks[0::2], marks[1::2], strict=False):
        pieces += [text[at : opening.start()], _SHOWN_CHARACTER.sub(" ", text[opening.start() : closing.end()])]
        at = closing.end()
    return "".join([*pieces, text[at:]])


def _is_in_code(at: int, fences: list[int]) -> bool:
    return bisect_left(fences, at) % 2 == 1


READER = TextReader(_read, guessed_encoding)
