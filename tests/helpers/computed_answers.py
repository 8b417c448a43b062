"""Computes answers from a few notes, as the vault does before it asks a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from helpers.note_files import written_notes
from noderag_local.aggregation.compute import computed
from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.entries import Entries
from noderag_local.config import load_settings
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.vault import Vault


def indexed(folder: Path, notes: Mapping[str, str]) -> Path:
    """Indexes notes, by their paths, without a language model; returns the folder of the vault."""
    with Vault(folder / "vault", load_settings(models_dir=folder / "no-models")) as made:
        made.index([written_notes(folder / "notes", notes)])
    return folder / "vault"


@contextmanager
def computing(vault: Path, today: date) -> Iterator[Callable[[str], Computed | None]]:
    """Yields a function that computes the answer to a question asked today; None where it has to be read."""
    with Store.open(vault, write=False) as store:
        words = Snapshot.open(store).words
        yield lambda question: computed(question, Entries(store, words), today)
