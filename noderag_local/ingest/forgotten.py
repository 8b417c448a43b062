"""What the user has taken out of the vault: gone with all that was made of it, and left out until it is named itself."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches

from noderag_local.errors import NotFound
from noderag_local.ingest.scan import Scan
from noderag_local.paths import lies_in
from noderag_local.records import Skipped
from noderag_local.store.database import Store
from noderag_local.store.files import FileRows
from noderag_local.store.forgotten import ForgottenRows
from noderag_local.store.llm_cache import LlmCache

FORGOTTEN = "forgotten by you"
NAMES_TOLD = 3


def without_forgotten(scan: Scan, forgotten: Collection[str], roots: Sequence[str], known: Collection[str]) -> Scan:
    """A scan that leaves out what was forgotten.

    A forgotten folder stands for all that lies in it. What is nearer to a file counts: a root of this run that lies in a
    forgotten folder, or is it, takes the file back.

    Args:
        forgotten: files and folders, absolute.
        roots: that the user named for this run, absolute.
        known: files of the vault, which stay: they were taken back by an earlier run.
    """
    if not forgotten:
        return scan
    named = frozenset(forgotten), frozenset(roots)
    left_out = {
        file.path
        for file in scan.files
        if file.path not in known and _nearest(file.path, named[0]) > _nearest(file.path, named[1])
    }
    told = [Skipped(path, FORGOTTEN, _way_back(path)) for path in left_out]
    skipped = sorted((*scan.skipped, *told), key=lambda skip: (skip.path, skip.reason))
    return replace(scan, files=tuple(f for f in scan.files if f.path not in left_out), skipped=tuple(skipped))


def _nearest(path: str, folders: Collection[str]) -> int:
    """Length of the longest of the folders that hold a path, or are it; −1 where none does."""
    while path not in folders:
        above = os.path.dirname(path)
        if above == path:
            return -1
        path = above
    return len(path)


def _way_back(path: str) -> str:
    return f"{path} was forgotten by you. Index it by its own path to take it back."


def forget(store: Store, paths: Sequence[str]) -> tuple[int, int]:
    """Removes files and folders with everything that was made of them, and notes them down as forgotten.

    All in one transaction. Entities and keywords that nothing names any more are left to the next linking.

    Args:
        paths: absolute; each is a file of the vault or one that could not be read, or a folder that holds some.

    Returns:
        How many files and documents that were.

    Raises:
        NotFound: the vault has nothing at one of the paths; names what comes near. Nothing is removed then.
    """
    rows = FileRows(store)
    files = rows.known()
    failed = {skip.path for skip in rows.skipped() if skip.is_error}
    for path in paths:
        if not any(lies_in(one, path) for one in (*files, *failed)):
            raise _not_found(path, sorted({*files, *failed}))
    gone = [file.id for file in files.values() if any(lies_in(file.path, path) for path in paths)]
    with store.transaction():
        documents = rows.remove(gone)
        rows.remove_skipped(paths)
        ForgottenRows(store).put(paths)
        if documents:
            # Answers that no work item stands on may tell of what is gone.
            LlmCache(store).sweep()
    return len(gone), documents


def _not_found(path: str, known: Sequence[str]) -> NotFound:
    name = os.path.basename(path)
    of_name: dict[str, list[str]] = {}
    for one in known:
        of_name.setdefault(os.path.basename(one), []).append(one)
    near = [one for match in get_close_matches(name, list(of_name), NAMES_TOLD) for one in of_name[match]][:NAMES_TOLD]
    hint = f"Did you mean: {', '.join(near)}?" if near else "'noderag show NAME' tells where a document lies."
    return NotFound(f"Nothing in this vault lies in {path}. {hint}")
