"""Reads Google Keep notes from Google Takeout: one JSON file a note. Notes in the trash are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, folded_text
from noderag_local.ingest.formats.exports.note_head import BOX, TICKED, begun_by, head_line
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.json_file import json_object, records
from noderag_local.ingest.formats.local_day import local_day
from noderag_local.ingest.formats.text.plain import blocks

MICROSECONDS = 1_000_000


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    note = _loaded(text_of(file))
    if note.get("isTrashed") is True:
        yield ExtractedDocument("", (), notices=("the note is in the trash of Google Keep",))
        return
    writer = BlockWriter()
    writer.add(BlockKind.PARAGRAPH, _head(note))
    _write_text(_text(note.get("textContent")), writer)
    for item in records(note.get("listContent")):
        box = TICKED if item.get("isChecked") is True else BOX
        if said := folded_text(_text(item.get("text"))):
            writer.add(BlockKind.LIST_ITEM, f"{box}{said}")
    for link in records(note.get("annotations")):
        parts = [_text(link.get(key)) for key in ("title", "description", "url")]
        writer.add(BlockKind.PARAGRAPH, ", ".join(part for part in dict.fromkeys(map(folded_text, parts)) if part))
    tags = tuple(filter(None, (folded_text(_text(label.get("name"))) for label in records(note.get("labels")))))
    written = _text(note.get("textContent")).strip() or "\n".join(block.text for block in writer.blocks[1:])
    title = folded_text(_text(note.get("title")))
    yield ExtractedDocument(
        title or begun_by(written),
        tuple(writer.blocks) if title or written else (),
        tags,
        day=_day(note.get("createdTimestampUsec")),
    )


def _loaded(text: str) -> dict[str, Any]:
    note = json_object(text, "Google Keep note")
    if not note.keys() & {"textContent", "listContent", "isTrashed"}:
        raise DocumentError("it is JSON, but not a Google Keep note")
    return note


def _head(note: dict[str, Any]) -> str:
    created, changed = (_day(note.get(f"{which}TimestampUsec")) for which in ("created", "userEdited"))
    others = [_text(one.get("email")) for one in records(note.get("sharees")) if one.get("isOwner") is not True]
    facts = [
        "pinned" if note.get("isPinned") is True else "",
        "archived" if note.get("isArchived") is True else "",
        f"shared with {', '.join(filter(None, others))}" if any(others) else "",
    ]
    return head_line("Google Keep", created, changed, facts)


def _day(microseconds: Any) -> str:
    is_number = isinstance(microseconds, int) and not isinstance(microseconds, bool)
    return local_day(microseconds // MICROSECONDS) if is_number and microseconds > 0 else ""


def _write_text(text: str, writer: BlockWriter) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for block in blocks(text):
        writer.add(block.kind, block.shown_in(text))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


EXTRACTOR = Extractor(_read)
