"""Reads chats that WhatsApp exports as text: each message becomes a paragraph with its day, time and speaker.

A long chat is split into documents of some months each.

iPhones write "[24.12.23, 18:03:22] Anna: text" with invisible direction marks, Android "24/12/2023, 18:03 - Anna: text"; the
order of the date and the clock (12 or 24 hours) are those of the phone. A message is shown as "[2023-12-24 18:03] Anna: text", by
which conversations are recognised. Placeholders for pictures, deleted messages and the notice on encryption are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import attrgetter
from typing import BinaryIO, NamedTuple

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.exports.chat_dates import Numbers, Order, date_order, day_of
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.text.plain import blocks

NAMED = 4
"""Maximum number of people that the title names."""
LEAST_TURNS = 300
"""Number of messages after which the next month begins a new document."""

_DIRECTION_MARKS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
_MARK = "\u200e"
"""Mark at the beginning of texts that WhatsApp on iPhones writes itself, such as "image omitted"."""
_MESSAGE = re.compile(
    r"(?P<bracket>\[)?(?P<one>\d{1,4})(?P<sign>[./-])[ ]?(?P<two>\d{1,2})(?P=sign)[ ]?(?P<three>\d{1,4})\.?,?\s"
    r"(?:(?:à|às|um|at|kl\.|a las)\s)?(?P<half_before>[上下]午|午[前後]|오[전후])?\s?(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.]\d{2})?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?(?(bracket)\]|\s[-–])\s(?P<rest>.*)"
)
_AFTERNOON = frozenset({"p", "P", "下午", "午後", "오후"})
_SPOKEN = re.compile(r"(?P<name>[^:\"“„«]{1,80}):(?:\s(?P<text>.*)|$)")
_NO_NAME = re.compile(r"[^\w\s.'’()+-]|^[\s~-]+")
_ENCRYPTION = re.compile(
    r"end-to-end[ -]encrypt|ende-zu-ende|de bout en bout|de extremo a extremo|de ponta a ponta|crittografia end-to-end"
    r"|end-to-end-versleutel",
    re.IGNORECASE,
)
"""Notice that WhatsApp writes at the start of each chat."""
_NO_MEDIA = re.compile(
    r"<(?!attached|angehängt|Anhang|pièce|adjunto|allegato|anexado|bijgevoegd)[^<>]{1,60}>|null"
    r"|(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht"
    r"|ce message a été supprimé|vous avez supprimé ce message|se eliminó este mensaje|eliminaste este mensaje"
    r"|questo messaggio è stato eliminato|esta mensagem foi apagada)\.?",
    re.IGNORECASE,
)
_ATTACHED = re.compile(r"<[^<>:]{3,30}:\s?(?P<ios>[^<>]{1,200})>|(?P<android>[^()<>]{1,200}\.\w{2,5}) \([^()]{3,40}\)")
_OWN_NUMBER = re.compile(r"^\d{8}-")
_MEDIA_NAME = re.compile(
    r"(?:IMG|VID|PTT|AUD|STK|PHOTO|VIDEO|AUDIO|STICKER|GIF)[-_ ].*|.*\.(?:jpe?g|png|webp|gif|mp4|3gp|opus|m4a|aac|mp3|mov)",
    re.IGNORECASE,
)
_IN_NAME = re.compile(
    r"^whatsapp[\s_-]*chat(?:verlauf)?(?:[\s_]*(?:with|mit|con|avec|com|met)\b)?[\s_-]*|^(?:chat|conversa|discussion|conversación)"
    r" (?:de |do )?whatsapp (?:con|com|avec|di)\s|^_chat$|\s?\(\d+\)$",
    re.IGNORECASE,
)
_POLL = re.compile(r"[^\W\d_]{2,20}:")


@dataclass(slots=True)
class _Message:
    """A message, from the line with its date to the line before the next one."""

    numbers: Numbers
    hour: int
    minute: str
    first_line: int
    rest: str
    """Text after the date: "Anna: text", or a text of WhatsApp itself."""
    more: list[str] = field(default_factory=list)


class _Turn(NamedTuple):
    """What somebody says, or a text of WhatsApp itself."""

    month: str
    """Month of the message, "2024-04"; the month of the message before if its date is invalid."""
    text: str
    """Message as it is shown: "[2024-04-03 18:04] Anna: text"."""
    speaker: str
    """Speaker; "" for a text of WhatsApp itself."""
    where: Whereabouts


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    messages, seems_american = _messages(text.split("\n"))
    if not messages:
        yield _as_text(text)
        return
    order = date_order([message.numbers for message in messages], seems_american=seems_american)
    turns = list(_turns(messages, order))
    title = chat_title(name, list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker)))
    for part in _parts(turns):
        yield _document(title, part)


def chat_title(name: str, speakers: Sequence[str]) -> str:
    """Returns the title of a chat, from the name that WhatsApp gives its file, otherwise from the speakers.

    Args:
        name: name of the file.
        speakers: names of all speakers.
    """
    stem = name.rpartition(".")[0] or name
    called = folded_text(_IN_NAME.sub("", stem))
    if called == stem:
        return stem
    people = [called] if called else speakers[:NAMED]
    return f"WhatsApp chat with {', '.join(people)}" if people else "WhatsApp chat"


def _turns(messages: Sequence[_Message], order: Order) -> Iterator[_Turn]:
    """Yields what is said, without empty messages."""
    month = ""
    for message in messages:
        spoken = _SPOKEN.match(message.rest)
        lines = ((spoken["text"] or "") if spoken else message.rest, *message.more)
        said = " ".join(filter(None, map(_said, lines)))
        if not said or (spoken is None and _ENCRYPTION.search(said)):
            continue
        speaker = person(spoken["name"]) if spoken else ""
        day = day_of(message.numbers, order)
        month = f"{day:%Y-%m}" if day else month
        stamp = f"[{day} {message.hour:02}:{message.minute}] " if day else ""
        where = Whereabouts(first_line=message.first_line, last_line=message.first_line + len(message.more))
        yield _Turn(month, f"{stamp}{speaker}: {said}" if speaker else f"{stamp}{said}", speaker, where)


def _parts(turns: Sequence[_Turn]) -> Iterator[list[list[_Turn]]]:
    """Yields the months of each document. A chat that goes on changes only the last document."""
    part: list[list[_Turn]] = []
    for _, month in groupby(turns, attrgetter("month")):
        if sum(map(len, part)) >= LEAST_TURNS:
            yield part
            part = []
        part.append(list(month))
    if part:
        yield part


def _document(title: str, months: Sequence[Sequence[_Turn]]) -> ExtractedDocument:
    writer = BlockWriter()
    for turn in chain.from_iterable(months):
        writer.add(BlockKind.PARAGRAPH, turn.text, turn.where)
    span = " to ".join(dict.fromkeys(turns[0].month for turns in (months[0], months[-1]) if turns[0].month))
    return ExtractedDocument(f"{title}, {span}" if span else title, tuple(writer.blocks))


def person(name: str) -> str:
    """Returns a name without emojis and without the mark of a number that is not in the contacts."""
    return folded_text(_NO_NAME.sub("", name)) or folded_text(name)


def _begun(line: str) -> re.Match[str] | None:
    plain = line.lstrip(f"{_MARK}\u200f\u202a\u202b\ufeff")
    return _MESSAGE.match(plain) if plain[:2].strip("[")[:1].isdigit() else None


def _messages(lines: Sequence[str]) -> tuple[list[_Message], bool]:
    """Returns the messages, and whether their dates and times look like those of America: "1/5/24, 9:41 PM".

    India, Britain and Australia have slashes and a 12-hour clock, too, but years of four digits or zeros before the others.
    """
    found: list[_Message] = []
    has_american, has_zeros = False, False
    for number, line in enumerate(lines, start=1):
        match = _begun(line)
        if match:
            has_american |= bool(match["half"]) and match["sign"] == "/" and len(match["three"]) == 2
            has_zeros |= match["one"].startswith("0") or match["two"].startswith("0")
            numbers = int(match["one"]), int(match["two"]), int(match["three"])
            found.append(_Message(numbers, _hour(match), match["minute"], number, match["rest"]))
        elif found:
            found[-1].more.append(line)
    if found:
        # The line end at the end of the file begins no new line of the last message.
        while found[-1].more and not found[-1].more[-1].strip():
            found[-1].more.pop()
    return found, has_american and not has_zeros


def _hour(match: re.Match[str]) -> int:
    hour, half = int(match["hour"]), match["half"] or match["half_before"]
    return hour % 12 + 12 * (half in _AFTERNOON) if half else hour


def _said(line: str) -> str:
    """Returns what a person wrote in a line of a message."""
    is_of_program = line.startswith(_MARK)
    written = line.partition(f"{_MARK}<")[0] if not is_of_program else line
    plain = folded_text(_DIRECTION_MARKS.sub("", written))
    attached = _ATTACHED.fullmatch(plain)
    if attached:
        file = _OWN_NUMBER.sub("", attached["ios"] or attached["android"])
        return "" if _MEDIA_NAME.fullmatch(file) else f"({file})"
    if _NO_MEDIA.fullmatch(plain) or (is_of_program and not _POLL.match(plain)):
        return ""
    return plain


def _as_text(text: str) -> ExtractedDocument:
    """Returns the document of a file that has the name of a chat but is none, as plain text."""
    writer = BlockWriter()
    line, at = 1, 0
    for block in blocks(text):
        line, at = line + text.count("\n", at, block.start), block.start
        where = Whereabouts(first_line=line, last_line=line + text.count("\n", block.start, block.end))
        writer.add(block.kind, block.shown_in(text), where)
    return ExtractedDocument("", tuple(writer.blocks))


EXTRACTOR = Extractor(_read)
