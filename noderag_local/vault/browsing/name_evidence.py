"""Judges how likely a name is one that a person looks for: of a person, a place or a project, and not a word, tag or column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.text.dates.calendar_names import calendar_words
from noderag_local.text.everyday_words import is_everyday_word

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Sources and targets of the edges of one type; each pair occurs once."""


COLUMN_SHARE = 0.95
"""Share of the rows of a document's tables that a name stands in at least if it is the name of a column."""
FEWEST_ROWS = 3
"""Rows of tables that a document has at least before one can tell."""
SHORTEST_STEM = 4
_SHORTENED_DAYS = frozenset("mon tue tues wed weds thu thur thurs fri sat sun".split())


def documents_naming(store: Store, ids: NDArray[np.int64], naming: Sequence[Ends]) -> NDArray[np.int64]:
    """Counts for each entity the documents that name it, without those in whose tables it is a column.

    Args:
        store: the vault.
        ids: (n,) int64, ascending ids of the entities.
        naming: edges from sentences to entities.

    Returns:
        (n,) int64.
    """
    sentences = Snapshot.open(store).sentences
    found = store.rows("SELECT id FROM sentences WHERE kind = ?", (str(BlockKind.TABLE_ROW),))
    is_row = np.isin(sentences.ids, np.fromiter((number for (number,) in found), np.int64, len(found)))
    sources, targets = (np.concatenate([edges[side] for edges in naming]) for side in (0, 1))
    is_known = np.isin(sources, sentences.ids) & np.isin(targets, ids)
    places = np.searchsorted(sentences.ids, sources[is_known])
    # A pair as one number, which compares ten times faster than a row of two; ids are far below 2**31.
    pairs = targets[is_known] << 32 | sentences.document_ids[places]
    columns = _columns(pairs[is_row[places]], sentences.document_ids[is_row])
    kept = np.setdiff1d(distinct(pairs), columns, assume_unique=True)
    return np.bincount(np.searchsorted(ids, kept >> 32), minlength=len(ids)).astype(np.int64)


def _columns(pairs: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the pairs of an entity and a document that are names of columns.

    Args:
        pairs: (m,) int64, entity and document of each edge from a row of a table.
        documents: (r,) int64, document of each row.
    """
    found, named = np.unique(pairs, return_counts=True)
    having, rows = np.unique(documents, return_counts=True)
    if not len(found):
        return found
    rows_there = rows[np.searchsorted(having, found & 0xFFFFFFFF)]
    return found[(rows_there >= FEWEST_ROWS) & (named >= COLUMN_SHARE * rows_there)]


def is_like_name(name: str) -> bool:
    """Returns whether a text looks like a name: no number, no word in small letters such as a tag, no everyday word.

    A script without capitals tells nothing, and everything in it counts as a name.
    """
    if name[:1].isdigit() or not any(map(str.isalpha, name)):
        return False
    if name == name.lower() and name != name.upper():
        return False
    # "Yellow 4", "Type 1050" and "July 2026" are named as rarely looked for as their parts.
    words = [word for word in name.casefold().split() if not word.isdecimal()]
    return bool(words) and not all(map(_is_everyday, words))


def _is_everyday(word: str) -> bool:
    """Returns whether a word is an everyday one, a form of one ("Booked", "Builds"), or names a day or month."""
    if is_everyday_word(word) or word in calendar_words() or word in _SHORTENED_DAYS:
        return True
    stems = [word.removesuffix(ending) for ending in ("s", "d", "ed", "ing") if word.endswith(ending)]
    return any(len(stem) >= SHORTEST_STEM and is_everyday_word(stem) for stem in stems)
