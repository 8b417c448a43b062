"""Whoever changes what a stage makes must raise its version, so that vaults of before do exactly that work again.

The readers of formats have the same guard in tests/ingest/test_reading_version.py.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from helpers.changing_notes import index

from noderag_local.domain.graph import EdgeType
from noderag_local.extraction import instant_graph
from noderag_local.extraction.same_names import merging, name_variants
from noderag_local.graph.vectors import semantic_edges
from noderag_local.graph.vectors.semantic_edges import EXACTLY, build_semantic_edges
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.fact_names import CONNECTED_BY, MERGED_BY, READ_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.edge_letters import LETTERS
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vectors import VectorRows

NOTES = Path(__file__).parents[1] / "data" / "suite"
NAMES = (
    "Dr. Annegret Krause wrote. Annegret Krause is here. The World Health Organization (WHO) met. WHO said no. Université de"
    " Genève and Universite de Geneve. Jean-Luc Picard came. Jean Luc Picard left.\n"
)
BY_RULE = (EdgeType.MENTION, EdgeType.SUBJECT, EdgeType.KEYWORD, EdgeType.ALIAS, EdgeType.LINK)
OUTPUTS = {
    "reading by rule": (instant_graph, "RULES", "6", "34b19f87d0c6"),
    "merging names": (name_variants, "RULES", "7", "172344b91cf1"),
}
"""Stage -> module and name of its version, the version, and a hash of what it makes of the sample notes."""
CONNECTED = ("exactly", "c919ea17cf05")
"""Version of connecting, EXACTLY in graph/vectors/semantic_edges.py, and a hash of the edges of fixed vectors."""


def hashed(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


def labels(store: Store) -> dict[int, str]:
    """What each node is, whatever its number."""
    return {
        **{number: f"{kind} {key}" for number, kind, key in store.rows("SELECT id, type, key FROM nodes")},
        **dict(store.rows("SELECT id, text FROM sentences")),
        **dict(store.rows("SELECT id, title FROM documents")),
    }


def made_by_rule(store: Store) -> list[str]:
    names = labels(store)
    letters = {LETTERS[kind] for kind in BY_RULE}
    rows = store.rows("SELECT type, source, target, round(weight, 4) FROM edges")
    return [
        f"{kind} {names[source]} {names[target]} {weight}" for kind, source, target, weight in rows if kind in letters
    ]


def merged(store: Store) -> list[str]:
    names = labels(store)
    return [f"{names[one]} {names[into]}" for one, into in store.rows("SELECT node_id, into_id FROM merged_names")]


def test_what_the_rules_make_changes_only_with_their_version(tmp_path: Path) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        names = tmp_path / "names.md"
        names.write_text(NAMES, encoding="utf-8")
        index(store, names, *(NOTES / name / "notes" for name in ("person", "diary", "conversations")))
        assert len(merged(store)) == 7
        found = {"reading by rule": hashed(made_by_rule(store)), "merging names": hashed(merged(store))}
    for stage, (module, name, version, expected) in OUTPUTS.items():
        assert (getattr(module, name), found[stage]) == (version, expected), (
            f"{stage} makes something else of the sample notes, or has another version. Raise {name} in {module.__name__}"
            f" if it makes something else, and note both here: {getattr(module, name)!r}, {found[stage]!r}"
        )


def test_what_connecting_makes_changes_only_with_its_version(tmp_path: Path) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, NOTES / "person" / "notes")
        ids = TextRows(store).sentence_table().ids
        chance = np.random.default_rng(7)
        vectors = chance.normal(size=(len(ids), 24)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        with store.transaction():
            store.run("DELETE FROM semantic_reach")
            GraphRows(store).replace_edges(EdgeType.SEMANTIC, [], [], [])
            VectorRows(store).put(ids.tolist(), vectors)
            build_semantic_edges(store, SentenceVectors(), lambda *_: None, lambda *_: None)
        sources, targets, _ = GraphRows(store).edges(EdgeType.SEMANTIC)
        rows = np.searchsorted(ids, sources), np.searchsorted(ids, targets)
        found = hashed([f"{one} {other}" for one, other in zip(*map(np.ndarray.tolist, rows), strict=True)])
    assert (EXACTLY, found) == CONNECTED, (
        "Connecting makes other edges, or has another version. Change the words of EXACTLY and BY_HNSW in"
        f" graph/vectors/semantic_edges.py if it makes others, and note both here: {EXACTLY!r}, {found!r}"
    )


@pytest.mark.parametrize(
    ("module", "version", "fact"),
    [
        (instant_graph, "RULES", READ_BY),
        (merging, "RULES", MERGED_BY),
        (semantic_edges, "EXACTLY", CONNECTED_BY),
    ],
)
def test_another_version_makes_the_work_again_though_no_text_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, version: str, fact: str
) -> None:
    notes = NOTES / "person" / "notes"
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        before = digest(store)
        monkeypatch.setattr(module, version, "another")
        assert index(store, notes).read_again == 0
        assert store.facts[fact] == "another"
        assert digest(store) == before
