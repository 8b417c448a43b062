"""What is replaced or removed is overwritten, and nothing else is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from noderag_local.system.disk.on_disk import (
    replace_and_wipe,
    wipe,
    wipe_folder,
    wiped_when_nameless,
    wiped_when_removed,
)

OLD, NEW = b"Quirin hides the ledger." * 100, b"nothing to see"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file with a second name, under which its content can be looked at when it is gone."""
    path = tmp_path / "old"
    path.write_bytes(OLD)
    os.link(path, tmp_path / "second name")
    return path


def content_of(old: Path) -> bytes:
    return old.with_name("second name").read_bytes()


def test_what_is_replaced_is_overwritten(old: Path, tmp_path: Path) -> None:
    (tmp_path / "new").write_bytes(NEW)
    replace_and_wipe(tmp_path / "new", old)
    assert (old.read_bytes(), content_of(old)) == (NEW, bytes(len(OLD)))
    assert not (tmp_path / "new").exists()


def test_what_cannot_be_replaced_stays(old: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replace_and_wipe(tmp_path / "missing", old)
    assert old.read_bytes() == OLD


def test_what_is_wiped_is_overwritten_and_gone(old: Path) -> None:
    wipe(old)
    assert (old.exists(), content_of(old)) == (False, bytes(len(OLD)))
    wipe(old)


def test_of_a_symbolic_link_the_link_alone_goes(old: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(old)
    wipe_folder(tmp_path / "folder")
    assert (old.read_bytes(), (tmp_path / "folder").exists()) == (OLD, False)


def test_a_folder_goes_with_all_that_is_in_it(old: Path, tmp_path: Path) -> None:
    (tmp_path / "folder" / "below").mkdir(parents=True)
    old.rename(tmp_path / "folder" / "below" / "old")
    wipe_folder(tmp_path / "folder")
    assert (content_of(old), (tmp_path / "folder").exists()) == (bytes(len(OLD)), False)


def test_what_others_remove_is_overwritten_and_what_stays_is_not(old: Path) -> None:
    with wiped_when_removed(old):
        pass
    assert content_of(old) == OLD
    with wiped_when_removed(old):
        old.unlink()
    assert content_of(old) == bytes(len(OLD))
    with wiped_when_removed(old):
        pass


def test_a_file_without_a_name_is_overwritten_and_one_that_was_moved_is_not(old: Path, tmp_path: Path) -> None:
    (tmp_path / "second name").unlink()
    with wiped_when_nameless(old):
        old.rename(tmp_path / "moved")
    assert (tmp_path / "moved").read_bytes() == OLD
    with (tmp_path / "moved").open("rb") as held:
        with wiped_when_nameless(tmp_path / "moved"):
            (tmp_path / "moved").unlink()
        assert held.read() == bytes(len(OLD))
    with wiped_when_nameless(old):
        pass
