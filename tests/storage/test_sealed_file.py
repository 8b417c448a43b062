"""Derived files of an encrypted vault come out as they went in, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from noderag_local.storage.encryption.key_file import KeyFile
from noderag_local.storage.encryption.sealed_file import read_content, writing_content
from noderag_local.storage.encryption.sealed_pieces import PIECE_BYTES
from noderag_local.storage.encryption.vault_key import VaultKey, give
from noderag_local.storage.snapshots.cache_file import read_payload, write_payload

KEY = VaultKey.new()
ORIGIN = hashlib.sha256(b"origin").digest()
SECRET = b"Quirin hides the ledger under the stairs."


def written(path: Path, content: bytes, key: VaultKey | None) -> bytes:
    with path.open("wb") as file, writing_content(file, key) as target:
        target.write(content)
    return path.read_bytes()


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES, 2 * PIECE_BYTES + 7])
def test_it_comes_out_as_it_went_in(tmp_path: Path, size: int) -> None:
    content = (SECRET * (size // len(SECRET) + 1))[:size]
    sealed = written(tmp_path / "a", content, KEY)
    assert read_content(tmp_path / "a", KEY) == content
    assert SECRET[:20] not in sealed


def test_without_a_key_it_is_the_content_itself(tmp_path: Path) -> None:
    assert written(tmp_path / "a", SECRET, None) == SECRET
    assert read_content(tmp_path / "a", None) == SECRET


def test_the_same_content_is_never_the_same_file(tmp_path: Path) -> None:
    assert written(tmp_path / "a", SECRET, KEY) != written(tmp_path / "b", SECRET, KEY)


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    written(tmp_path / "a", SECRET, KEY)
    with pytest.raises(ValueError):
        read_content(tmp_path / "a", VaultKey.new())


@settings(deadline=None, max_examples=25)
@drawn(st.data())
def test_a_changed_bit_or_a_cut_is_noticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "sealed"
    whole = written(path, SECRET, KEY)
    at = data.draw(st.integers(0, len(whole) - 1))
    for damaged in (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole[:at]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError):
            read_content(path, KEY)


def test_a_cache_of_an_encrypted_vault_is_sealed_and_one_that_is_not_is_not_believed(tmp_path: Path) -> None:
    cache = tmp_path / "snapshot.arrays"
    assert write_payload(cache, b"KIND0001", ORIGIN, SECRET)
    KeyFile.of(KEY).write(tmp_path)
    give(KEY)
    assert read_payload(cache, b"KIND0001", ORIGIN) is None
    assert write_payload(cache, b"KIND0001", ORIGIN, SECRET)
    assert bytes(read_payload(cache, b"KIND0001", ORIGIN) or b"") == SECRET
    stored = cache.read_bytes()
    assert SECRET not in stored and ORIGIN not in stored and hashlib.sha256(SECRET).digest() not in stored
    cache.write_bytes(stored[:-1] + bytes([stored[-1] ^ 1]))
    assert read_payload(cache, b"KIND0001", ORIGIN) is None
