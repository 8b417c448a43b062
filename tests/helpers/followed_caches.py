"""Notes that change at random, and the arrays of a search over them compared with those that are made anew."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from noderag_local.domain.graph import NodeType
from noderag_local.models.llm.engine import Request
from noderag_local.retrieval.search_arrays import SearchArrays, read_search_arrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.cache_file import remove_caches
from noderag_local.storage.vectors.vector_index import VectorIndex

NAMES = (
    "Ada Quimby",
    "Ben Okafor",
    "Cleo Marsh",
    "Dr. Cleo Marsh",
    "Dora Lindt",
    "NASA",
    "Paris",
    "Emil Brandt",
    "2014",
)
_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*|boat")
VERBS = ("met", "paid 40 euros to", "wrote yesterday to", "lives with", "(NASA) knows", "sold the boat of")


def text(chance: random.Random, names: list[str]) -> str:
    said = [
        f"{chance.choice(names)} {chance.choice(VERBS)} {chance.choice(names)}." for _ in range(chance.randint(1, 5))
    ]
    link = f" See [[{chance.randrange(30)}]]." if chance.random() < 0.3 else ""
    return f"# Note {chance.randrange(99)}\n\n{' '.join(said)}{link}\n"


def change(notes: Path, chance: random.Random, names: list[str]) -> None:
    """Adds, edits, renames or removes a note; now and then with a name that no note has."""
    if chance.random() < 0.4:
        names.append(f"{chance.choice(('Ida', 'Uwe', 'Ole'))} {chance.choice(('Quist', 'Marsh', 'Tarn'))}{len(names)}")
    one, what = chance.choice(sorted(notes.iterdir())), chance.choice(("add", "edit", "edit", "rename", "remove"))
    if what == "rename":
        one.rename(notes / f"2021-03-{chance.randrange(10, 29)} {chance.randrange(10**6)}.md")
    elif what == "remove":
        one.unlink()
    else:
        place = one if what == "edit" else notes / f"{chance.randrange(10**6)}.md"
        place.write_text(text(chance, names), encoding="utf-8")


def said(request: Request) -> str:
    """What a model could say: statements of the names in each sentence, and of the boat, which no rule takes for a name."""
    asked = request.messages[-1].content
    lines = [
        f"{number} {one} | with | {other}"
        for number, sentence in _NUMBERED.findall(asked)
        for one, other in pairwise(_NAME.findall(sentence))
    ]
    return "\n".join(lines) or asked[-300:]


def arrays(store: Store) -> SearchArrays:
    kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
    return read_search_arrays(store, *(VectorIndex.open(store, kind) for kind in kinds))


def assert_same(found: SearchArrays, anew: SearchArrays) -> None:
    """Compares all rows of what is there; what is gone has rows in `found` to which nothing leads."""
    rows = np.searchsorted(found.sentences, anew.sentences)
    entities, documents = (
        np.searchsorted(mine, its) for mine, its in ((found.entities, anew.entities), (found.documents, anew.documents))
    )
    assert found.sentences[rows].tolist() == anew.sentences.tolist()
    assert found.entities[entities].tolist() == anew.entities.tolist()
    for name in ("tokens", "positions", "has_date", "has_number", "name_share"):
        assert getattr(found, name)[rows].tolist() == getattr(anew, name).tolist(), name
    for name in ("named_counts", "is_named", "frequencies", "entity_kinds"):
        assert getattr(found, name)[entities].tolist() == getattr(anew, name).tolist(), name
    assert found.chunks[found.chunk_of[rows]].tolist() == anew.chunks[anew.chunk_of].tolist()
    for row, its in zip(rows.tolist(), range(len(anew.sentences)), strict=True):
        mine = found.entities[found.entities_of(row)]
        assert mine.tolist() == anew.entities[anew.entities_of(its)].tolist()
    for row, its in zip(entities.tolist(), range(len(anew.entities)), strict=True):
        mine = found.sentences[found.sentences_naming(row)]
        assert mine.tolist() == anew.sentences[anew.sentences_naming(its)].tolist()
    assert found.relationships.tolist() == anew.relationships.tolist()
    assert found.relationship_index.ids.tolist() == anew.relationship_index.ids.tolist()
    for row, its in zip(rows.tolist(), range(len(anew.sentences)), strict=True):
        assert sorted(found.stated[row].indices.tolist()) == sorted(anew.stated[its].indices.tolist())
    assert int(found.stated.nnz) == int(anew.stated.nnz)
    for name, ids in (("same", "entities"), ("linked", "documents")):
        mine, its = (
            sorted(zip(*(getattr(one, ids)[ends].tolist() for ends in getattr(one, name)[:2]), strict=True))
            for one in (found, anew)
        )
        assert mine == its, name
    n, e = len(anew.sentences), len(anew.entities)
    places = np.concatenate(
        [rows, entities + len(found.sentences), documents + len(found.sentences) + len(found.entities)]
    )
    mass, wide = np.linspace(0.1, 1, anew.nodes, dtype=np.float32), np.zeros(found.nodes, np.float32)
    wide[places] = mass
    spread = found.spread(wide, found.nodes)
    assert spread[places] == pytest.approx(anew.spread(mass, anew.nodes), abs=1e-4)
    spread[places] = 0
    assert not spread.any(), "nothing leads to what is gone"
    assert (n, e) == anew.mentions.shape
    assert found.chunk_index.ids.tolist() == anew.chunk_index.ids.tolist()
    assert found.chunk_index.vectors.tolist() == anew.chunk_index.vectors.tolist()
    assert found.sentence_index.of(anew.sentences).tolist() == anew.sentence_index.of(anew.sentences).tolist()
    assert found.sentence_index.ids.tolist() == anew.sentence_index.ids.tolist()
    assert found.sentence_index.vectors.tolist() == anew.sentence_index.vectors.tolist()


def copied(vault: Path, target: Path) -> Path:
    """Copies a vault without its caches; the copy is closed properly, so it needs no log of SQLite."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    with (
        closing(sqlite3.connect(vault / "vault.sqlite")) as source,
        closing(sqlite3.connect(target / "vault.sqlite")) as to,
    ):
        source.backup(to)
    remove_caches(target)
    return target
