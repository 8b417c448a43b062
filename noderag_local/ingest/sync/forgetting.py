"""Forgets files: removes them with everything made of them, and ignores them until the user names them again."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from noderag_local.domain.documents import Skipped
from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import NodeType
from noderag_local.ingest.scan.scan import Scan
from noderag_local.storage.database.fact_names import ATTRIBUTE_OF
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.noted_roots import BroughtRoots, DrivePlaces
from noderag_local.storage.forgetting.forgotten import ForgottenRows
from noderag_local.storage.forgetting.former_paths import FormerPaths
from noderag_local.storage.forgetting.path_marks import MarkedPaths
from noderag_local.storage.forgetting.traces import drop_forgetting
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.llm_cache import LlmCache
from noderag_local.system.paths import lies_in, nearest

FORGOTTEN = "forgotten by you"
NAMES_TOLD = 3


def without_forgotten(scan: Scan, forgotten: MarkedPaths, roots: Sequence[str], known: Collection[str]) -> Scan:
    """Returns a scan without the forgotten files.

    A forgotten folder stands for all that lies in it, unless a root of this run is that folder or lies deeper: naming it
    takes the files back.

    Args:
        scan: scan of the roots.
        forgotten: forgotten files and folders.
        roots: absolute paths that the user named for this run.
        known: paths of the vault's files, which stay: an earlier run took them back.
    """
    if not forgotten:
        return scan
    named = frozenset(roots)

    def stays_out(path: str) -> bool:
        return path not in known and len(nearest(path, forgotten)) > len(nearest(path, named))

    files = [file for file in scan.files if not stays_out(file.path)]
    left_out = {file.path for file in scan.files} - {file.path for file in files}
    left_out |= {skip.path for skip in scan.skipped if stays_out(skip.path)}
    notices = [Skipped(path, FORGOTTEN, _way_back(path)) for path in left_out]
    others = [skip for skip in scan.skipped if skip.path not in left_out]
    return replace(
        scan, files=tuple(files), skipped=tuple(sorted((*others, *notices), key=lambda s: (s.path, s.reason)))
    )


def not_forgotten(store: Store, paths: Sequence[Path]) -> list[Path]:
    """Returns the paths that may be followed: those that were not forgotten, or that still have files in the vault.

    If the user names a forgotten path, its files are read again; following a path automatically never does this.

    Args:
        store: store of the vault.
        paths: absolute paths.
    """
    forgotten = ForgottenRows(store).paths()
    if not forgotten:
        return list(paths)
    known = FileRows(store).known()

    def is_left(path: str) -> bool:
        above = nearest(path, forgotten)
        return not above or (above != path and any(lies_in(file, path) for file in known))

    return [path for path in paths if is_left(str(path))]


def _way_back(path: str) -> str:
    return f"{path} was forgotten by you. Index it by its own path to take it back."


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files and paths that are to be forgotten."""

    paths: tuple[str, ...]
    """Absolute paths of files and folders."""
    file_ids: tuple[int, ...]
    """Ids of the vault's files at or below these paths."""


def chosen(store: Store, paths: Sequence[str]) -> Chosen:
    """Returns the vault's files at or below some absolute paths."""
    named = frozenset(paths)
    files = FileRows(store).known().values()
    return Chosen(tuple(paths), tuple(file.id for file in files if nearest(file.path, named)))


def check_known(store: Store, paths: Sequence[str], quoted: Collection[str] = ()) -> None:
    """Refuses paths at which there is nothing to forget.

    Args:
        store: store of the vault.
        paths: absolute paths. Each must be a file of the vault, one that could not be read or was forgotten before, or a
            folder that holds such files.
        quoted: other known paths: conversations quote what lay there.

    Raises:
        NotFound: a path is none of these, or was moved; the message names similar paths.
    """
    rows = FileRows(store)
    there = {*rows.known(), *(skip.path for skip in rows.skipped() if skip.is_error)}
    named = frozenset(paths)
    found = {nearest(one, named) for one in (*there, *quoted)}
    before = ForgottenRows(store).paths()
    for path in paths:
        moved = FormerPaths(store).moved_to(path)
        if moved and not any(lies_in(one, path) for one in there):
            raise NotFound(f"{path} was moved: it lies in {', '.join(moved)} now. Name that to forget it.")
        # Its files may be covered by a deeper path among those named.
        if path not in before and not any(lies_in(one, path) for one in found):
            raise _not_found(path, sorted(there))


def forget(store: Store, what: Chosen) -> int:
    """Removes files and folders with everything that was made from them, and records them as forgotten.

    This is one transaction. The next linking removes entities and keywords that no text mentions any more;
    `Store.clear_traces` removes the bytes that deleted rows leave in the file.

    Returns:
        Number of documents that were removed.
    """
    rows = FileRows(store)
    with store.transaction():
        documents = rows.remove(what.file_ids)
        rows.remove_skipped({*what.paths, *DrivePlaces(store).drop_unused()})
        BroughtRoots(store).drop_unused()
        ForgottenRows(store).put(what.paths)
        store.forget_traces()
        # Cached answers that no work item uses may quote what is removed now, or was deleted on disk before.
        LlmCache(store).sweep()
        _remove_facts(store)
        drop_forgetting(store)
    return documents


def _remove_facts(store: Store) -> None:
    """Removes facts about deleted attributes, since they hold names of entities."""
    _, keys, _ = GraphRows(store).nodes_of(NodeType.ATTRIBUTE)
    kept = {ATTRIBUTE_OF + key for key in keys}
    for name in [name for name in store.facts if name.startswith(ATTRIBUTE_OF) and name not in kept]:
        del store.facts[name]


def nameless(skipped: Skipped, root: str) -> Skipped:
    """Returns a note of a skipped file as it is stored: for a forgotten file, only that there is one below the root."""
    return Skipped(root, FORGOTTEN) if skipped.reason == FORGOTTEN else skipped


def _not_found(path: str, known: Sequence[str]) -> NotFound:
    name = os.path.basename(path)
    of_name: dict[str, list[str]] = {}
    for one in known:
        of_name.setdefault(os.path.basename(one), []).append(one)
    near = [one for match in get_close_matches(name, list(of_name), NAMES_TOLD) for one in of_name[match]][:NAMES_TOLD]
    hint = f"Did you mean: {', '.join(near)}?" if near else "'noderag show NAME' tells where a document lies."
    return NotFound(f"Nothing in this vault lies in {path}. {hint}")
