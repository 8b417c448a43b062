"""Reads the tables of a copy of a Zotero database in memory; SQLite never opens the file itself.

So nothing is locked, and nothing is written beside the file while Zotero has it open. Items in Zotero's trash are left out, and so
are feeds, which the user did not collect. Tables that older versions lack count as empty.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.local_day import local_day_of

MAX_VALUE_BYTES = 256 << 20
MAX_FIELD_CHARACTERS = 100_000
"""Maximum length of a title, abstract or comment; the rest is cut off. Some programs store the whole text of a paper there."""
MAX_NOTE_CHARACTERS = 2_000_000
MAX_COLLECTION_DEPTH = 20
"""Maximum number of parent collections that are named; in a damaged file they may form a cycle."""

_MAGIC = b"SQLite format 3\x00"
_FORMS = slice(18, 20)
"""Bytes of the header that say whether a write-ahead log lies beside the file (2) or not (1); a copy in memory has none."""
_STORED = (0, 1, 2)
"""Link modes of attachments that are files: imported, saved from a web page, linked."""
_LINKED_ADDRESS = 3
_MOMENT = "%Y-%m-%d %H:%M:%S"

_WORKS = """
SELECT i.itemID, i.libraryID, t.typeName, substr(i.dateAdded, 1, 30), coalesce(g.name, '')
FROM items i
JOIN itemTypes t ON t.itemTypeID = i.itemTypeID
LEFT JOIN {libraries} l ON l.libraryID = i.libraryID
LEFT JOIN {groups} g ON g.libraryID = i.libraryID
WHERE i.itemID NOT IN (SELECT itemID FROM {deleted}) AND coalesce(l.type, '') <> 'feed' AND t.typeName <> 'annotation'
ORDER BY i.itemID
"""
_FIELDS = """
SELECT f.fieldName, substr(v.value, 1, {field_length}) FROM itemData d JOIN fields f ON f.fieldID = d.fieldID
JOIN itemDataValues v ON v.valueID = d.valueID WHERE d.itemID = ? ORDER BY f.fieldID
"""
_CREATORS = """
SELECT substr(coalesce(c.firstName, ''), 1, 200), substr(coalesce(c.lastName, ''), 1, 500), r.creatorType FROM itemCreators i
JOIN creators c ON c.creatorID = i.creatorID JOIN creatorTypes r ON r.creatorTypeID = i.creatorTypeID
WHERE i.itemID = ? ORDER BY i.orderIndex
"""
_TAGS = (
    "SELECT substr(t.name, 1, 200) FROM itemTags i JOIN tags t ON t.tagID = i.tagID WHERE i.itemID = ? ORDER BY t.name"
)
_COLLECTIONS = """
SELECT collectionID FROM collectionItems
WHERE itemID = ? AND collectionID NOT IN (SELECT collectionID FROM {deleted_collections}) ORDER BY collectionID
"""
_NOTES = """
SELECT itemID, parentItemID, substr(coalesce(title, ''), 1, {field_length}), substr(coalesce(note, ''), 1, {note_length})
FROM itemNotes
WHERE {column} = ? AND itemID NOT IN (SELECT itemID FROM {deleted}) ORDER BY itemID
"""
_ATTACHMENTS = """
SELECT itemID, parentItemID, linkMode, coalesce(path, '') FROM itemAttachments
WHERE {column} = ? AND itemID NOT IN (SELECT itemID FROM {deleted}) ORDER BY itemID
"""
_PATHS = """
SELECT i.libraryID, a.path FROM itemAttachments a JOIN items i ON i.itemID = a.itemID
WHERE a.path IS NOT NULL AND a.itemID NOT IN (SELECT itemID FROM {deleted})
"""
_ANNOTATIONS = """
SELECT itemID, substr(coalesce(text, ''), 1, {field_length}), substr(coalesce(comment, ''), 1, {field_length}),
  substr(coalesce(pageLabel, ''), 1, 50), substr(coalesce(authorName, ''), 1, 200)
FROM {annotations} WHERE parentItemID = ? AND itemID NOT IN (SELECT itemID FROM {deleted}) ORDER BY sortIndex, itemID
"""
_LENGTHS = {"field_length": MAX_FIELD_CHARACTERS, "note_length": MAX_NOTE_CHARACTERS}
_OPTIONAL = {
    "libraries": ("libraries", "libraryID, type"),
    "groups": ("groups", "libraryID, name"),
    "deleted": ("deletedItems", "itemID"),
    "deleted_collections": ("deletedCollections", "collectionID"),
    "annotations": ("itemAnnotations", "itemID, parentItemID, text, comment, pageLabel, authorName, sortIndex"),
}
"""Name in the queries above → (table that not all versions have, columns that are read)."""


@dataclass(frozen=True, slots=True)
class ZoteroItem:
    """A work, a note or an attachment."""

    id: int
    library: int
    """Id of its library, which is the user's own or that of a group."""
    kind: str
    """Zotero's name of its type: "journalArticle", "note", "attachment"."""
    added: str
    """Day on which it was added, such as 2021-05-03; "" if that is not known."""
    group: str
    """Name of the library's group; "" for the user's own library."""


@dataclass(frozen=True, slots=True)
class ZoteroNote:
    """A note."""

    id: int
    is_child: bool
    """Whether it belongs to a work."""
    title: str
    html: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file or web page of a work."""

    id: int
    is_child: bool
    path: str
    """"storage:Lind 2017.pdf", a path, or "" for a web page."""
    is_address: bool
    """Whether it is only a link to a web page, whose address is among its fields."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation in a file."""

    id: int
    text: str
    """The marked words."""
    comment: str
    page: str
    """Page number as it is printed."""
    author: str
    """Author, if it is another member of a group."""


@contextmanager
def opened_database(data: bytes) -> Iterator[ZoteroDatabase]:
    """Opens a copy of the file.

    Raises:
        DocumentError: it is damaged or not a Zotero database; raised here and while it is read.
    """
    try:
        database = ZoteroDatabase(data)
        try:
            yield database
        finally:
            database.close()
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise DocumentError(
            "it is damaged or not a Zotero database; close Zotero, open it again, and let it repair its database"
        ) from error


class ZoteroDatabase:
    """A database of Zotero."""

    def __init__(self, data: bytes) -> None:
        """Opens a copy of the file in memory; `opened_database` converts SQLite's errors."""
        if not data.startswith(_MAGIC):
            raise DocumentError("it is damaged or not an SQLite database")
        if data[_FORMS] != b"\x01\x01":
            data = b"".join((data[: _FORMS.start], b"\x01\x01", data[_FORMS.stop :]))
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.deserialize(data)
        self._connection.text_factory = lambda value: value.decode("utf-8", "replace")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        # The walls forbid temporary files.
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.execute("PRAGMA query_only = ON")
        self._connection.execute("PRAGMA trusted_schema = OFF")
        tables = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"items", "itemData", "itemTypes"} <= tables:
            raise DocumentError("it is an SQLite database, but not Zotero's")
        self._names = {
            name: table if table in tables else _empty(columns) for name, (table, columns) in _OPTIONAL.items()
        }
        self._collections = self._collection_names() if "collections" in tables else {}

    def close(self) -> None:
        """Frees the memory."""
        self._connection.close()

    def items(self) -> list[ZoteroItem]:
        """Returns works, notes and attachments in the order in which they were added."""
        return [
            ZoteroItem(int(number), int(library), _text(kind), local_day_of(_text(added), _MOMENT), _text(group))
            for number, library, kind, added, group in self._rows(_WORKS)
        ]

    def fields(self, item: int) -> dict[str, str]:
        """Returns the fields of an item: {"title": …, "publicationTitle": …}."""
        return {_text(name): _text(value) for name, value in self._rows(_FIELDS, item)}

    def creators(self, item: int) -> list[tuple[str, str, str]]:
        """Returns (first name, last name, role) of each person of a work; an organisation has only a last name."""
        return [(_text(first), _text(last), _text(role)) for first, last, role in self._rows(_CREATORS, item)]

    def tags(self, item: int) -> list[str]:
        """Returns the tags of an item by name."""
        return [_text(name) for (name,) in self._rows(_TAGS, item)]

    def collections(self, item: int) -> list[str]:
        """Returns the collections that an item is in, each with those above it: "Thesis > Frost"."""
        found = (self._collection_path(number) for (number,) in self._rows(_COLLECTIONS, item))
        return [path for path in found if path]

    def notes(self, item: int, *, is_parent: bool) -> list[ZoteroNote]:
        """Returns the notes of a work, or the note that an item is.

        Args:
            item: id of the work or note.
            is_parent: whether it is the work.
        """
        rows = self._rows(_NOTES, item, column="parentItemID" if is_parent else "itemID")
        return [
            ZoteroNote(int(number), bool(parent), _text(title), _text(html)) for number, parent, title, html in rows
        ]

    def attachments(self, item: int, *, is_parent: bool) -> list[Attachment]:
        """Returns the attachments of a work, or the attachment that an item is. See `notes`."""
        rows = self._rows(_ATTACHMENTS, item, column="parentItemID" if is_parent else "itemID")
        return [
            Attachment(int(number), bool(parent), _text(path) if mode in _STORED else "", mode == _LINKED_ADDRESS)
            for number, parent, mode, path in rows
        ]

    def annotations(self, attachment: int) -> list[Annotation]:
        """Returns the annotations of a file in the order of the pages."""
        return [Annotation(int(number), *map(_text, rest)) for number, *rest in self._rows(_ANNOTATIONS, attachment)]

    def attachment_paths(self) -> Iterator[tuple[int, str]]:
        """Yields (library, path) of all files that are not in the trash."""
        return ((int(library), _text(path)) for library, path in self._rows(_PATHS))

    def _rows(self, query: str, *values: int, column: str = "") -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(query.format(**self._names, **_LENGTHS, column=column), values))

    def _collection_names(self) -> dict[int, tuple[str, int | None]]:
        query = "SELECT collectionID, substr(collectionName, 1, 200), parentCollectionID FROM collections"
        return {number: (_text(name), parent) for number, name, parent in self._connection.execute(query)}

    def _collection_path(self, number: int | None) -> str:
        names: list[str] = []
        while number in self._collections and len(names) < MAX_COLLECTION_DEPTH:
            name, number = self._collections[number]
            names.append(name)
        return " > ".join(reversed(names))


def _empty(columns: str) -> str:
    """Returns a query that gives these columns without rows."""
    names = ", ".join(f"NULL AS {name.strip()}" for name in columns.split(","))
    return f"(SELECT {names} WHERE 0)"


def _text(value: object) -> str:
    """Returns a value of any type as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value if value is not None else "")
