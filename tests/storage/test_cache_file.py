from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from noderag_local.domain.errors import StoreError
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.cache_file import (
    HEADER_BYTES,
    caches,
    overwritten_caches,
    read_payload,
    remove_caches,
    remove_unfinished,
    write_payload,
)

KIND, ORIGIN = b"NRTEST01", bytes(range(32))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    assert read_payload(path, KIND, ORIGIN) is None
    assert write_payload(path, KIND, ORIGIN, b"payload")
    assert read_payload(path, KIND, ORIGIN) == b"payload"
    assert write_payload(path, KIND, ORIGIN, b"")
    assert read_payload(path, KIND, ORIGIN) == b""
    assert [found.name for found in tmp_path.iterdir()] == ["cache"]


def test_another_kind_or_origin_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    write_payload(path, KIND, ORIGIN, b"payload")
    assert read_payload(path, b"NRTEST02", ORIGIN) is None
    assert read_payload(path, KIND, bytes(32)) is None


def test_every_cut_and_every_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    write_payload(path, KIND, ORIGIN, b"payload")
    whole = path.read_bytes()
    assert len(whole) == HEADER_BYTES + 7
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert read_payload(path, KIND, ORIGIN) is None
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        assert read_payload(path, KIND, ORIGIN) is None
    path.write_bytes(whole + b"x")
    assert read_payload(path, KIND, ORIGIN) is None


def test_a_folder_that_cannot_be_written_is_no_error(
    open_folder: Path, as_plain_user: Callable[[], AbstractContextManager[None]]
) -> None:
    open_folder.chmod(0o555)
    with as_plain_user():
        assert not write_payload(open_folder / "cache", KIND, ORIGIN, b"payload")


def test_what_a_killed_process_left_is_cleared_away_by_the_next_writer(tmp_path: Path) -> None:
    (tmp_path / "snapshot.arrays.123.part").write_bytes(b"half")
    (tmp_path / "my.part.md").write_bytes(b"a note")
    remove_unfinished(tmp_path)
    assert [found.name for found in tmp_path.iterdir()] == ["my.part.md"]
    (tmp_path / "snapshot.arrays.124.part").write_bytes(b"half")
    Store.open(tmp_path, write=True).close()
    assert not (tmp_path / "snapshot.arrays.124.part").exists()


def test_it_is_overwritten_and_what_is_somebody_s_own_stays(tmp_path: Path) -> None:
    (tmp_path / "vault.sqlite.converted.part").write_bytes(b"half")
    os.link(tmp_path / "vault.sqlite.converted.part", tmp_path / "second name")
    (tmp_path / "film.mkv.part").write_bytes(b"mine")
    remove_unfinished(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "second name": bytes(4),
        "film.mkv.part": b"mine",
    }


@pytest.fixture
def two_caches(tmp_path: Path) -> Path:
    """A folder with two caches, and second names of their files beside it."""
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in ("snapshot.arrays", "sentences.usearch"):
        assert write_payload(folder / name, KIND, ORIGIN, b"forgotten")
        os.link(folder / name, tmp_path / name)
    return folder


def are_overwritten(folder: Path) -> bool:
    return all(not path.read_bytes().strip(b"\0") for path in folder.iterdir() if path.is_file())


def test_caches_are_read_until_new_ones_are_made_and_then_overwritten(two_caches: Path) -> None:
    snapshot = two_caches / "snapshot.arrays"
    with overwritten_caches(two_caches):
        old = read_payload(snapshot, KIND, ORIGIN)
        assert old is not None
        assert write_payload(snapshot, KIND, ORIGIN, b"kept", old[:0])
        assert bytes(old) == b"forgotten"
    assert [path.name for path in two_caches.iterdir()] == ["snapshot.arrays"], "the other was not made anew"
    assert read_payload(snapshot, KIND, ORIGIN) == b"kept"
    assert are_overwritten(two_caches.parent)


def test_where_new_caches_cannot_be_made_the_old_ones_go_all_the_same(two_caches: Path) -> None:
    with pytest.raises(ZeroDivisionError), overwritten_caches(two_caches):
        raise ZeroDivisionError
    assert list(two_caches.iterdir()) == []
    assert are_overwritten(two_caches.parent)


def test_on_a_file_system_without_second_names_caches_go_at_once(
    two_caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted", str(target))

    monkeypatch.setattr(os, "link", refused)
    with overwritten_caches(two_caches):
        assert caches(two_caches) == []
        assert write_payload(two_caches / "snapshot.arrays", KIND, ORIGIN, b"kept")
    assert [path.name for path in two_caches.iterdir()] == ["snapshot.arrays"]
    assert are_overwritten(two_caches.parent)


def test_what_was_to_be_overwritten_when_the_process_was_killed_goes_with_the_next_writer(two_caches: Path) -> None:
    block = overwritten_caches(two_caches)
    block.__enter__()
    assert any(path.suffix == ".part" for path in two_caches.iterdir())
    remove_unfinished(two_caches)
    assert {path.name for path in two_caches.iterdir()} == {"snapshot.arrays", "sentences.usearch"}
    assert are_overwritten(two_caches.parent)


def test_a_cache_that_cannot_be_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / "vault.arrays").mkdir()
    with pytest.raises(StoreError, match=r"vault\.arrays"):
        remove_caches(tmp_path)
