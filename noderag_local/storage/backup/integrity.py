"""Checks a vault, says what to do if a check fails, and rebuilds what can be made from other data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from noderag_local.domain.errors import VaultDamaged
from noderag_local.domain.graph import NodeType
from noderag_local.domain.progress import Finding
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fulltext import VOCABULARIES
from noderag_local.storage.snapshots.cache_file import remove_caches
from noderag_local.storage.snapshots.change_log import logged_from
from noderag_local.storage.snapshots.snapshot import FILE_NAME, origin, snapshot_fits
from noderag_local.storage.vectors.hnsw import cache_fits
from noderag_local.storage.vectors.unembedded import FAILED_TEXTS
from noderag_local.storage.vectors.vector_file import FILES, read_mapped
from noderag_local.storage.vectors.vector_index import HNSW_FILE

_SHOWN = 3
"""Maximal number of examples in a finding."""
_BACK = "Restore a backup: noderag restore. Without one, move vault.sqlite away and index your notes again."
_REBUILD = "Rebuild it: noderag doctor --repair."
_DERIVE_ANEW = "Make them again: noderag enrich --drop all, then noderag enrich; no call to the model is repeated."
_GO_ON = "Run noderag index PATH again; it continues where it stopped."


@dataclass(frozen=True, slots=True)
class _Check:
    what: str
    problems: str
    """A query that returns one row for each problem; the first column identifies the affected row."""
    remedy: str


_CHECKS = (
    _Check("file", "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'", _BACK),
    _Check("references", "SELECT \"table\" || ' ' || rowid FROM pragma_foreign_key_check", _BACK),
    _Check(
        "full-text index",
        # A damaged index raises an error when all of its words are read.
        "SELECT 'chunk ' || id FROM (SELECT id FROM chunks EXCEPT SELECT id FROM chunk_words_docsize)"
        " UNION ALL SELECT 'word of chunk ' || doc FROM"
        "  (SELECT DISTINCT doc FROM temp.words_of_chunks WHERE doc NOT IN (SELECT id FROM chunks))"
        " UNION ALL SELECT 'word of entity ' || doc FROM"
        "  (SELECT DISTINCT doc FROM temp.words_of_entities WHERE doc NOT IN (SELECT id FROM entities))",
        _REBUILD,
    ),
    _Check(
        "edges",
        "SELECT type || ' ' || source || ' ' || target FROM edges"
        " WHERE source NOT IN (SELECT id FROM nodes) OR target NOT IN (SELECT id FROM nodes)",
        "Run noderag index PATH again; it makes the edges again.",
    ),
    _Check(
        "embeddings",
        "SELECT 'missing: ' || id FROM (SELECT id FROM nodes WHERE type IN ('T', 'X') EXCEPT SELECT node_id FROM embeddings"
        f"  EXCEPT SELECT node_id FROM work_items WHERE stage = '{FAILED_TEXTS}')"
        " UNION ALL SELECT 'left over: ' || node_id FROM"
        "  (SELECT node_id FROM embeddings EXCEPT SELECT id FROM nodes WHERE type IN ('T', 'X', 'S', 'A', 'H', 'R', 'G', 'P', 'W'))",
        _GO_ON,
    ),
    _Check(
        "derived nodes",
        "SELECT type || ' ' || id || ' was made of no chunk' FROM nodes"
        " WHERE type IN ('S', 'R') AND id NOT IN (SELECT node_id FROM fragments)"
        " UNION ALL SELECT 'A ' || id || ' describes no entity' FROM nodes"
        " WHERE type = 'A' AND id NOT IN (SELECT source FROM edges WHERE type = 'd')"
        " UNION ALL SELECT type || ' ' || id || ' is of nothing' FROM nodes"
        " WHERE type IN ('P', 'W') AND id NOT IN (SELECT source FROM edges WHERE type = 'f')",
        _DERIVE_ANEW,
    ),
    _Check("files", "SELECT path FROM files WHERE NOT complete", _GO_ON),
)


def integrity(store: Store) -> list[Finding]:
    """Checks the vault's file, references, indexes and caches, and changes nothing."""
    return [*(_finding(store, check) for check in _CHECKS), *_caches(store)]


def _finding(store: Store, check: _Check) -> Finding:
    try:
        store.make_temporary(VOCABULARIES)
        problems = [str(row[0]) for row in store.rows(check.problems)]
    except VaultDamaged as error:
        problems = [str(error)]
    if not problems:
        return Finding(check.what, True, "in order")
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return Finding(check.what, False, "; ".join(problems[:_SHOWN]) + more, check.remedy)


def _caches(store: Store) -> Iterator[Finding]:
    """Yields a finding for each cache; none counts as an error, since a missing cache only makes a search slower."""
    yield cache_finding(store.folder / FILE_NAME, lambda: snapshot_fits(store))
    for kind, name in FILES.items():
        if (store.folder / name).exists():
            yield cache_finding(store.folder / name, partial(_vectors_fit, store, kind))
    if (store.folder / HNSW_FILE).exists():
        yield cache_finding(store.folder / HNSW_FILE, lambda: _hnsw_fits(store))


def _vectors_fit(store: Store, kind: NodeType) -> bool:
    return read_mapped(store, kind) is not None


def _hnsw_fits(store: Store) -> bool:
    path, since = store.folder / HNSW_FILE, logged_from(store)
    return cache_fits(path, origin(store.stamp)) or (since is not None and cache_fits(path, origin(since)))


def cache_finding(path: Path, fits: Callable[[], bool]) -> Finding:
    """Returns what a check of a cache has found.

    Args:
        path: path of the cache; it need not exist.
        fits: called if it exists; returns whether it is undamaged and can be used for the vault's present state.
    """
    if not path.exists():
        state = "not made yet; the next search makes it"
    elif fits():
        state = "fits the vault"
    else:
        state = "outdated or damaged; the next search makes it again"
    return Finding(f"cache {path.name}", True, state)


REPAIRED = ("full-text indexes", "SQLite's own indexes", "caches")
"""Description of what `repair` rebuilds."""


def repair(store: Store) -> None:
    """Rebuilds all indexes from the rows and removes the caches, which the next search makes again.

    Raises:
        VaultDamaged: the rows themselves are damaged; nothing was changed.
    """
    with store.transaction():
        store.touch()
        for index in ("chunk_words", "entity_names"):
            store.run(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
        store.run("REINDEX")
    remove_caches(store.folder)
    store.checkpoint()
