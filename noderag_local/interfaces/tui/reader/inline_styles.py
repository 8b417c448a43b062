"""Reads the Markdown inside a line: the text that a person reads, its styles and its links."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate

from noderag_local.ingest.formats.text.inline import InlineScanner, has_markup, kind_of_token
from noderag_local.interfaces.tui.reader.shown_line import LineLink, Span

LONGEST = 20_000
"""Characters of a line whose Markdown is read; a longer one is data, and shown as it stands."""
_STYLES = {"code": "code", "tag": "tag", "wiki": "link", "link": "link", "autolink": "link", "bare": "link"}
_EMPHASIS = {"*": "emphasis", "_": "emphasis", "**": "strong", "__": "strong", "***": "strong", "___": "strong",
             "~~": "struck", "==": "found"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class InlineText:
    """A line without its marks."""

    text: str
    spans: tuple[Span, ...] = ()
    links: tuple[LineLink, ...] = ()


class _StyledScanner(InlineScanner):
    """Notes which pieces each token gave."""

    def __init__(self, text: str) -> None:
        super().__init__(text, with_tags=True)
        self.tokens: list[tuple[int, int, str, str]] = []
        """(first piece, piece after the last, style, target of a link)."""

    def _token(self, match: re.Match[str], start: int, end: int) -> None:
        first, kind = len(self.pieces), kind_of_token(match)
        super()._token(match, start, end)
        style = _STYLES.get(kind, "")
        if style and len(self.pieces) > first:
            self.tokens.append((first, len(self.pieces), style, _target(match, kind)))


def _target(match: re.Match[str], kind: str) -> str:
    if kind == "wiki":
        return f"{(match['target'] or '').strip()}{match['section'] or ''}"
    if kind == "link":
        return str(match["url"]).strip("<>")
    return match["address"] or match.group() if kind in ("autolink", "bare") else ""


def inline_text(written: str) -> InlineText:
    """Returns what a person reads of a line of Markdown; it never raises, whatever stands there."""
    if len(written) > LONGEST or not has_markup(written, 0, len(written)):
        return InlineText(written)
    scanner = _StyledScanner(written)
    scanner.run(0, len(written))
    kept = ["" if place in scanner.paired else piece.text for place, piece in enumerate(scanner.pieces)]
    starts = [0, *accumulate(map(len, kept))]
    spans = [Span(starts[first], starts[last], style) for first, last, style, _ in scanner.tokens]
    for first, last in scanner.pairs:
        mark = scanner.pieces[first].text
        spans.append(Span(starts[first], starts[last], _EMPHASIS.get(mark, "")))
    links = [
        LineLink(starts[first], starts[last], target)
        for first, last, _, target in scanner.tokens
        if target and starts[first] < starts[last]
    ]
    links.sort(key=lambda link: link.start)
    shown = tuple(sorted((span for span in spans if span.style and span.start < span.end), key=lambda one: one.start))
    return InlineText("".join(kept).replace("\n", " "), shown, tuple(links))


def link_at(links: tuple[LineLink, ...], place: int) -> LineLink | None:
    """Returns the link that has a character of the line; None if there is none."""
    at = bisect_left(links, place + 1, key=lambda link: link.start) - 1
    return links[at] if at >= 0 and place < links[at].end else None
