"""Where drives are mounted, as the system tells it and as a scan sees it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.mounted_drives import drive, memory_drive

from noderag_local.ingest.scan.mounts import mount_points, mounts
from noderag_local.ingest.scan.scan import scan

LIMIT = 1 << 20
TABLE = rb"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
36 22 8:17 / /media/my\040stick rw,nosuid - vfat /dev/sdb1 rw
40 22 8:1 /home/anna/notes /srv/b\134c rw - ext4 /dev/sda1 rw
"""


def test_the_table_of_linux_is_read_with_odd_names(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_bytes(TABLE)
    assert mount_points(str(tmp_path / "mountinfo")) == {"/", "/media/my stick", "/srv/b\\c"}


def test_without_a_table_there_are_no_points_to_tell(tmp_path: Path) -> None:
    assert mount_points(str(tmp_path / "none")) is None


def test_what_is_mounted_or_bound_is_a_mount_and_nothing_else(tmp_path: Path) -> None:
    for name in ("content", "bound", "memory"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("bound")
    with drive(tmp_path / "content", tmp_path / "bound") as found, memory_drive(tmp_path / "memory"):
        found.plug()
        is_mount = mounts()
        assert [name for name in sorted(os.listdir(tmp_path)) if is_mount(str(tmp_path / name))] == ["bound", "memory"]
    assert not mounts()(str(tmp_path / "bound"))


@pytest.mark.parametrize("root", ["notes", "notes/stick"])
def test_a_scan_says_which_of_its_folders_are_mounts(tmp_path: Path, root: str) -> None:
    stick = tmp_path / "notes" / "stick"
    (stick / "trips").mkdir(parents=True)
    (stick / "anna.md").write_text("Anna.\n", encoding="utf-8")
    found = scan([tmp_path / root], LIMIT, mounted=lambda: lambda folder: folder == str(stick))
    assert found.places == {str(stick)}
    assert [file.path for file in found.files] == [str(stick / "anna.md")]


def test_a_drive_that_is_taken_out_during_the_walk_is_none_of_them(tmp_path: Path) -> None:
    looks = iter([lambda folder: folder == str(tmp_path), lambda folder: False])
    assert scan([tmp_path], LIMIT, mounted=lambda: next(looks)).places == frozenset()
