"""Turns documents into messages of bounded size, in the reading process; `handed_over` is the other end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from noderag_local.domain.documents import Passage
from noderag_local.ingest.chunks.parsed_document import Draft, DraftSentence, Omission, PageRead
from noderag_local.ingest.sandbox.wire import Kind, message

MESSAGE_CHARACTERS = 1 << 17
"""Characters of text in a message, about. The parent parses a message in one step of some 3 ms, during which it does nothing else."""
MESSAGE_SENTENCES = 2000
"""Most sentences of a message."""
MESSAGE_SECONDS = 0.2
"""Seconds that a document may wait for the next one."""


class Outbox:
    """Collects what was read, and hands it over in the order in which it was read."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        """Begins without any document.

        Args:
            write: sends a message to the parent at once.
        """
        self._write = write
        self._kind = Kind.DRAFTS
        self._values: list[object] = []
        self._size = 0
        self._handed_over = time.monotonic()

    def draft(self, draft: Draft) -> None:
        """Adds a document; a long one becomes several stretches."""
        stretches = list(_stretches(draft.sentences))
        for stretch in stretches:
            goes_on = stretch is not stretches[-1]
            value = _draft_fields(draft, stretch, goes_on)
            self._add(Kind.DRAFTS, value, len(value["text"]) + len(stretch) * MESSAGE_CHARACTERS // MESSAGE_SENTENCES)

    def kept(self, record: int, content_hash: str, encoding: str, first: Passage) -> None:
        """Adds a record that the vault has."""
        self._add(Kind.KEPT, [record, content_hash, encoding, _place(first)], 200)

    def omission(self, omission: Omission) -> None:
        """Adds an omission."""
        value = [omission.reason, omission.detail, omission.line, omission.is_error]
        self._add(Kind.OMITTED, value, 100 + len(omission.detail))

    def page_read(self, read: PageRead) -> None:
        """Tells at once that a page was read, since a page takes seconds."""
        self.hand_over()
        self._write(message(Kind.PAGE, [read.page, read.pages]))

    def hand_over(self) -> None:
        """Sends what was collected."""
        if self._values:
            self._write(message(self._kind, self._values))
        self._values, self._size = [], 0
        self._handed_over = time.monotonic()

    def _add(self, kind: Kind, value: object, size: int) -> None:
        if kind is not self._kind:
            self.hand_over()
        self._kind = kind
        self._values.append(value)
        self._size += size
        if self._size >= MESSAGE_CHARACTERS or time.monotonic() - self._handed_over >= MESSAGE_SECONDS:
            self.hand_over()


def _stretches(sentences: Sequence[DraftSentence]) -> Iterator[Sequence[DraftSentence]]:
    """Yields the sentences of a document in runs that fit into a message."""
    first = 0
    for index in range(1, len(sentences)):
        characters = sentences[index].end - sentences[first].start
        if characters > MESSAGE_CHARACTERS or index - first >= MESSAGE_SENTENCES:
            yield sentences[first:index]
            first = index
    yield sentences[first:]


def _draft_fields(draft: Draft, stretch: Sequence[DraftSentence], goes_on: bool) -> dict[str, Any]:
    """Returns the fields of a `WireDraft`."""
    begin, first = draft.sentences[0].start, stretch[0].start
    end = draft.sentences[stretch[-1].sentence.position + 1].start if goes_on else stretch[-1].end
    headings: dict[tuple[str, ...], int] = {}
    rows = [_row(draft.text, one, begin, headings.setdefault(one.headings, len(headings))) for one in stretch]
    return {
        "record": draft.record,
        "title": _shown(draft.title),
        "encoding": draft.encoding,
        "content_hash": draft.content_hash,
        "tags": [_shown(tag) for tag in draft.tags],
        "aliases": [_shown(alias) for alias in draft.aliases],
        "day": draft.day,
        "text": _shown(draft.text[first:end]),
        "headings": [[_shown(heading) for heading in under] for under in headings],
        "sentences": rows,
        "goes_on": goes_on,
    }


def _row(text: str, one: DraftSentence, begin: int, headings: int) -> list[object]:
    """Returns the fields of a `WireSentence`."""
    sentence = one.sentence
    return [
        one.start - begin,
        one.end - begin,
        None if sentence.text == text[one.start : one.end] else _shown(sentence.text),
        sentence.kind,
        _place(sentence.passage),
        [[_shown(link.target), _shown(link.label)] for link in sentence.links],
        [_shown(tag) for tag in sentence.tags],
        headings,
        one.starts_block,
    ]


def _shown(text: str) -> str:
    """Returns text without NULs, which end a text for C. Escapes in JSON, TOML and addresses can hold them."""
    return text.replace("\0", "\ufffd")


def _place(passage: Passage) -> list[object]:
    return [
        passage.start,
        passage.end,
        passage.start_byte,
        passage.end_byte,
        passage.first_line,
        passage.last_line,
        passage.place,
    ]
