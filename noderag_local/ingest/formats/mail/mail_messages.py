"""Mails: one of a file (.eml), or all of a mailbox (.mbox), each a document of its own.

A mail begins with who wrote it to whom and when. A reply keeps what is new in it and links to the mail that it answers, wherever that lies, and to the first of its thread.
Attachments are named, not opened.
"""

from __future__ import annotations

import email
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import MessageError
from email.message import Message
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import decoded
from noderag_local.ingest.formats.mail.mail_headers import Headers, headers_of
from noderag_local.ingest.formats.mail.mail_quotes import new_text
from noderag_local.ingest.formats.markup.html import write_mail_body
from noderag_local.ingest.formats.text.plain import blocks
from noderag_local.system.printing.mail_names import mail_name

MAX_PARTS = 1000
"""Most parts of a mail that are read; no person sends more."""
LINE_BYTES = 1 << 20


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    file.seek(0)
    if not name.lower().endswith(".mbox"):
        yield _document(_parsed(file.read()), Whereabouts())
        return
    for number, data in enumerate(_mails(file), start=1):
        try:
            yield _document(_parsed(data), Whereabouts(f"mail {number}"))
        except DocumentError as error:
            yield ExtractedDocument("", (), notices=(f"mail {number} cannot be read: {error}",))


def _mails(file: BinaryIO) -> Iterator[bytes]:
    """The mails of a mailbox: each begins with a line "From …" behind an empty line or at the start.

    Raises:
        DocumentError: the file does not begin so.
    """
    gathered: list[bytes] = []
    begun, is_behind_empty = False, True
    while line := file.readline(LINE_BYTES):
        if line.startswith(b"From ") and is_behind_empty:
            if begun:
                yield b"".join(gathered)
            begun, gathered = True, []
        elif begun:
            gathered.append(line[1:] if line.startswith(b">") and line.lstrip(b">").startswith(b"From ") else line)
        elif line.strip():
            raise DocumentError('it does not begin with "From ", as a mailbox does')
        is_behind_empty = not line.strip()
    if begun:
        yield b"".join(gathered)


def _parsed(data: bytes) -> Message:
    try:
        message = email.message_from_bytes(data)
    except (RecursionError, MessageError, ValueError) as error:
        raise DocumentError("its parts are nested too deep, or broken") from error
    if not message.keys():
        raise DocumentError("it has no headers, so it is no mail")
    return message


def _document(message: Message, where: Whereabouts) -> ExtractedDocument:
    """A mail as a document."""
    headers = headers_of(message)
    body = _Body(headers.is_reply)
    body.read(message)
    writer = BlockWriter()
    writer.add(BlockKind.PARAGRAPH, headers.summary, where, links=_answered(headers))
    for found in body.written(where):
        writer.add(found.kind, found.text, where)
    if body.attachments:
        writer.add(BlockKind.PARAGRAPH, f"Attachments: {', '.join(body.attachments)}.", where)
    names = (mail_name(headers.message_id),) if headers.message_id else ()
    return ExtractedDocument(headers.subject, tuple(writer.blocks), aliases=names, notices=tuple(body.notices))


def _answered(headers: Headers) -> tuple[WikiLink, ...]:
    """The mail that a reply answers, by its id, and the first of the thread, by its subject."""
    if not headers.is_reply:
        return ()
    targets = [*map(mail_name, headers.answered_ids[:1]), *filter(None, [headers.thread])]
    return tuple(WikiLink(target, target) for target in targets)


@dataclass(frozen=True, slots=True)
class _Written:
    """A stretch of a mail's text."""

    kind: BlockKind
    text: str


class _Body:
    """What is written in a mail, and the names of what is attached."""

    def __init__(self, is_reply: bool) -> None:
        self.is_reply = is_reply
        self.attachments: list[str] = []
        self.notices: list[str] = []
        self.parts: list[tuple[str, bool]] = []

    def read(self, message: Message) -> None:
        """Gather the parts that are shown, in order."""
        waiting, seen = [message], 0
        while waiting and seen < MAX_PARTS:
            part, seen = waiting.pop(), seen + 1
            kind = part.get_content_type()
            if kind == "multipart/alternative":
                waiting += _best(_children(part))
            elif part.get_content_maintype() == "multipart":
                waiting += reversed(_children(part))
            elif _is_attached(part) or kind not in ("text/plain", "text/html"):
                self._attach(part, kind)
            else:
                self._text(part, kind == "text/html")
        if waiting:
            self.notices.append(f"it has more than {MAX_PARTS} parts")

    def written(self, where: Whereabouts) -> Iterator[_Written]:
        """The blocks of the body, reply quotes cut."""
        for text, is_html in self.parts:
            if is_html:
                writer = BlockWriter()
                write_mail_body(text, writer, without_quotes=self.is_reply)
                yield from (_Written(block.kind, block.text) for block in writer.blocks)
                continue
            shown = new_text(text) if self.is_reply else text
            for block in blocks(shown):
                fragments = block.fragments
                piece = "".join(part.text for part in fragments) if fragments else shown[block.start : block.end]
                yield _Written(block.kind, piece)

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
    """The same text in several forms: the plain one, where it is not empty, else the last, which is the richest."""
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
    """Lines joined that were broken for sending (RFC 3676): those with a space at their end, but not a signature's."""
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


EXTRACTOR = Extractor(_read)
