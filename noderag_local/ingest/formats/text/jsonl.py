"""JSON Lines of {"title", "text"}: one document a line, other keys passed over.

Inside a JSON string characters may be escaped, so the passage of every sentence is the whole line of its record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from noderag_local.domain.documents import Passage
from noderag_local.ingest.chunks.file_parts import Part
from noderag_local.ingest.chunks.parsed_document import Draft, Omission, short_title
from noderag_local.ingest.chunks.sentence_split import sentences_of
from noderag_local.ingest.formats.text import plain
from noderag_local.ingest.formats.text.text_reader import Found, Keep, TextReader, content_hash, unicode_encoding
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.languages import language_of

MAX_RECORD_BYTES = 16 << 20
DAMAGED = "damaged record"
TEXTLESS = "record without text"
MAX_OMISSIONS = 1000
"""Most lines without a record that are reported one by one; the others are counted."""

_LINE = re.compile(r"^[^\S\n]*+\S[^\n]*+", re.MULTILINE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _Unusable(Exception):
    """A line that gives no document: why, and the way out."""


def _read(name: str, encoding: str, parts: Iterator[Part], keep: Keep, record: int) -> Found:
    omissions = 0
    for found in _records(name, encoding, parts, keep, record):
        omissions += isinstance(found, Omission)
        if isinstance(found, Draft) or omissions <= MAX_OMISSIONS:
            yield found
    if omissions > MAX_OMISSIONS:
        more = f"has {omissions - MAX_OMISSIONS:,} more lines that are no records. Fix or remove them."
        yield Omission(DAMAGED, more, is_error=True)


def _records(name: str, encoding: str, parts: Iterator[Part], keep: Keep, record: int) -> Found:
    inside = False
    for part in parts:
        text = part.decoded.text
        lines = list(_LINE.finditer(text))
        # In one call, as thousands of lines may be known.
        places = part.decoded.passages([line.span() for line in lines])
        for line, place in zip(lines, places, strict=True):
            begins_inside, inside = inside, part.ends_inside_line and line.end() == len(text)
            if begins_inside:
                continue
            digest = content_hash(part.bytes_of(place))
            if not inside and keep(record, digest, encoding, place):
                record += 1
                continue
            try:
                if inside:
                    raise _Unusable(f"is longer than {MAX_RECORD_BYTES >> 20} MB. Split the record.")
                title, body = _fields(line.group(), part.bytes_of(place))
            except _Unusable as error:
                yield Omission(DAMAGED, str(error), place.first_line, is_error=True)
                continue
            draft = _draft(name, record, encoding, title, body, place, digest)
            if draft is None:
                yield Omission(TEXTLESS, "has an empty text.", place.first_line)
                continue
            yield draft
            record += 1


def _fields(line: str, data: bytes) -> tuple[str, str]:
    """Returns the title and text of a record.

    Raises:
        _Unusable: the line is no such record.
    """
    if "\ufffd" in line and "\ufffd" not in data.decode("utf-8", "ignore"):
        raise _Unusable("holds bytes that are no UTF-8. Save the file as UTF-8.")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Unusable(f"is no JSON: {error}. Mend or remove the line.") from error
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise _Unusable('has no "text" that is a string. Each line has to be {"title": …, "text": …}.')
    title = record.get("title", "")
    shown = str(title) if isinstance(title, str | int | float) else ""
    return _LONE_SURROGATE.sub("\ufffd", shown), _LONE_SURROGATE.sub("\ufffd", record["text"])


def _draft(name: str, record: int, encoding: str, title: str, body: str, place: Passage, digest: str) -> Draft | None:
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    sentences = sentences_of(text, plain.blocks(text), language_of(text), lambda spans: [place] * len(spans))
    if not sentences:
        return None
    return Draft(name, record, short_title(printable(title)), encoding, digest, text, sentences)


READER = TextReader(_read, unicode_encoding, MAX_RECORD_BYTES)
