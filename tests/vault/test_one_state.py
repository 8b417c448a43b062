"""Whatever a writer commits meanwhile, one search reads one state of the vault."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import add, document

from noderag_local.config import Settings
from noderag_local.domain.errors import VaultChanged
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.array_file import Arrays, read_arrays, write_arrays
from noderag_local.storage.snapshots.cache_file import remove_caches
from noderag_local.vault.one_state import FURTHER_TRIES, OneState
from noderag_local.vault.reader import Reader

CONTENT = "SELECT count(*) FROM sentences"


class Opening:
    """Opens a vault as `Vault` does, and counts how often."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        self.opened, self.reader = 0, None

    def read(self) -> Reader:
        if self.reader is None or self.reader.is_stale():
            self.close()
            self.reader, self.opened = Reader(Store.open(self.folder, write=False), self.settings), self.opened + 1
        return self.reader

    def close(self) -> None:
        if self.reader is not None:
            self.reader.store.close()
            self.reader = None


@pytest.fixture
def opening(tmp_path: Path, settings: Settings) -> Opening:
    with Store.open(tmp_path, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
    return Opening(tmp_path, settings)


def test_a_commit_in_the_middle_is_not_seen_before_the_next_call(opening: Opening) -> None:
    in_one_state = OneState(opening.read, opening.close)

    def count_twice(reader: Reader) -> tuple[int, int]:
        first = reader.store.value(CONTENT)
        with Store.open(opening.folder, write=True) as writer:
            add(writer, document("/notes/b.md", ["Bob read."]))
        return first, in_one_state(lambda inner: inner.store.value(CONTENT))

    assert in_one_state(count_twice) == (1, 1)
    assert in_one_state(lambda reader: reader.store.value(CONTENT)) == 2
    opening.close()


def test_a_commit_between_opening_and_reading_opens_the_vault_again(opening: Opening) -> None:
    commits = iter(["Bob read."])

    def opened_just_before_a_commit() -> Reader:
        reader = opening.read()
        for text in commits:
            with Store.open(opening.folder, write=True) as writer:
                add(writer, document("/notes/b.md", [text]))
        return reader

    in_one_state = OneState(opened_just_before_a_commit, opening.close)
    assert in_one_state(lambda reader: (reader.fits_the_store(), reader.store.value(CONTENT))) == (True, 2)
    assert opening.opened == 2
    opening.close()


@pytest.mark.parametrize("interruptions", [1, FURTHER_TRIES])
def test_a_vault_without_locks_is_read_again_after_a_change(opening: Opening, interruptions: int) -> None:
    left = list(range(interruptions))

    def interrupted(reader: Reader) -> int:
        if left:
            left.pop()
            raise VaultChanged("changed")
        return int(reader.store.value(CONTENT))

    assert OneState(opening.read, opening.close)(interrupted) == 1
    assert opening.opened == 1 + interruptions
    opening.close()


def test_one_that_changes_again_and_again_is_an_error(opening: Opening) -> None:
    def changed(_: Reader) -> int:
        raise VaultChanged("changed")

    in_one_state = OneState(opening.read, opening.close)
    with pytest.raises(VaultChanged):
        in_one_state(changed)
    assert in_one_state.held is None
    opening.close()


def test_an_error_leaves_no_transaction_behind(opening: Opening) -> None:
    in_one_state = OneState(opening.read, opening.close)
    in_one_state_kept = in_one_state.keeping(lambda: {}["missing"])
    with pytest.raises(KeyError):
        in_one_state_kept()
    with Store.open(opening.folder, write=True) as writer:
        add(writer, document("/notes/b.md", ["Bob read."]))
        assert writer.clear_traces(wait_milliseconds=0), "no reader holds the log"
    opening.close()


@pytest.mark.skipif(sys.platform == "win32", reason="caches are read whole there")
@pytest.mark.parametrize("fails", [False, True], ids=["wrong result", "error"])
def test_what_was_read_from_caches_while_they_were_overwritten_is_read_again(opening: Opening, fails: bool) -> None:
    kind, origin, numbers = b"TESTS001", b"o" * 32, np.arange(1, 100_000)
    path = opening.folder / "numbers.arrays"
    tries: list[Arrays] = []

    def least(reader: Reader) -> int:
        write_arrays(path, kind, origin, {"numbers": numbers})
        found = read_arrays(path, kind, origin)
        assert found is not None
        tries.append(found)
        if len(tries) == 1:
            remove_caches(reader.store.folder)
            if fails:
                assert found["numbers"].min(), "zeros were read"
        return int(found["numbers"].min())

    assert OneState(opening.read, opening.close)(least) == 1
    assert (len(tries), opening.opened) == (2, 2)
    opening.close()
