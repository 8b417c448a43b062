"""Reads which documents are about a person, and how the notes use a first name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import NamedTuple

from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store
from noderag_local.text.people_pages import PeoplePages

_FIRST_RECORDS = """
SELECT f.path, d.title, d.tags FROM documents d JOIN files f ON f.id = d.file_id WHERE d.record = 0 ORDER BY f.path
"""
_NAMES_WITH = """
SELECT nodes.key, nodes.name FROM entity_names JOIN nodes ON nodes.id = entity_names.rowid
WHERE entity_names MATCH ? ORDER BY nodes.key
"""
_TEXTS_WITH = """
SELECT chunks.text FROM chunk_words JOIN chunks ON chunks.id = chunk_words.rowid WHERE chunk_words MATCH ?
"""


class NoteLabel(NamedTuple):
    """Path, names and tags of a note; a named tuple, since a hundred thousand are made several times faster."""

    path: str
    names: tuple[str, ...]
    """Its title, if it has one, and the name of its file without the suffix."""
    tags: tuple[str, ...]


class PersonNotes:
    """Reads what the notes say of people and their first names."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def labels(self) -> list[NoteLabel]:
        """Returns the labels of all files, ordered by path."""
        return [_label(path_of(path), title, tags) for path, title, tags in self._store.rows(_FIRST_RECORDS)]

    def entities_with(self, word: str) -> list[tuple[str, str]]:
        """Returns (key, name) of the entities whose names contain a word of letters, ordered by key."""
        return [(key, name) for key, name in self._store.rows(_NAMES_WITH, (f'"{word}"',))]

    def texts_with(self, word: str) -> list[str]:
        """Returns the texts of the chunks that contain a word of letters, in no order."""
        return [text for (text,) in self._store.rows(_TEXTS_WITH, (f'text : "{word}"',))]


def people_pages(labels: Iterable[NoteLabel]) -> PeoplePages:
    """Returns which of some notes are about a person, from the labels of all notes."""
    return PeoplePages((label.path, label.names[0]) for label in labels if label.names)


def _label(path: str, title: str, tags: str) -> NoteLabel:
    stem = os.path.splitext(path.rpartition(os.sep)[2])[0]
    names = (title, stem) if title and title != stem else (stem,)
    # Most notes have no tags, and tens of thousands are looked at.
    return NoteLabel(path, names, () if tags == "[]" else tuple(json.loads(tags)))
