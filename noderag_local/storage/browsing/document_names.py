"""Reads the names of all documents: title, aliases and file, with their own days and the times of the last change."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from noderag_local.storage.database.columns import day_column
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store

_NAMES = """
SELECT d.id, f.path, d.record, d.title, d.aliases, f.modified_ns, {day} FROM documents d JOIN files f ON f.id = d.file_id ORDER BY d.id
"""


@dataclass(frozen=True, slots=True)
class DocumentNames:
    """A document with everything that a person may call it."""

    node: int
    path: str
    record: int
    """0-based number in its file."""
    title: str
    """Title; empty where there is none."""
    aliases: tuple[str, ...]
    modified_ns: int
    """Time of the file's last change before it was read, in nanoseconds since 1970."""
    day: str
    """Day that the document itself tells, "2026-05-03"; "" where it tells none."""

    @property
    def name(self) -> str:
        """Returns the title, or the name of the file if there is no title."""
        return self.title or os.path.basename(self.path)

    @property
    def kind(self) -> str:
        """Returns the ending of the file's name in lower case and without the dot, such as "md"; "" if there is none."""
        return os.path.splitext(self.path)[1][1:].lower()


def document_names(store: Store) -> list[DocumentNames]:
    """Returns every document, ordered by id."""
    return [
        DocumentNames(node, path_of(path), record, title, tuple(json.loads(aliases)), modified_ns, day)
        for node, path, record, title, aliases, modified_ns, day in store.rows(_NAMES.format(day=day_column(store)))
    ]
