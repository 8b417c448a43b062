"""Reads Zotero's database (zotero.sqlite): each work becomes a document with its abstract, the user's notes and annotations.

The place is "Lind & Okafor 2017", and "Lind & Okafor 2017, page 5" for an annotation. The file of a work is in the folder
`storage/` beside the database and becomes a document of its own, to which the work links. A note that belongs to no work becomes a
document, and so does an annotated file that belongs to no work.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.markup.html import write_mail_body
from noderag_local.ingest.formats.references.reference import (
    SECTION_LEVEL,
    Creator,
    Reference,
    file_name,
    file_stem,
    write_reference,
)
from noderag_local.ingest.formats.references.zotero_database import (
    Annotation,
    Attachment,
    ZoteroDatabase,
    ZoteroItem,
    ZoteroNote,
    opened_database,
)

_TITLES = ("title", "caseName", "nameOfAct", "subject")
_CONTAINERS = (
    "publicationTitle proceedingsTitle bookTitle encyclopediaTitle dictionaryTitle websiteTitle blogTitle forumTitle programTitle"
    " seriesTitle code reporter"
).split()
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate")
_DETAILS = {
    "volume": "Volume",
    "issue": "Number",
    "pages": "Pages",
    "edition": "Edition",
    "series": "Series",
    "publisher": "Publisher",
    "university": "University",
    "institution": "Institution",
    "conferenceName": "Conference",
    "place": "Place",
    "DOI": "DOI",
    "ISBN": "ISBN",
    "url": "Address",
}
_KINDS = {"bookSection": "book chapter", "webpage": "web page", "document": "document"}
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DATE = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?: (?P<written>.*))?$", re.DOTALL)
_RICH_TEXT = re.compile(r"</?(?:i|b|sub|sup|span|sc)\b[^<>]{0,100}>")
"""HTML tags that Zotero allows in a title."""
_CITATION_KEY = re.compile(r"^[ \t]*citation[ -]?key:[ \t]*(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    file.seek(0)
    with opened_database(file.read()) as database:
        yield from _Library(database).documents()


class _Library:
    def __init__(self, database: ZoteroDatabase) -> None:
        self._database = database
        paths = database.attachment_paths()
        self._stems = Counter((library, file_stem(_file_name(path))) for library, path in paths)

    def documents(self) -> Iterator[ExtractedDocument]:
        for item in self._database.items():
            if item.kind == "note":
                for note in self._database.notes(item.id, is_parent=False):
                    if not note.is_child:
                        yield self._note(item, note)
            elif item.kind == "attachment":
                for attachment in self._database.attachments(item.id, is_parent=False):
                    if not attachment.is_child:
                        yield from self._lone_file(item, attachment)
            else:
                yield self._work(item)

    def _work(self, item: ZoteroItem) -> ExtractedDocument:
        notes = self._database.notes(item.id, is_parent=True)
        attachments = self._database.attachments(item.id, is_parent=True)
        reference = self._reference(item, notes, attachments)
        place = reference.short_form
        writer = BlockWriter()
        write_reference(reference, writer, Whereabouts(place))
        notices = [notice for note in notes for notice in _write_note(note, reference.title, writer)]
        for attachment in attachments:
            self._write_annotations(attachment, place, writer)
        return _document(writer, place, reference.tags, reference.aliases, notices)

    def _note(self, item: ZoteroItem, note: ZoteroNote) -> ExtractedDocument:
        """Returns a note that belongs to no work."""
        writer = BlockWriter()
        writer.title = folded_text(note.title)
        notices = list(_write_note(note, writer.title, writer, below=0))
        place = f"note {writer.title}" if writer.title else "note"
        return _document(writer, place, self._tags(item.id), (), notices)

    def _lone_file(self, item: ZoteroItem, attachment: Attachment) -> Iterator[ExtractedDocument]:
        """Yields a file that belongs to no work, if it has annotations."""
        name = _file_name(attachment.path)
        writer = BlockWriter()
        title = folded_text(self._database.fields(attachment.id).get("title", "")) or name
        writer.title = title
        self._write_annotations(attachment, title, writer)
        if writer.blocks:
            reference = Reference(
                title, "file", tags=self._tags(attachment.id), files=self._linked_files(item, [attachment])
            )
            described = BlockWriter()
            write_reference(reference, described, Whereabouts(title))
            yield ExtractedDocument(title, (*described.blocks, *writer.blocks), reference.tags)

    def _reference(self, item: ZoteroItem, notes: Sequence[ZoteroNote], attachments: Sequence[Attachment]) -> Reference:
        fields = self._database.fields(item.id)
        extra = fields.get("extra", "")
        details = [(label, folded_text(fields[name])) for name, label in _DETAILS.items() if fields.get(name)]
        details += [("Link", self._address(one)) for one in attachments if one.is_address]
        filing = (
            ("Collections", ", ".join(self._database.collections(item.id))),
            ("Library of the group", item.group),
            ("Added to Zotero", item.added),
        )
        keys = (fields.get("citationKey", ""), *_CITATION_KEY.findall(extra))
        return Reference(
            title=folded_text(_RICH_TEXT.sub("", _first(fields, _TITLES))),
            kind=_KINDS.get(item.kind) or _CAPITAL.sub(" ", item.kind).lower(),
            creators=tuple(_creator(*one) for one in self._database.creators(item.id)),
            date=_day(_first(fields, _DATES)),
            published_in=folded_text(_first(fields, _CONTAINERS)),
            details=tuple(details),
            filing=filing,
            abstract=fields.get("abstractNote", "").replace("\n", "\n\n"),
            tags=self._tags(item.id, *(note.id for note in notes)),
            keys=tuple(dict.fromkeys(filter(None, map(folded_text, keys)))),
            files=self._linked_files(item, attachments),
            sections=(("Extra", _CITATION_KEY.sub("", extra).replace("\n", "\n\n")),),
        )

    def _tags(self, *items: int) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(folded_text(tag) for item in items for tag in self._database.tags(item) if tag.strip())
        )

    def _address(self, attachment: Attachment) -> str:
        return folded_text(self._database.fields(attachment.id).get("url", ""))

    def _linked_files(self, item: ZoteroItem, attachments: Sequence[Attachment]) -> tuple[str, ...]:
        """Returns the names of files, without a name such as "main.pdf" that several files of a library have: it would link to all of them."""
        names = [_file_name(attachment.path) for attachment in attachments]
        return tuple(dict.fromkeys(name for name in names if name and self._stems[item.library, file_stem(name)] == 1))

    def _write_annotations(self, attachment: Attachment, place: str, writer: BlockWriter) -> None:
        annotations = self._database.annotations(attachment.id)
        if any(one.text.strip() or one.comment.strip() for one in annotations):
            writer.heading(SECTION_LEVEL, "Annotations", Whereabouts(place))
        for annotation in annotations:
            _write_annotation(annotation, place, self._tags(annotation.id), writer)


def _write_annotation(annotation: Annotation, place: str, tags: Sequence[str], writer: BlockWriter) -> None:
    """Writes the marked words and the comment; both name the page, so that each passage shows it."""
    page = folded_text(annotation.page)
    where = Whereabouts(f"{place}, page {page}" if page else place)
    words, comment = folded_text(annotation.text), folded_text(annotation.comment)
    named = f"Page {page}: " if page else ""
    writer.add(BlockKind.LIST_ITEM, f"{named}{words}" if words else "", where, tags=tags)
    about = f" by {annotation.author.strip()}" if annotation.author.strip() else ""
    about += f" on page {page}" if page else ""
    writer.add(BlockKind.LIST_ITEM, f"Comment{about}: {comment}" if comment else "", where, tags=tags)


def _write_note(note: ZoteroNote, title: str, writer: BlockWriter, below: int = SECTION_LEVEL) -> Iterator[str]:
    """Writes a note; yields a notice if it cannot be read."""
    if below:
        writer.heading(below, "Note")
    try:
        write_mail_body(note.html, writer, without_quotes=False, below=below)
    except DocumentError as error:
        yield f"a note of “{title}” cannot be read: {error}"


def _document(
    writer: BlockWriter, place: str, tags: Sequence[str], aliases: Sequence[str], notices: Sequence[str]
) -> ExtractedDocument:
    """Returns a document whose blocks all have a place."""
    blocks = (replace(block, place=block.place or place) for block in writer.blocks)
    return ExtractedDocument(writer.title, tuple(blocks), tuple(tags), tuple(aliases), tuple(notices))


def _creator(first: str, last: str, role: str) -> Creator:
    return Creator(folded_text(f"{first} {last}"), folded_text(last), _CAPITAL.sub(" ", role).lower())


def _first(fields: dict[str, str], names: Sequence[str]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")


def _day(value: str) -> str:
    """Returns the known part of a date; Zotero writes "2017-06-00 June 2017" for "2017-06"."""
    found = _DATE.match(value)
    if found is None:
        return folded_text(value)
    if found["year"] == "0000":
        return folded_text(found["written"] or "")
    parts = [found["year"], found["month"], found["day"]]
    return "-".join(parts[: 1 if found["month"] == "00" else 2 if found["day"] == "00" else 3])


def _file_name(path: str) -> str:
    """Returns the name of an attached file; Zotero writes "storage:Lind 2017.pdf" for a file in its own folder."""
    return file_name(path.removeprefix("storage:").removeprefix("attachments:"))


EXTRACTOR = Extractor(_read)
