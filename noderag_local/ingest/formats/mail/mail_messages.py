"""Reads mails: the one in a file (.eml), or all of a mailbox (.mbox), each as a document of its own.

A document begins with who wrote to whom and when. A reply keeps only what is new in it, and links to the mail that it
answers, wherever that lies, and to the first one of its thread. Attachments are named, not opened.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.message import Message
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.mail.mail_body import MailBody
from noderag_local.ingest.formats.mail.mail_headers import Headers, headers_of
from noderag_local.system.printing.mail_names import mail_name

LINE_BYTES = 1 << 20
MAX_POSTMARK_BYTES = 500
_POSTMARK = re.compile(rb"From (?:.*\d{1,2}:\d\d.*\d{4}\s*(?:[+-]\d{4}\s*)?|\S+@\S+\s*|-\s*)$")
_HEADER = re.compile(rb"(?:[a-z]+-[a-z-]+|received|date|from|to|subject|sender|cc|status)[ \t]*:[ \t]", re.IGNORECASE)


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
    """Yields the mails of a mailbox: each begins with a postmark, "From …", after an empty line or at the start.

    Raises:
        DocumentError: the file does not begin so.
    """
    gathered: list[bytes] = []
    begun, is_behind_empty = False, True
    line = file.readline(LINE_BYTES)
    while line:
        following = file.readline(LINE_BYTES)
        if is_behind_empty and line.startswith(b"From ") and (not begun or _is_postmark(line, following)):
            if begun:
                yield b"".join(gathered)
            begun, gathered = True, []
        elif begun:
            gathered.append(line[1:] if line.startswith(b">") and line.lstrip(b">").startswith(b"From ") else line)
        elif line.strip():
            raise DocumentError('it does not begin with "From ", as a mailbox does')
        is_behind_empty, line = not line.strip(), following
    if begun:
        yield b"".join(gathered)


def _is_postmark(line: bytes, following: bytes) -> bool:
    """Whether a line begins a mail, and is not the sentence of a mail whose program did not quote it (">From …")."""
    return len(line) <= MAX_POSTMARK_BYTES and (_POSTMARK.match(line) or _HEADER.match(following)) is not None


def _parsed(data: bytes) -> Message:
    try:
        message = email.message_from_bytes(data)
    except (RecursionError, MessageError, ValueError) as error:
        raise DocumentError("its parts are nested too deep, or broken") from error
    if not message.keys():
        raise DocumentError("it has no headers, so it is no mail")
    return message


def _document(message: Message, where: Whereabouts) -> ExtractedDocument:
    """Returns a mail as a document."""
    headers = headers_of(message)
    body = MailBody(headers.is_reply)
    body.read(message)
    writer = BlockWriter()
    writer.add(BlockKind.PARAGRAPH, headers.summary, where, links=_answered(headers))
    for kind, text in body.written():
        writer.add(kind, text, where)
    if body.attachments:
        writer.add(BlockKind.PARAGRAPH, f"Attachments: {', '.join(body.attachments)}.", where)
    names = (mail_name(headers.message_id),) if headers.message_id else ()
    return ExtractedDocument(
        headers.subject, tuple(writer.blocks), aliases=names, notices=tuple(body.notices), day=headers.day
    )


def _answered(headers: Headers) -> tuple[WikiLink, ...]:
    """Returns links to the mail that a reply answers, by its id, and to the first of the thread, by its subject."""
    if not headers.is_reply:
        return ()
    targets = [*map(mail_name, headers.answered_ids[:1]), *filter(None, [headers.thread])]
    return tuple(WikiLink(target, target) for target in targets)


EXTRACTOR = Extractor(_read)
