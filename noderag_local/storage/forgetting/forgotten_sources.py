"""Tells whether what an answer quotes was forgotten while the answer was made."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from noderag_local.domain.errors import VaultMissing
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.forgetting.forgotten import ForgottenRows
from noderag_local.storage.forgetting.traces import noted_forgetting
from noderag_local.system.paths import nearest


def has_forgotten(folder: Path, paths: Collection[str]) -> bool:
    """Returns whether a vault has forgotten one of some files, or is about to; False if there is no vault.

    Args:
        folder: folder of the vault.
        paths: absolute paths of files.

    Raises:
        StoreError: the vault cannot be read, so that nobody can know.
    """
    try:
        with Store.open(folder, write=False) as store:
            return _are_forgotten(store, paths)
    except VaultMissing:
        return False


def _are_forgotten(store: Store, paths: Collection[str]) -> bool:
    begun = noted_forgetting(store)
    going = begun.paths if begun else ()
    marks = ForgottenRows(store).paths()
    known = FileRows(store).known(sorted(paths)) if marks else {}
    return any(nearest(path, going) or (path not in known and nearest(path, marks)) for path in paths)
