"""Parses an answer as Markdown in which citations are the only links."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from noderag_local.domain.passages import Citation
from noderag_local.generation.citing.markers import written

SCHEME = "source:"
"""Beginning of a citation's address; no text can contain such an address."""

UNSUPPORTED = " *(no source supports this)*"

_REFUSED = ("autolink", "code", "entity", "html_block", "html_inline", "image", "lheading", "link", "reference")
"""Features that are turned off. Links, images and HTML are shown as plain text. An entity could hide a character that reverses
the direction of text. Indented code and underlined headings are usually accidents of a note's layout."""
_NESTING = 8
_MARK = re.compile(r"\[(\d{1,4})\]")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"^[^\S\n]*+(?:```|~~~)", re.MULTILINE)


def parser(known: Collection[int], *, tables: bool) -> MarkdownIt:
    """Returns a Markdown parser for answers.

    Args:
        known: numbers of the sources; other numbers in brackets stay plain text.
        tables: whether tables are drawn; False while an answer is streamed, since a half-written table changes with every line.
    """
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": _NESTING}).disable(_REFUSED)
    if tables:
        made.enable("table")

    def link_citations(state: StateCore) -> None:
        for token in state.tokens:
            if token.type == "inline" and token.children:
                token.children = [part for child in token.children for part in _linked(_broken(child), known)]

    made.core.ruler.push("citations", link_citations)
    return made


def cited_number(address: str) -> int | None:
    """Returns the number of the source that a citation leads to; None for any other address."""
    number = address.removeprefix(SCHEME)
    return int(number) if address.startswith(SCHEME) and number.isdecimal() else None


def marked(citations: Sequence[Citation], *, quoted: bool) -> str:
    """Returns an answer as Markdown with its citations, and with a mark at each sentence that no source supports.

    Args:
        citations: the sentences of the answer, with the sources of each.
        quoted: whether the answer consists of passages, which are plain text; each becomes a paragraph.
    """
    return "".join(_marked(citations, quoted)).rstrip()


def _marked(citations: Sequence[Citation], quoted: bool) -> Iterator[str]:
    in_code = False
    for part in citations:
        in_code ^= len(_FENCE.findall(part.text)) % 2 == 1
        yield _PUNCTUATION.sub(r"\\\1", part.text) if quoted else part.text
        if part.numbers and not in_code:
            yield " " + written(part.numbers)
        if part.text and not part.supported and not in_code:
            yield UNSUPPORTED
        yield part.after.replace("\n", "\n\n") if quoted else part.after


def _broken(token: Token) -> Token:
    """Returns the end of a line as one that stays: an answer has a line for each item of a list, and is never wrapped."""
    if token.type == "softbreak":
        token.type = "hardbreak"
    return token


def _linked(token: Token, known: Collection[int]) -> Iterator[Token]:
    """Yields a text token with its citations as links, and any other token unchanged."""
    if token.type != "text":
        yield token
        return
    start = 0
    for mark in _MARK.finditer(token.content):
        if int(mark[1]) not in known:
            continue
        yield _text(token.content[start : mark.start()])
        yield Token("link_open", "a", 1, attrs={"href": f"{SCHEME}{mark[1]}"})
        yield _text(mark[0])
        yield Token("link_close", "a", -1)
        start = mark.end()
    yield _text(token.content[start:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
