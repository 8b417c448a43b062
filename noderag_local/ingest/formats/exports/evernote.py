"""Reads Evernote exports (.enex): each note becomes a document with its day, author, tags, source, tasks and text.

The place is "note 3". The file is read note by note, without entities and without fetching the DTD that it names. Pictures and
other attachments are listed by name and not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.exports.note_head import BOX, TICKED, begun_by, head_line
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.local_day import local_day_of
from noderag_local.ingest.formats.markup.html import write_linked_page
from noderag_local.ingest.formats.markup.xhtml import as_html

MAX_DEPTH = 100
"""Maximum depth of elements in a file; notes need six levels."""
LOCKED = "en-crypt"
"""Element that holds a locked part of a note."""

_MOMENT = "%Y%m%dT%H%M%SZ"
_BOX = re.compile(
    r"<en-todo\b([^<>]{0,200})>|<li\b[^<>]{0,500}--en-checked:\s?(true|false)[^<>]{0,500}>\s*(<div\b[^<>]{0,500}>)?",
    re.IGNORECASE,
)
_TICKED = re.compile(r"checked\s?=\s?[\"']true", re.IGNORECASE)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    file.seek(0)
    count = 0
    try:
        for count, note in enumerate(_notes(file), start=1):
            yield _document(note, Whereabouts(f"note {count}"))
    except DefusedXmlException as error:
        raise DocumentError("it declares XML entities, which no Evernote export has; it was not read") from error
    except (ParseError, ValueError, LookupError) as error:
        if not count:
            raise DocumentError(
                "it is damaged or not an Evernote export: it is not well-formed XML; export it again"
            ) from error
        yield ExtractedDocument(
            "", (), notices=(f"it is damaged after note {count}, so all later notes are missing (export it again)",)
        )
    if not count:
        raise DocumentError("it has no notes, so it is not an Evernote export")


def _notes(file: BinaryIO) -> Iterator[Element]:
    """Yields the notes of a file; each is emptied when the next one is read."""
    depth = 0
    root: Element | None = None
    for event, element in iterparse(file, events=("start", "end")):
        if event == "start":
            depth += 1
            root = element if root is None else root
            if depth > MAX_DEPTH:
                raise DocumentError(f"its elements are nested more than {MAX_DEPTH} deep")
            continue
        depth -= 1
        if element.tag == "data":
            element.clear()
        if element.tag == "note" and depth == 1:
            yield element
            if root is not None:
                root.clear()


def _document(note: Element, where: Whereabouts) -> ExtractedDocument:
    writer = BlockWriter()
    writer.title = folded_text(note.findtext("title") or "")
    writer.add(BlockKind.PARAGRAPH, _head(note), where)
    content = note.findtext("content") or ""
    try:
        write_linked_page(_as_page(content), writer, where, _linked, without=LOCKED)
        notices = [f"a part of {where.place} is locked by a password"] if f"<{LOCKED}" in content else []
    except DocumentError as error:
        notices = [f"{where.place} cannot be read: {error}"]
    for task in note.iter("task"):
        if title := folded_text(task.findtext("title") or ""):
            box = TICKED if task.findtext("taskStatus") == "completed" else BOX
            due = _day(task.findtext("dueDate") or "")
            writer.add(BlockKind.LIST_ITEM, f"{box}{title}{f' (due {due})' if due else ''}", where)
    attached = _attached(note)
    if attached:
        writer.add(BlockKind.PARAGRAPH, f"Attachments: {attached}.", where)
    tags = tuple(filter(None, (folded_text(tag.text or "") for tag in note.findall("tag"))))
    title = writer.title or next((begun_by(block.text) for block in writer.blocks[1:]), "")
    created = _day(note.findtext("created") or "")
    return ExtractedDocument(title, tuple(writer.blocks), tags, notices=tuple(notices), day=created)


def _head(note: Element) -> str:
    created, changed = (_day(note.findtext(name) or "") for name in ("created", "updated"))
    author, source = (folded_text(note.findtext(f"note-attributes/{name}") or "") for name in ("author", "source-url"))
    return head_line(
        "Evernote", created, changed, (f"by {author}" if author else "", f"from {source}" if source else "")
    )


def _day(moment: str) -> str:
    """Returns the day of a timestamp such as "20240501T083000Z"; "" if it is invalid."""
    return local_day_of(moment.strip(), _MOMENT)


def _as_page(content: str) -> str:
    """Returns the text of a note as HTML, with check boxes as "[ ]" and "[x]"."""
    return as_html(_BOX.sub(_box, content))


def _box(match: re.Match[str]) -> str:
    is_ticked = match[2] == "true" or bool(_TICKED.search(match[1] or ""))
    item = f"<li>{match[3] or ''}" if match[2] else ""
    return item + (TICKED if is_ticked else BOX)


def _linked(address: str, label: str) -> WikiLink | None:
    """Returns the link to another note; Evernote writes the title of that note as the text of the link."""
    return (
        WikiLink(label, label)
        if label and address.startswith(("evernote:", "https://www.evernote.com/shard/"))
        else None
    )


def _attached(note: Element) -> str:
    """Returns the names of the attachments, and the number of those without a name."""
    resources = note.findall("resource")
    names = [folded_text(one.findtext("resource-attributes/file-name") or "") for one in resources]
    named, nameless = list(dict.fromkeys(filter(None, names))), names.count("")
    return ", ".join([*named, *([f"{nameless} without a name"] if nameless else [])])


EXTRACTOR = Extractor(_read)
