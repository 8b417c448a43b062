"""Turns messages of the reading process into documents; `outbox` is the other end.

Every field is checked before it is used, since a hostile file may have taken over the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, with_config

from noderag_local.domain.documents import BlockKind, Passage, Sentence, WikiLink
from noderag_local.ingest.chunks.encodings import is_of_text
from noderag_local.ingest.chunks.parsed_document import Draft, DraftSentence, Omission, PageRead
from noderag_local.text.dates.told_day import iso_day

_Number = Annotated[int, Field(ge=0, lt=1 << 53)]
_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Place = tuple[_Number, _Number, _Number, _Number, _Number, _Number, str]
"""Fields of a `Passage`."""
WireSentence = tuple[
    _Number, _Number, str | None, BlockKind, _Place, list[tuple[str, str]], tuple[str, ...], _Number, bool
]
"""Fields of a sentence: start and end in the text of its document; what a person reads (None if that is the text itself);
kind; place; links; tags; index of its breadcrumb in `WireDraft.headings`; whether it begins a block."""
WireRecord = tuple[_Number, _Hash, str, _Place]
"""Number, content hash and encoding of a record, and where its first sentence stands."""
WireOmission = tuple[str, str, _Number, bool]
"""Fields of an `Omission`."""


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class WireDraft:
    """A document or a stretch of one, as a message holds it."""

    record: _Number
    title: str
    encoding: str
    content_hash: _Hash
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    day: str
    text: str
    """The document's text from the stretch's first sentence to the first of the next stretch."""
    headings: list[tuple[str, ...]]
    """Every breadcrumb of the stretch, each once."""
    sentences: Annotated[list[WireSentence], Field(min_length=1)]
    goes_on: bool
    """Whether the next message begins with another stretch of the same document."""


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record of the file that the vault has already."""

    record: int
    content_hash: str
    encoding: str
    first: Passage


class Joined:
    """Joins the stretches of long documents."""

    def __init__(self, path: str) -> None:
        """Begins without any document.

        Args:
            path: path of the file that the documents are read from.
        """
        self._path = path
        self._stretches: list[WireDraft] = []

    def drafts(self, value: bytes) -> list[Draft]:
        """Returns the documents that a message completes.

        Raises:
            ValueError: the message holds something else.
        """
        completed = []
        for stretch in _DRAFTS.validate_json(value, strict=True):
            self._stretches.append(stretch)
            if not stretch.goes_on:
                completed.append(_draft(self._path, self._stretches))
                self._stretches = []
        return completed


_DRAFTS = TypeAdapter(list[WireDraft])
_KEPT = TypeAdapter(list[WireRecord])
_OMITTED = TypeAdapter(list[WireOmission])
_PAGE = TypeAdapter(tuple[_Number, _Number])
_BLOCK = TypeAdapter(tuple[_Number, _Number])
_KNOWN = TypeAdapter(tuple[str, _Hash])
_REASON = TypeAdapter(str | None)


def kept_records(value: bytes) -> list[KeptRecord]:
    """Returns the records of a message; raises ValueError if it holds something else."""
    found = _KEPT.validate_json(value, strict=True)
    return [KeptRecord(record, content, encoding, Passage(*place)) for record, content, encoding, place in found]


def omissions(value: bytes) -> list[Omission]:
    """Returns the omissions of a message; raises ValueError if it holds something else."""
    return [Omission(*fields) for fields in _OMITTED.validate_json(value, strict=True)]


def page_read(value: bytes) -> PageRead:
    """Returns which page was read; raises ValueError if the message holds something else."""
    page, pages = _PAGE.validate_json(value, strict=True)
    if not 1 <= page <= pages:
        raise ValueError("it has read a page that there is not")
    return PageRead(page, pages)


def wanted_block(value: bytes) -> tuple[int, int]:
    """Returns the (offset, size) that the process asks for; raises ValueError if the message holds something else."""
    return _BLOCK.validate_json(value, strict=True)


def first_record(value: bytes) -> tuple[str, str]:
    """Returns the encoding of the file and the content hash of its first record.

    Raises:
        ValueError: the message holds something else.
    """
    return _KNOWN.validate_json(value, strict=True)


def reason(value: bytes) -> str:
    """Returns why a file was not read; raises ValueError if the message holds something else."""
    return str(_REASON.validate_json(value, strict=True))


def _draft(path: str, stretches: list[WireDraft]) -> Draft:
    head, text = stretches[0], "".join(stretch.text for stretch in stretches)
    if head.encoding and not is_of_text(head.encoding):
        raise ValueError("it names no encoding")
    if head.day != iso_day(head.day):
        raise ValueError("it tells a day that is none")
    sentences: list[DraftSentence] = []
    for stretch in stretches:
        sentences += _sentences(stretch, text, len(sentences))
    _check_order(sentences, len(text))
    return Draft(
        path,
        head.record,
        head.title,
        head.encoding,
        head.content_hash,
        text,
        tuple(sentences),
        head.tags,
        head.aliases,
        head.day,
    )


def _sentences(stretch: WireDraft, text: str, position: int) -> Iterator[DraftSentence]:
    for number, row in enumerate(stretch.sentences, position):
        start, end, shown, kind, place, links, tags, headings, starts_block = row
        sentence = Sentence(
            number,
            text[start:end] if shown is None else shown,
            kind,
            Passage(*place),
            tuple(WikiLink(*link) for link in links),
            tags,
        )
        if headings >= len(stretch.headings):
            raise ValueError("a sentence stands under headings that were not told")
        yield DraftSentence(sentence, start, end, stretch.headings[headings], starts_block)


def _check_order(sentences: Sequence[DraftSentence], characters: int) -> None:
    """Raises ValueError if sentences lie outside the text, or do not follow one another."""
    at = 0
    for one in sentences:
        passage = one.sentence.passage
        if not at <= one.start < one.end <= characters or passage.start > passage.end:
            raise ValueError("a sentence stands where none can be")
        at = one.end
    if sentences[0].start:
        raise ValueError("the text begins before its first sentence")
