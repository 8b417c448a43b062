"""Reads the headers of a mail: subject, people, date, and the mails that it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import folded_text
from noderag_local.ingest.formats.file_text import decoded
from noderag_local.text.dates.told_day import iso_day

MAX_HEADER_CHARACTERS = 20_000
MAX_PEOPLE = 50
"""Most receivers of a mail that are named; further names of a mailing to hundreds say little."""

_REPLY = re.compile(
    r"^(?:\s*+(?:re|aw|antw|sv|vs|odp|rif|r|fwd?|wg|tr|rv|enc)\s*+(?:\[\d++\]\s*+)?[:：])++\s*+", re.IGNORECASE
)
_ANSWER = re.compile(r"^\s*+(?:re|aw|antw|sv|vs|odp|rif|r)\s*+(?:\[\d++\]\s*+)?[:：]", re.IGNORECASE)
_NO_FIRST_NAME = re.compile(r"(?:inc|ltd|llc|gmbh|co|corp|ag|jr|sr|ph\.?d|m\.?d|esq)\b", re.IGNORECASE)
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,300}>")


@dataclass(frozen=True, slots=True)
class Headers:
    """Headers of one mail."""

    subject: str
    summary: str
    """Sentence that says who wrote to whom and when."""
    message_id: str
    answered_ids: tuple[str, ...]
    """Message ids of the mails before it in its thread, nearest first."""
    day: str
    """Day on which it was sent, in the time zone of the machine like all days; "" if it has no date that can be read."""

    @property
    def thread(self) -> str:
        """Subject of the first mail of the thread."""
        return _REPLY.sub("", self.subject)

    @property
    def is_reply(self) -> bool:
        """Whether the mail answers another one."""
        return bool(_ANSWER.match(self.subject) or (self.answered_ids and not _REPLY.match(self.subject)))


def headers_of(message: Message) -> Headers:
    """Returns the headers of a mail, as far as they can be read."""
    raw = _raw(message)
    sender, receivers = _people(raw.get("from", "")), _people(f"{raw.get('to', '')}, {raw.get('cc', '')}")
    people = [f"From {', '.join(sender)}"] if sender else []
    people += [f"to {', '.join(receivers[:MAX_PEOPLE])}"] if receivers else []
    moment = _moment(_sent(raw.get("date", "")))
    summary = ", ".join(part for part in (" ".join(people), moment) if part)
    ids = [*_MESSAGE_ID.findall(raw.get("in-reply-to", "")), *reversed(_MESSAGE_ID.findall(raw.get("references", "")))]
    own = _MESSAGE_ID.search(raw.get("message-id", ""))
    subject = folded_text(_shown(raw.get("subject", "")))
    return Headers(
        subject,
        f"{summary}." if summary else "",
        own.group() if own else "",
        tuple(dict.fromkeys(ids)),
        iso_day(moment),
    )


def _raw(message: Message) -> dict[str, str]:
    """Returns the first header of each name, with bytes that are no ASCII decoded."""
    found: dict[str, str] = {}
    for name, value in message.raw_items():
        text = str(value)[:MAX_HEADER_CHARACTERS]
        if not text.isascii():
            text = _text(text.encode("utf-8", "surrogateescape"), "")
        found.setdefault(name.lower(), text)
    return found


def _shown(value: str) -> str:
    """Returns a header with its encoded words decoded."""
    if "=?" not in value:
        return value
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return "".join(piece if isinstance(piece, str) else _text(piece, charset or "") for piece, charset in pieces)


def _text(data: bytes, charset: str) -> str:
    try:
        return decoded(data, charset)
    except DocumentError:
        return data.decode("ascii", "replace")


def _people(value: str) -> list[str]:
    """Returns people as "Jonas Brandt <jonas@brandt.example>", or by the part that is given; each once."""
    people: dict[str, None] = {}
    try:
        pairs = getaddresses([value])
    except RecursionError:  # comments within comments
        return []
    for name, address in pairs:
        shown = _first_name_first(folded_text(_shown(name)).strip("'\" "))
        if shown and address and shown != address:
            people[f"{shown} <{address}>"] = None
        elif shown or address:
            people[shown or address] = None
    return list(people)


def _first_name_first(name: str) -> str:
    """Returns "Mara Lind" for "Lind, Mara", as some firms write names."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and "," not in first and not _NO_FIRST_NAME.match(first) else name


def _sent(value: str) -> datetime | None:
    """Returns the time of a header; None if it cannot be read."""
    try:
        return parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _moment(sent: datetime | None) -> str:
    """Returns a time as "2024-05-01 09:30" in the time of this machine, as mail programs show it; "" for none."""
    try:
        # A date without an offset stays as it is: nobody knows whose time it is.
        return f"{sent.astimezone() if sent.tzinfo else sent:%Y-%m-%d %H:%M}" if sent else ""
    except (ValueError, OverflowError):
        return ""
