"""Reads the body of a mail: the visible text without quoted replies, and the names of attachments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from email.message import Message

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter
from noderag_local.ingest.formats.file_text import decoded
from noderag_local.ingest.formats.markup.html import write_mail_body
from noderag_local.ingest.formats.text.plain import blocks

MAX_PARTS = 1000
"""Most parts of a mail that are read; no person sends more."""
_QUOTED = re.compile(r"[ \t]*>")
_ATTRIBUTION_END = re.compile(
    r"(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|написал[а]?)[^\n:]{0,120}:\s*$"
)
_ORIGINAL = re.compile(
    r"[ \t]*-{2,}[ \t]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|"
    r"messaggio originale|oorspronkelijk bericht)[ \t]*-{2,}",
    re.IGNORECASE,
)
_OUTLOOK_RULE = re.compile(r"_{20,}[ \t]*$")
_OUTLOOK_FROM = re.compile(r"[ \t]*\*?(?:From|Von|De|Da|Van)\*?[ \t]*:\*?[ \t]")
_OUTLOOK_SENT = re.compile(r"[ \t]*\*?(?:Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Date|Datum)\*?[ \t]*:\*?[ \t]")
ATTRIBUTION_LINES = 3
"""Most lines over which a program may break "On Monday … wrote:"."""


class MailBody:
    """Text of a mail, and the names of its attachments."""

    def __init__(self, is_reply: bool) -> None:
        self.is_reply = is_reply
        self.attachments: list[str] = []
        self.notices: list[str] = []
        self.parts: list[tuple[str, bool]] = []

    def read(self, message: Message) -> None:
        """Gathers the parts that are shown, in order."""
        waiting, seen = [message], 0
        while waiting and seen < MAX_PARTS:
            part, seen = waiting.pop(), seen + 1
            kind = part.get_content_type()
            if kind == "multipart/alternative":
                best = _best(_children(part))
                waiting += best
                self._attached_beside(other for other in _children(part) if other not in best)
            elif part.get_content_maintype() == "multipart":
                waiting += reversed(_children(part))
            elif _is_attached(part) or kind not in ("text/plain", "text/html"):
                self._attach(part, kind)
            else:
                self._text(part, kind == "text/html")
        if waiting:
            self.notices.append(f"it has more than {MAX_PARTS} parts")

    def written(self) -> Iterator[tuple[BlockKind, str]]:
        """Yields (kind, text) of each block of the body, without what a reply quotes."""
        for text, is_html in self.parts:
            if is_html:
                writer = BlockWriter()
                write_mail_body(text, writer, without_quotes=self.is_reply)
                yield from ((block.kind, block.text) for block in writer.blocks)
                continue
            shown = _new_text(text) if self.is_reply else text
            for block in blocks(shown):
                yield block.kind, block.shown_in(shown)

    def _attached_beside(self, unread: Iterable[Message]) -> None:
        """Names what hangs on a form of the text that is not read; Apple Mail puts the attachments beside the HTML."""
        for other in unread:
            # Pictures of a letterhead are in "multipart/related".
            if other.get_content_type() == "multipart/mixed":
                for part in filter(_is_attached, _children(other)):
                    self._attach(part, part.get_content_type())

    def _attach(self, part: Message, kind: str) -> None:
        name = _file_name(part)
        if name or kind == "message/rfc822":
            self.attachments.append(name or "a forwarded mail")

    def _text(self, part: Message, is_html: bool) -> None:
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes) or not payload.strip():
            return
        try:
            text = decoded(payload, part.get_content_charset() or "")
        except DocumentError as error:
            self.notices.append(f"a part of its text cannot be read: {error}")
            return
        flowed = str(part.get_param("format") or "").lower() == "flowed"
        self.parts.append((_unflowed(text) if flowed else text, is_html))


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _best(alternatives: list[Message]) -> list[Message]:
    """Returns the form of a text to read: the plain one if it is not empty, else the last one, which is the richest."""
    for part in alternatives:
        payload = part.get_payload(decode=True) if part.get_content_type() == "text/plain" else None
        if isinstance(payload, bytes) and payload.strip():
            return [part]
    return alternatives[-1:]


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _file_name(part: Message) -> str:
    return " ".join(str(part.get_filename() or "").split())


def _unflowed(text: str) -> str:
    """Joins lines that were broken for sending (RFC 3676): those that end in a space, except the one before a signature."""
    lines: list[str] = []
    joins = False
    for line in text.split("\n"):
        plain = line.removeprefix(" ") if not line.startswith(">") else line
        if joins and not plain.startswith(">"):
            lines[-1] += plain
        else:
            lines.append(plain)
        joins = plain.endswith(" ") and plain != "-- " and not plain.startswith(">")
    return "\n".join(lines)


def _new_text(text: str) -> str:
    """Returns the text of a reply without quoted lines, the lines that introduce them, and an original appended at its end.

    A text that consists of quotes alone stays as it is.
    """
    lines = text.split("\n")
    lines = lines[: _original(lines)]
    kept: list[str] = []
    for line in lines:
        if not _QUOTED.match(line):
            kept.append(line)
        else:
            _drop_attribution(kept)
    shown = "\n".join(kept)
    return shown if shown.strip() else text


def _original(lines: list[str]) -> int:
    """Returns where the original begins that some programs append without quote marks; the end if there is none."""
    for at, line in enumerate(lines):
        following = lines[at + 1 : at + 3]
        begins = bool(_OUTLOOK_FROM.match(line)) and any(_OUTLOOK_SENT.match(other) for other in following)
        if begins and at and _OUTLOOK_RULE.match(lines[at - 1]):
            return at - 1
        if begins or _ORIGINAL.match(line):
            return at
    return len(lines)


def _drop_attribution(kept: list[str]) -> None:
    """Removes "On 1 May 2024, Jonas wrote:" from the end of what is kept."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    for count in range(1, ATTRIBUTION_LINES + 1):
        first = end - count
        if first < 0 or not kept[first].strip():
            return
        is_start = first == 0 or not kept[first - 1].strip()
        if is_start and _ATTRIBUTION_END.search(" ".join(kept[first:end])):
            del kept[first:]
            return
