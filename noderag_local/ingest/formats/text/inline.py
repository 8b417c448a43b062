"""Markdown inside a block: what a person reads of it, its links and its tags.

An inline parser would lose the offsets, so this is a scanner of one regular expression whose every alternative is
linear. What it does not know stays as it stands, so no text is lost.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from noderag_local.domain.documents import WikiLink
from noderag_local.ingest.chunks.parsed_document import Fragment, Marker

NOTE_SUFFIXES = (".md", ".markdown", ".txt", ".text")
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp[34]|m4a|wav|ogg|flac|webm|mov|mkv|pdf|canvas)$", re.IGNORECASE
)

_TOKEN = re.compile(
    r"""
      (?P<code>(?<!`)(?P<ticks>`+)(?P<code_text>[^`]+)(?P=ticks)(?!`))
    | (?P<comment><!--|%%[^%]*%%)
    | (?P<wiki>[!\#]?\[\[(?P<target>[^\[\]|\#\n\\]*)(?P<section>\#[^\[\]|\n\\]*)?(?:\\?\|(?P<alias>[^\[\]\n]*))?\]\])
    | (?P<block_reference>\(\((?P<block>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)\))
    | (?P<embed>\{\{embed[ \t]+(?=\[\[|\(\()|(?<=[\])][\])])\}\}|\{\{(?:query|renderer|function)[^{}\n]*\}\})
    | (?P<block_name>(?<=[ \t\n])\^[\w-]+(?=[ \t]*(?:\n|\Z)))
    | (?P<machine>(?<!\S)(?:id::[ \t]+[0-9a-f]{8}-|(?:collapsed|heading)::[ \t]+(?:true|false|\d)
        |(?:background-color|card-[\w-]+|logseq\.[\w.-]+)::[ \t])[^\n]*)
    | (?P<org_frame>(?<!\S)\#\+(?:BEGIN|END)_[A-Z]+(?=[ \t]*(?:\n|\Z)))
    | (?P<property>(?<=\w)::(?=[ \t]))
    | (?P<footnote>\[\^[^\]\s\[]+\]:?)
    | (?P<callout>(?:(?<=>)|(?<=>[ ]))\[![\w-]+\][+-]?)
    | (?P<link>(?P<image>!?)\[(?P<label>(?:[^\[\]]|\[[^\[\]]*\])*)\]
        \([ ]*+(?P<url><[^<>\n]*+>|(?:[^\s()<>]|\([^\s()]*+\))*+)(?:[ \n]++(?:"[^"]*+"|'[^']*+'))?+[ ]*+\))
    | (?P<reference>\[(?P<reference_text>[^\[\]]+)\]\[[^\[\]]*\])
    | (?P<autolink><(?P<address>https?://[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>)
    | (?P<tag_html></?[A-Za-z][^<>]*>)
    | (?P<bare>https?://[^\s<>]+)
    | (?P<escape>\\(?P<escaped>[!-/:-@\[-`{-~]))
    | (?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)
    | (?P<tag>(?<![\w/\#&])\#(?P<tag_name>\d*[^\W\d][\w/-]*))
    | (?P<emphasis>\*{1,3}|~~|==|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w))
    """,
    re.VERBOSE,
)
_MARKUP = re.compile(r"[`<\[\\&#*~=_^]|%%|::|\(\(|\{\{|https?:")


def shown(
    text: str, start: int, end: int, *, with_tags: bool = True
) -> tuple[tuple[Fragment, ...], tuple[Marker, ...]]:
    """Returns the visible text of a piece of Markdown, with its links and tags.

    Args:
        text: text that holds the stretch.
        start: start of a block, or of a line of one.
        end: end of it.
        with_tags: whether #words are tags here.
    """
    if not has_markup(text, start, end):
        return (Fragment(text[start:end], start, end),), ()
    scanner = InlineScanner(text, with_tags)
    scanner.run(start, end)
    return tuple(scanner.fragments()), tuple(scanner.markers)


def has_markup(text: str, start: int, end: int) -> bool:
    """Returns whether a stretch has a sign that may begin a mark; if not, all of it is shown."""
    return _MARKUP.search(text, start, end) is not None


def kind_of_token(match: re.Match[str]) -> str:
    """Returns what a token is, by the name of its group: "code", "wiki", "link", "bare", "tag" or another."""
    inner = ("code", "wiki", "block_reference", "link", "reference", "autolink", "escape", "tag")
    return next((name for name in inner if match[name] is not None), match.lastgroup or "")


class InlineScanner:
    """One pass; emphasis is decided at the end, when it is known which marks have a partner."""

    def __init__(self, text: str, with_tags: bool) -> None:
        self.text = text
        self.with_tags = with_tags
        self.pieces: list[Fragment] = []
        self.markers: list[Marker] = []
        self.open_marks: dict[str, int] = {}
        self.paired: set[int] = set()
        self.pairs: list[tuple[int, int]] = []
        """Places in `pieces` of the marks that begin and end an emphasis."""
        self.all_comments_open = False

    def fragments(self) -> Iterator[Fragment]:
        """Yields all pieces except emphasis marks that have a partner."""
        return (piece for index, piece in enumerate(self.pieces) if index not in self.paired and piece.text)

    def run(self, start: int, end: int) -> None:
        """Reads a stretch of the text."""
        at = start
        for match in _TOKEN.finditer(self.text, start, end):
            if match.start() < at:
                continue
            self._as_is(at, match.start())
            if match.group() == "<!--":
                at = self._comment(match, end)
                continue
            self._token(match, start, end)
            at = match.end()
        self._as_is(at, end)

    def _comment(self, match: re.Match[str], end: int) -> int:
        """Returns where a comment ends; one that is never closed is text, and its end is searched only once."""
        close = -1 if self.all_comments_open else self.text.find("-->", match.end(), end)
        if close < 0:
            self.all_comments_open = True
            self._as_is(*match.span())
            return match.end()
        return close + len("-->")

    def _token(self, match: re.Match[str], start: int, end: int) -> None:
        kind = kind_of_token(match)
        if kind == "code":
            self._as_is(*match.span("code_text"))
        elif kind == "wiki":
            self._wiki(match)
        elif kind == "block_reference":
            self.markers.append(Marker(match.start(), WikiLink(match["block"], match["block"])))
        elif kind == "property":
            self.pieces.append(Fragment(":", *match.span()))
        elif kind == "link":
            self._link(match)
        elif kind == "reference":
            self.run(*match.span("reference_text"))
        elif kind == "autolink":
            self._as_is(*match.span("address"))
        elif kind == "escape":
            self._as_is(*match.span("escaped"))
        elif kind == "entity":
            self.pieces.append(Fragment(html.unescape(match.group()), *match.span()))
        elif kind == "tag_html":
            space = " " if match.group().lower().startswith(("<br", "<p", "</p", "<li", "<td", "<div", "</div")) else ""
            self.pieces.append(Fragment(space, *match.span()))
        elif kind == "emphasis":
            self._emphasis(match, start, end)
        elif kind in ("tag", "bare"):
            if kind == "tag" and self.with_tags:
                self.markers.append(Marker(match.start(), tag=match["tag_name"].rstrip("/-")))
            self._as_is(*match.span())

    def _wiki(self, match: re.Match[str]) -> None:
        target = match["target"].strip()
        alias = (match["alias"] or "").strip()
        if _MEDIA.search(target):
            if not match.group().startswith("!"):
                self._as_is(*match.span("alias" if alias else "target"))
            return
        if target:
            self.markers.append(Marker(match.start(), WikiLink(target, alias or target)))
        if target and match.group().startswith("#"):
            self.markers.append(Marker(match.start(), tag=target))
        if not (target or alias) and (match["section"] or "").startswith("#^"):
            return
        part = "alias" if alias else "target" if target else "section"
        first, last = match.span(part)
        self._as_is(first + (part == "section"), last)

    def _link(self, match: re.Match[str]) -> None:
        self.run(*match.span("label"))
        url = unquote(match["url"].strip("<>")).split("#")[0]
        if match["image"] or "://" in url or not url.lower().endswith(NOTE_SUFFIXES):
            return
        label = " ".join(match["label"].split())
        self.markers.append(Marker(match.start(), WikiLink(url, label or url)))

    def _emphasis(self, match: re.Match[str], start: int, end: int) -> None:
        mark, index = match.group(), len(self.pieces)
        before = self.text[match.start() - 1 : match.start()] if match.start() > start else " "
        after = self.text[match.end() : match.end() + 1] if match.end() < end else " "
        opener = self.open_marks.get(mark)
        if before.isdigit() and after.isdigit():
            self._as_is(*match.span())  # 2*3 is a product
            return
        if opener is not None and not before.isspace():
            self.paired |= {opener, index}
            self.pairs.append((opener, index))
            del self.open_marks[mark]
        elif not after.isspace():
            self.open_marks[mark] = index
        self._as_is(*match.span())

    def _as_is(self, start: int, end: int) -> None:
        if start < end:
            self.pieces.append(Fragment(self.text[start:end], start, end))
