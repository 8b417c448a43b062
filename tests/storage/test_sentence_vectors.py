"""Vectors that stay in memory between two runs are those of the store, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import add, document

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vectors import VectorRows

A = document("/notes/a.md", ["Ada wrote to Bob.", "It was late."], title="Letters")
B = document("/notes/b.md", ["Carol sang."])


def embed(store: Store, seed: int) -> None:
    """Vectors for all chunks and sentences."""
    rows = store.rows("SELECT id FROM chunks UNION SELECT id FROM sentences")
    vectors = np.random.default_rng(seed).normal(size=(len(rows), 4))
    VectorRows(store).put([number for (number,) in rows], vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store.open(tmp_path, write=True) as store:
        add(store, A, B)
        embed(store, 0)
    return tmp_path


def are_those_of(vectors: SentenceVectors, store: Store) -> bool:
    ids, rows = VectorRows(store).matrix(NodeType.SENTENCE)
    return vectors.ids.tolist() == ids.tolist() and bool((vectors.rows == rows).all())


def run(folder: Path, vectors: SentenceVectors, change: str) -> bool:
    """Whether, after a change in a run, they are what the store has."""
    with Store.open(folder, write=True) as store:
        vectors.follow(store)
        first, *_ = [number for (number,) in store.rows("SELECT id FROM documents ORDER BY id")]
        if change in ("add", "replace"):
            add(store, document("/notes/c.md", ["Cora sings.", "She left."]))
        if change in ("remove", "replace"):
            DocumentRows(store).remove([first])
        if change in ("embed anew", "add", "replace"):
            embed(store, 1)
        vectors.read(store)
        vectors.keep(store)
        return are_those_of(vectors, store)


@pytest.mark.parametrize("change", ["none", "add", "remove", "replace", "embed anew"])
def test_they_follow_the_changes_of_a_run(folder: Path, change: str) -> None:
    vectors = SentenceVectors()
    assert run(folder, vectors, "none")
    assert run(folder, vectors, change)
    assert run(folder, vectors, "none")


def test_what_another_program_wrote_in_between_is_seen(folder: Path) -> None:
    vectors = SentenceVectors()
    assert run(folder, vectors, "none")
    assert run(folder, SentenceVectors(), "replace")
    assert run(folder, vectors, "none")


def test_vectors_that_moved_after_they_were_read_are_not_kept(folder: Path) -> None:
    vectors = SentenceVectors()
    run(folder, vectors, "none")
    with Store.open(folder, write=True) as store:
        vectors.follow(store)
        vectors.read(store)
        embed(store, 2)
        vectors.keep(store)
    assert run(folder, vectors, "none")
