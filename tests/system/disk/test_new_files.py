"""What is exported goes where it was said, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.system.disk.new_files import NewFolder, new_file
from noderag_local.system.disk.private_files import remove_left


def test_a_file_takes_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    def broken_off() -> None:
        with new_file(tmp_path / "a", force=False) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken_off()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no locks that end with a process")
def test_what_a_killed_process_left_is_removed_and_what_another_one_writes_stays(tmp_path: Path) -> None:
    work = """
import os, signal, sys
from pathlib import Path
from noderag_local.system.disk.new_files import new_file
with new_file(Path(sys.argv[1]), force=False) as file:
    file.write(b"all notes")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", work, tmp_path / "a"], check=False)
    (tmp_path / "a.mine.part").write_bytes(b"mine")
    assert len(list(tmp_path.iterdir())) == 2
    with new_file(tmp_path / "a", force=False) as file:
        file.write(b"ours")
        with pytest.raises(SourceError), new_file(tmp_path / "a", force=False):
            (tmp_path / "a").write_bytes(b"theirs")
        (tmp_path / "a").unlink()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"ours", "a.mine.part": b"mine"}


def test_a_file_that_only_lacks_its_name_is_not_taken_for_one_that_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.replace

    def another_comes_first(unfinished: Path, path: Path) -> Path:
        remove_left(path)
        return rename(unfinished, path)

    monkeypatch.setattr(Path, "replace", another_comes_first)
    with new_file(tmp_path / "a", force=True) as file:
        file.write(b"all notes")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"all notes")]


def test_a_file_that_comes_meanwhile_stays(tmp_path: Path) -> None:
    with pytest.raises(SourceError), new_file(tmp_path / "a", force=False) as file:
        file.write(b"ours")
        (tmp_path / "a").write_bytes(b"theirs")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"theirs")]


def test_a_link_is_replaced_and_its_target_stays(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / "a").symlink_to(tmp_path / "target")
    with pytest.raises(SourceError, match="there already"), new_file(tmp_path / "a", force=False):
        pass
    with new_file(tmp_path / "a", force=True) as file:
        file.write(b"new")
    assert (tmp_path / "target").read_bytes() == b"mine"
    assert not (tmp_path / "a").is_symlink()
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(SourceError, match="is a folder"), new_file(tmp_path / "a", force=True):
        pass


def test_no_link_leads_out_of_a_folder(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "Entities").symlink_to(elsewhere)
    (folder / "a.md").symlink_to(elsewhere / "a.md")
    target = NewFolder(folder, force=True)
    with pytest.raises(SourceError, match="cannot be written"):
        target.write("a.md", b"x", within="Entities")
    target.write("a.md", b"x")
    assert list(elsewhere.iterdir()) == []
    with pytest.raises(SourceError, match="is a link"):
        NewFolder(folder / "Entities", force=True)


def test_files_of_the_same_names_are_replaced_only_if_they_may_be(tmp_path: Path) -> None:
    NewFolder(tmp_path / "out", force=False).write("a.md", b"old", within="sub")
    with pytest.raises(SourceError, match="--force"):
        NewFolder(tmp_path / "out", force=False)
    NewFolder(tmp_path / "out", force=True).write("a.md", b"new", within="sub")
    assert (tmp_path / "out" / "sub" / "a.md").read_bytes() == b"new"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SourceError, match="cannot be written"):
        NewFolder(tmp_path / "file" / "out", force=False)
    with pytest.raises(SourceError, match="cannot be written"), new_file(tmp_path / "none" / "a", force=False):
        pass
