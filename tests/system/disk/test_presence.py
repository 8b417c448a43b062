"""Whether something is there, also where the system cannot look."""

from __future__ import annotations

from pathlib import Path

from helpers.unreachable import make_unreachable

from noderag_local.system.disk.presence import is_file, is_folder, is_there


def test_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    file, nothing = tmp_path / "file", tmp_path / "nothing"
    file.touch()
    asked = [(is_there(path), is_file(path), is_folder(path)) for path in (file, tmp_path, nothing)]
    assert asked == [(True, True, False), (True, False, True), (False, False, False)]


def test_what_cannot_be_looked_at_counts_as_not_there(tmp_path: Path) -> None:
    lost = make_unreachable(tmp_path / "drive")
    for path in (lost, lost / "below"):
        assert not (is_there(path) or is_file(path) or is_folder(path))
