"""Which documents, and so which sentences and chunks, lie in a scope and may be in a context."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import NotFound, SettingsError
from noderag_local.domain.passages import Scope
from noderag_local.retrieval.search_arrays import SentenceArrays
from noderag_local.storage.browsing.scope_rows import PlacedDocument, ScopeRows
from noderag_local.storage.database.store import Store
from noderag_local.system.paths import lies_in, outermost
from noderag_local.text.dates.document_days import days_of

NAMES_TOLD = 8
"""Most tags or folders that an error message names."""


@dataclass(frozen=True)
class Inside:
    """Sentences, chunks and entities that lie in a scope."""

    sentences: NDArray[np.bool_]
    """(n,)"""
    chunks: NDArray[np.bool_]
    """(c,)"""
    entities: NDArray[np.bool_]
    """(e,) those that a sentence inside names"""


@dataclass(frozen=True, slots=True)
class ScopeChoices:
    """Folders and tags of a vault that a scope may name."""

    folders: tuple[str, ...]
    """Absolute, of all documents and up to what was indexed, by path."""
    tags: tuple[str, ...]
    """Without #, the commonest first."""
    documents: int
    """Number of all documents."""


def inside(store: Store, arrays: SentenceArrays, scope: Scope) -> Inside:
    """Returns what lies in a scope; raises the errors of `documents_within`."""
    ids, chosen = documents_within(store, scope)
    if not len(ids):
        return Inside(*(np.zeros(len(all_of), dtype=bool) for all_of in _tables(arrays)))
    # Ids ascend in reading order, so the document of a sentence is the last one before it.
    sentences = chosen[np.searchsorted(ids, arrays.sentences, side="right") - 1]
    chunks = np.zeros(len(arrays.chunks), dtype=bool)
    chunks[arrays.chunk_of[sentences]] = True
    return Inside(sentences, chunks, arrays.named_by(sentences))


def documents_within(store: Store, scope: Scope) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Returns the ids of all documents (d,), ascending, and whether each lies in the scope (d,).

    Raises:
        NotFound: no document lies in this folder, or none has this tag.
        SettingsError: the last day is before the first.
    """
    if scope.since and scope.until and scope.until < scope.since:
        raise SettingsError(f"Nothing is since {scope.since} and until {scope.until}: swap the two days.")
    documents = ScopeRows(store).documents(with_tags=bool(scope.tag))
    chosen = np.ones(len(documents), dtype=bool)
    if scope.folder:
        chosen &= np.array([bool(folder) for folder in _held_folders(documents, scope)], dtype=bool)
    if scope.tag:
        chosen &= _tagged(documents, scope.tag)
    if scope.since or scope.until:
        chosen &= np.fromiter((_in_days(document, scope) for document in documents), bool, len(documents))
    return np.array([document.id for document in documents], dtype=np.int64), chosen


def settled(store: Store, scope: Scope) -> Scope:
    """Returns a scope whose folder keeps its meaning when documents come and go.

    Raises:
        NotFound: no document lies in this folder.
        SettingsError: it means several folders.
    """
    if not scope.folder:
        return scope
    meant = set(_held_folders(ScopeRows(store).documents(with_tags=False), scope)) - {""}
    folders = sorted(outermost(meant))
    if len(folders) > 1:
        told = ", ".join(folders[:NAMES_TOLD])
        raise SettingsError(f"{scope.folder} means several folders: {told}. Give the full path of one.")
    return replace(scope, folder=folders[0], is_settled=True)


def scope_choices(store: Store) -> ScopeChoices:
    """Returns the folders and tags that a scope may name."""
    documents = ScopeRows(store).documents(with_tags=True)
    folders = {folder for path, root in {(one.path, one.root) for one in documents} for folder in _folders(path, root)}
    tags = Counter(tag for document in documents for tag in document.tags)
    by_count = sorted(tags, key=lambda tag: (-tags[tag], tag))
    return ScopeChoices(tuple(sorted(folders)), tuple(by_count), len(documents))


def _tables(arrays: SentenceArrays) -> tuple[NDArray[np.int64], ...]:
    return arrays.sentences, arrays.chunks, arrays.entities


def _held_folders(documents: Sequence[PlacedDocument], scope: Scope) -> list[str]:
    """Returns the folder of the scope that holds each document, as the document's path spells it; "" for those outside.

    The folder is looked for from the current folder, and then from what was indexed. Capitals count only if they tell folders apart.
    """
    named = scope.folder if scope.is_settled else os.path.expanduser(scope.folder)
    for spelled in (str,) if scope.is_settled else (str, _folded):
        found = _held(documents, [os.path.abspath(named)] * len(documents), spelled)
        if not any(found) and not os.path.isabs(named):
            for bases in ([document.root for document in documents], [_above(document.root) for document in documents]):
                more = _held(documents, [os.path.normpath(os.path.join(base, named)) for base in bases], spelled)
                found = [one or other for one, other in zip(found, more, strict=True)]
        if any(found):
            return found
    roots = sorted({document.root for document in documents})[:NAMES_TOLD]
    raise NotFound(f"No indexed document lies in {scope.folder}. Indexed were: {', '.join(roots) or 'none'}.")


def _held(documents: Sequence[PlacedDocument], folders: Iterable[str], spelled: Callable[[str], str]) -> list[str]:
    """Returns the folder beside each document, as its path spells it, if it lies in it or is it; `spelled` makes what is compared."""
    return [
        _beginning(one.path, folder) if lies_in(spelled(one.path), spelled(folder)) else ""
        for one, folder in zip(documents, folders, strict=True)
    ]


def _beginning(path: str, folder: str) -> str:
    """Returns as many parts of a path as a folder has."""
    return "/".join(path.split("/")[: folder.rstrip("/").count("/") + 1]) or "/"


def _tagged(documents: Sequence[PlacedDocument], tag: str) -> NDArray[np.bool_]:
    wanted = _folded(tag.strip().lstrip("#").rstrip("/"))
    known = {one: _folded(one) for document in documents for one in document.tags}
    meant = {one for one, folded in known.items() if folded == wanted or folded.startswith(f"{wanted}/")}
    if not meant:
        near = get_close_matches(wanted, sorted(known.values()), NAMES_TOLD) or sorted(known)[:NAMES_TOLD]
        hint = f"Tags of your notes: {', '.join(near)}." if near else "Your notes have no tags."
        raise NotFound(f"No document has the tag {tag}. {hint}")
    return np.fromiter((bool(document.tags & meant) for document in documents), bool, len(documents))


def _folded(text: str) -> str:
    """Returns a text in which letters with accents are equal, whether macOS has spelt them as one character or as two."""
    return unicodedata.normalize("NFC", text).casefold()


def _in_days(document: PlacedDocument, scope: Scope) -> bool:
    first, last = days_of(document.path, document.modified_ns, document.day)
    return not ((scope.since and last < scope.since) or (scope.until and first > scope.until))


def _above(path: str) -> str:
    return os.path.dirname(path) or path


def _folders(path: str, root: str) -> list[str]:
    """The folders of a file, the root last."""
    found = [_above(path)]
    while found[-1] != root and found[-1].startswith(root.rstrip("/") + "/"):
        found.append(_above(found[-1]))
    return found
