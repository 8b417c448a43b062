"""The index file is only ever believed when it is whole; usearch is run in a child, for it may not survive a bad one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import unit_rows

from noderag_local.storage.vectors.hnsw import Hnsw, cache_fits

VECTORS = unit_rows(600, 16, seed=1).astype(np.float16)
QUERIES = unit_rows(20, 16, seed=2)

DAMAGE = """
import pathlib, random, sys
import numpy as np
from helpers.small_documents import unit_rows
from noderag_local.storage.vectors.hnsw import Hnsw
path = pathlib.Path(sys.argv[1])
vectors, queries = unit_rows(600, 16, seed=1).astype(np.float16), unit_rows(20, 16, seed=2)
expected = Hnsw.of(vectors, path).candidates(queries, 5)
whole = path.read_bytes()
chance = random.Random(7)
for _ in range(200):
    at = chance.randrange(len(whole))
    flipped = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1:]
    path.write_bytes(chance.choice([whole[:at], flipped]))
    assert (Hnsw.of(vectors, path).candidates(queries, 5) == expected).all()
    assert path.read_bytes() == whole
print("lived")
"""


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
        Hnsw.of(VECTORS, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_fitting_file_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.usearch"
    made = Hnsw.of(VECTORS, path).candidates(QUERIES, 5)
    os.utime(path, (1, 1))
    assert cache_fits(VECTORS, path)
    assert (Hnsw.of(VECTORS, path).candidates(QUERIES, 5) == made).all()
    assert path.stat().st_mtime == 1


def test_one_changed_vector_makes_another_index(tmp_path: Path) -> None:
    path = tmp_path / "x.usearch"
    Hnsw.of(VECTORS, path)
    changed = VECTORS.copy()
    changed[123] = QUERIES[0]
    assert not cache_fits(changed, path)
    assert 123 in Hnsw.of(changed, path).candidates(QUERIES[:1], 5)
    assert cache_fits(changed, path)


@pytest.mark.parametrize("cache", [None, Path("/no/such/folder/x.usearch")])
def test_it_works_in_memory_where_no_file_can_be(cache: Path | None) -> None:
    found = Hnsw.of(VECTORS, cache).candidates(VECTORS[:50].astype(np.float32), 5)
    assert all(row in line for row, line in enumerate(found))


def test_rows_are_found_by_their_numbers_in_whatever_order_they_came() -> None:
    index = Hnsw(16)
    order = np.random.default_rng(3).permutation(600)
    assert list(index.add(order, VECTORS))[-1] == 600
    found = index.candidates(VECTORS[:50].astype(np.float32), 5)
    assert all(row in line for row, line in enumerate(found))
