"""Writes zotero.sqlite into the current folder: the tables of Zotero 7 that hold a library, with a small one in them.

The library has papers with a PDF, notes and annotations, a bin, a group, a feed, files and notes without a paper.
"""

import sqlite3
from pathlib import Path

TABLES = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL, filesEditable INT NOT NULL,
  version INT NOT NULL DEFAULT 0, storageVersion INT NOT NULL DEFAULT 0, lastSync INT NOT NULL DEFAULT 0,
  archived INT NOT NULL DEFAULT 0);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE, name TEXT NOT NULL, description TEXT NOT NULL,
  version INT NOT NULL);
CREATE TABLE feeds (libraryID INTEGER PRIMARY KEY, name TEXT NOT NULL, url TEXT NOT NULL UNIQUE);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT DEFAULT 1);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, dateAdded TIMESTAMP NOT NULL, dateModified TIMESTAMP NOT NULL,
  clientDateModified TIMESTAMP NOT NULL, libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0,
  synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE INDEX itemNotes_parentItemID ON itemNotes(parentItemID);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, charsetID INT, path TEXT,
  syncState INT DEFAULT 0, storageModTime INT, storageHash TEXT, lastProcessedModificationTime INT, lastRead INT);
CREATE INDEX itemAttachments_parentItemID ON itemAttachments(parentItemID);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL, type INTEGER NOT NULL, authorName TEXT, text TEXT,
  comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT NOT NULL, position TEXT NOT NULL, isExternal INT NOT NULL);
CREATE INDEX itemAnnotations_parentItemID ON itemAnnotations(parentItemID);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT,
  UNIQUE (lastName, firstName, fieldMode));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL DEFAULT 1,
  orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex));
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT DEFAULT NULL,
  clientDateModified TIMESTAMP NOT NULL, libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0,
  synced INT NOT NULL DEFAULT 0);
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0,
  PRIMARY KEY (collectionID, itemID));
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
"""
KINDS = {"annotation": 1, "attachment": 3, "book": 7, "bookSection": 8, "case": 9, "journalArticle": 22, "note": 28}
FIELDS = (
    "title abstractNote date publicationTitle volume issue pages DOI url publisher place ISBN extra caseName dateDecided bookTitle"
).split()
ROLES = ("author", "contributor", "editor", "translator")
PDF = "storage:Lind and Okafor - 2017 - Late frost in orchards.pdf"
OWN, GROUP, FEED = 1, 2, 3


class Library:
    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._rows = sqlite3.connect(path)
        self._rows.execute("PRAGMA page_size = 512")
        self._rows.executescript(TABLES)
        self._add("version", ("userdata", 123))
        for library, kind in ((OWN, "user"), (GROUP, "group"), (FEED, "feed")):
            self._add("libraries", (library, kind, 1, 1, 0, 0, 0, 0))
        self._add("groups", (4711, GROUP, "Pomologists of Rinteln", "", 1))
        self._add("feeds", (FEED, "Journal of Pomology", "https://pomology.example/feed"))
        for name, number in KINDS.items():
            self._add("itemTypes", (number, name, None, 1))
        for number, name in enumerate(FIELDS, start=1):
            self._add("fields", (number, name, None))
        for number, name in enumerate(ROLES, start=1):
            self._add("creatorTypes", (number, name))

    def _add(self, table: str, values: tuple) -> int:
        marks = ", ".join("?" * len(values))
        return self._rows.execute(f"INSERT INTO {table} VALUES ({marks})", values).lastrowid or 0

    def item(self, kind: str, library: int = OWN, **fields: str) -> int:
        moment = "2021-05-03 09:30:11"
        number = self._add("items", (None, KINDS[kind], moment, moment, moment, library, "", 0, 0))
        self._rows.execute("UPDATE items SET key = ? WHERE itemID = ?", (f"ABCD{number:04}", number))
        for name, value in fields.items():
            self._rows.execute("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", (value,))
            (value_id,) = self._rows.execute("SELECT valueID FROM itemDataValues WHERE value = ?", (value,)).fetchone()
            self._add("itemData", (number, FIELDS.index(name) + 1, value_id))
        return number

    def library_of(self, item: int | None) -> int:
        found = self._rows.execute("SELECT libraryID FROM items WHERE itemID = ?", (item,)).fetchone()
        return found[0] if found else OWN

    def person(self, item: int, first: str, last: str, role: str = "author") -> None:
        mode = 0 if first else 1
        self._rows.execute("INSERT OR IGNORE INTO creators VALUES (NULL, ?, ?, ?)", (first, last, mode))
        query = "SELECT creatorID FROM creators WHERE firstName = ? AND lastName = ?"
        (creator,) = self._rows.execute(query, (first, last)).fetchone()
        (order,) = self._rows.execute("SELECT count(*) FROM itemCreators WHERE itemID = ?", (item,)).fetchone()
        self._add("itemCreators", (item, creator, ROLES.index(role) + 1, order))

    def tag(self, item: int, name: str, kind: int = 0) -> None:
        self._rows.execute("INSERT OR IGNORE INTO tags (name) VALUES (?)", (name,))
        (tag,) = self._rows.execute("SELECT tagID FROM tags WHERE name = ?", (name,)).fetchone()
        self._add("itemTags", (item, tag, kind))

    def note(self, parent: int | None, title: str, html: str) -> int:
        number = self.item("note", self.library_of(parent))
        self._add("itemNotes", (number, parent, f'<div class="zotero-note znv1">{html}</div>', title))
        return number

    def file(
        self, parent: int | None, mode: int, path: str | None, kind: str = "application/pdf", **fields: str
    ) -> int:
        number = self.item("attachment", self.library_of(parent), **fields)
        self._add("itemAttachments", (number, parent, mode, kind, None, path, 0, None, None, None, None))
        return number

    def annotation(self, file: int, page: str, text: str | None, comment: str | None = None, kind: int = 1) -> int:
        number = self.item("annotation")
        order = f"{int(page or 0):05}|{number:06}|00000"
        values = (
            number,
            file,
            kind,
            None,
            text,
            comment,
            "#ffd400",
            page,
            order,
            '{"pageIndex":0,"rects":[[1,2,3,4]]}',
            0,
        )
        self._add("itemAnnotations", values)
        return number

    def collection(self, name: str, *items: int, parent: int | None = None, library: int = OWN) -> int:
        moment = "2021-05-03 09:30:11"
        number = self._add("collections", (None, name, parent, moment, library, "KEY", 0, 0))
        for item in items:
            self._add("collectionItems", (number, item, 0))
        return number

    def delete(self, item: int) -> None:
        self._add("deletedItems", (item, "2022-01-01 00:00:00"))

    def delete_collection(self, collection: int) -> None:
        self._add("deletedCollections", (collection, "2022-01-01 00:00:00"))

    def close(self) -> None:
        self._rows.commit()
        self._rows.close()


def fill(library: Library) -> None:
    frost = library.item(
        "journalArticle",
        title="Late frost in orchards",
        abstractNote="Blossoms die at minus two degrees.\nSprinklers save most of them.",
        date="2017-06-12 June 12, 2017",
        publicationTitle="Journal of Pomology",
        volume="30",
        pages="11–19",
        DOI="10.9999/pomology.30.11",
        url="https://pomology.example/30/11",
        extra="Citation Key: lind2017\nRead before the meeting in Rinteln",
    )
    library.person(frost, "Mara", "Lind")
    library.person(frost, "Amara", "Okafor")
    library.tag(frost, "late frost")
    library.tag(frost, "Fruit trees", 1)
    note = library.note(
        frost,
        "What we could try",
        "<h1>What we could try</h1><p>Ask <strong>Jürgen Weißenfels</strong> for the sprinklers.</p><ul><li>two pumps</li></ul>",
    )
    library.tag(note, "to do")
    pdf = library.file(frost, 1, PDF, title="Full Text PDF")
    library.annotation(pdf, "14", "The pumps ran for eleven nights.", "Which pumps?")
    library.tag(library.annotation(pdf, "12", "A candle under each tree costs more than the harvest."), "costs")
    library.annotation(pdf, "13", None, "This figure shows our terrace", 3)
    library.delete(library.annotation(pdf, "15", "A mark that was taken back."))
    library.file(frost, 3, None, "text/html", title="Publisher", url="https://pomology.example/about")
    library.delete(library.note(frost, "Gone", "<p>A note in the bin.</p>"))

    chapter = library.item(
        "bookSection",
        title="Grafting",
        bookTitle="The handbook of old varieties",
        date="1998-00-00 1998",
        publisher="Wesertal Press",
    )
    library.person(chapter, "", "Pomological Society")
    library.person(chapter, "Tomás", "Ruiz", "editor")
    library.file(chapter, 2, "attachments:books/main.pdf")
    library.file(library.item("book", title="Pears"), 0, "storage:main.pdf")
    library.delete(library.file(frost, 0, PDF))
    case = library.item("case", GROUP, caseName="Brewery v. Orchard", dateDecided="2003-09-00 September 2003")
    library.file(case, 2, "C:\\papers\\verdict.pdf")
    thesis = library.collection("Thesis", chapter)
    library.collection("Frost", frost, parent=thesis)
    library.collection("Reading list", frost)
    library.delete_collection(library.collection("Old plans", frost))

    binned = library.item("book", title="A book in the bin")
    library.delete(binned)
    library.note(binned, "Its note", "<p>A note of a book in the bin.</p>")
    library.item("journalArticle", FEED, title="News that nobody has collected")
    library.note(None, "Plan of the summer", "<h1>Plan of the summer</h1><p>Weigh the Boskoop of row four.</p>")
    lone = library.file(None, 0, "storage:map.pdf", title="Map of the terrace")
    library.annotation(lone, "1", "The spring lies behind the press.")
    library.file(None, 0, "storage:unread.pdf", title="A file that nobody has marked")


if __name__ == "__main__":
    made = Library(Path("zotero.sqlite"))
    fill(made)
    made.close()
