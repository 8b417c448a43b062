"""A forgetting that has begun: noted down before anything goes, so that whoever comes next can finish it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from noderag_local.storage.database.fact_names import FORGETTING
from noderag_local.storage.database.store import Store


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Files that are to be forgotten, and whether conversations go with them."""

    paths: tuple[str, ...]
    """Files and folders, absolute."""
    conversations: bool
    """Whether those that quote them go, too."""


def note_forgetting(store: Store, forgetting: Forgetting) -> None:
    """Notes a forgetting; `drop_forgetting` belongs into the transaction that removes the files."""
    # Escaped to ASCII, since names of files need not be valid UTF-8.
    store.facts[FORGETTING] = json.dumps(asdict(forgetting))


def noted_forgetting(store: Store) -> Forgetting | None:
    """Returns the forgetting that has begun and not yet removed its files; None where there is none."""
    found = store.facts.get(FORGETTING)
    if found is None:
        return None
    fields = json.loads(found)
    return Forgetting(tuple(fields["paths"]), fields["conversations"])


def drop_forgetting(store: Store) -> None:
    """Removes the note once the files are removed; their traces have a mark of their own."""
    store.facts.pop(FORGETTING, None)
