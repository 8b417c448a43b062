"""The index file is only ever believed when it is whole; usearch is run in a child, for it may not survive a bad one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from helpers.small_documents import unit_rows

from noderag_local.storage.vectors.hnsw import NOTHING, Hnsw, cache_fits

VECTORS = unit_rows(600, 16, seed=1).astype(np.float16)
QUERIES = unit_rows(20, 16, seed=2)
IDS = np.arange(600) * 3 + 7
ORIGIN = bytes(range(32))

DAMAGE = """
import pathlib, random, sys
import numpy as np
sys.path.insert(0, "storage")
from test_hnsw import ORIGIN, QUERIES, made
from noderag_local.storage.vectors.hnsw import Hnsw
path = pathlib.Path(sys.argv[1])
made().save(path, ORIGIN)
expected = made().candidates(QUERIES, 5)
whole = path.read_bytes()
chance = random.Random(7)
for _ in range(200):
    at = chance.randrange(len(whole))
    flipped = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1:]
    path.write_bytes(chance.choice([whole[:at], flipped]))
    assert Hnsw.saved(16, path, ORIGIN) is None
path.write_bytes(whole)
assert (Hnsw.saved(16, path, ORIGIN).candidates(QUERIES, 5) == expected).all()
print("lived")
"""


def made() -> Hnsw:
    index = Hnsw(16)
    assert list(index.add(IDS, VECTORS))[-1] == 600
    return index


def test_damage_neither_kills_nor_misleads(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DAMAGE, tmp_path / "x.usearch"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "lived\n"), done.stderr


def test_the_same_vectors_make_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        made().save(tmp_path / name, ORIGIN)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_file_of_another_state_is_not_used(tmp_path: Path) -> None:
    made().save(tmp_path / "x.usearch", ORIGIN)
    assert cache_fits(tmp_path / "x.usearch", ORIGIN)
    assert not cache_fits(tmp_path / "x.usearch", bytes(32))
    assert Hnsw.saved(16, tmp_path / "x.usearch", bytes(32)) is None


def test_vectors_are_found_by_their_ids_in_whatever_order_they_came() -> None:
    index, order = Hnsw(16), np.random.default_rng(3).permutation(600)
    assert list(index.add(IDS[order], VECTORS[order]))[-1] == 600
    found = index.candidates(VECTORS[:50].astype(np.float32), 5)
    assert all(number in line for number, line in zip(IDS[:50], found, strict=True))


def test_one_that_was_read_follows_changes_and_its_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.usearch"
    made().save(path, ORIGIN)
    before = path.read_bytes()
    index = Hnsw.saved(16, path, ORIGIN)
    assert index is not None
    index.remove(np.array([IDS[0], IDS[5], 1]))
    assert list(index.add(np.array([1]), QUERIES[:1])) == [1]
    assert len(index) == 599
    assert index.candidates(QUERIES[:1], 3)[0, 0] == 1
    assert IDS[5] not in index.candidates(VECTORS[5:6].astype(np.float32), 599)
    assert path.read_bytes() == before


def test_fewer_than_asked_for_are_padded() -> None:
    index = Hnsw(16)
    assert list(index.add(IDS[:2], VECTORS[:2])) == [2]
    for queries in (QUERIES[:1], QUERIES[:3]):
        found = index.candidates(queries, 4)
        assert sorted(found[0, :2]) == [7, 10]
        assert (found[:, 2:] == NOTHING).all()


def test_its_file_begins_with_the_vectors(tmp_path: Path) -> None:
    vectors = np.random.default_rng(5).standard_normal((50, 16)).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    index = Hnsw(16)
    for _ in index.add(np.arange(50) * 3, vectors):
        pass
    assert not len(index.matrix), "it has no file yet"
    written = index.save(tmp_path / "x.usearch", ORIGIN)
    assert written.tolist() == vectors.tolist()
    read = Hnsw.saved(16, tmp_path / "x.usearch", ORIGIN)
    assert read is not None
    assert read.matrix.tolist() == vectors.tolist()
