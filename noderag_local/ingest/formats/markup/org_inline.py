"""Org inside a paragraph: what a person reads of it, and where it links to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from noderag_local.domain.documents import WikiLink

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


@dataclass(frozen=True, slots=True)
class OrgText:
    """A stretch of Org as a person reads it."""

    text: str
    links: tuple[WikiLink, ...]


def org_text(source: str) -> OrgText:
    """What is shown of a stretch of Org, and its links to other notes."""
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
    """The note that a link leads to; None for web pages, pictures and places in the same file.

    An identifier (`id:…`) says nothing to a person; programs that write such links label them with the note's title.
    """
    if target.startswith("id:") and label:
        return WikiLink(label, label)
    note = _NOTE.match(target)
    if note is None:
        return None
    name = note["path"].rsplit("/", 1)[-1]
    return WikiLink(name, label or name)
