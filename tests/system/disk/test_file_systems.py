"""What is told of the disk under a folder, by the tables of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.system.disk.file_systems import OldBlocks, file_system_of, network_note, old_blocks_note
from noderag_local.system.disk.mount_table import Mount, mount_of, read_mounts

TABLE = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 8:17 / /disk rw,relatime shared:1 master:3 - xfs /dev/sdb1 rw
24 22 0:40 / /snapshots rw - btrfs /dev/sdc1 rw
25 22 0:41 / /share rw - nfs4 server:/home rw
26 22 0:42 / /share/own\040disk rw - ext4 /dev/sda1 rw
27 22 0:43 / /remote rw - fuse.sshfs anna@host: rw
28 22 0:44 / /memory rw - tmpfs tmpfs rw
29 22 0:45 / /layers rw - overlay overlay rw
30 22 0:46 / /secret rw - fuse.gocryptfs /home/anna rw
31 22 0:47 / /covered rw - nfs server:/a rw
32 31 8:17 / /covered rw - xfs /dev/sdb1 rw
33 22 0:48 / /windows rw - cifs //server/a rw
34 22 0:49 / /host rw - 9p drvfs rw
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "mountinfo").write_text(TABLE, encoding="utf-8")
    return str(tmp_path / "mountinfo")


@pytest.fixture
def devices(tmp_path: Path) -> str:
    """One SSD, whose partition 8:1 has no queue of its own, and one disk, 8:17."""
    folder = tmp_path / "block"
    for place, rotates in (("ssd/queue", "0"), ("8:17/queue", "1")):
        (folder / place).mkdir(parents=True)
        (folder / place / "rotational").write_text(f"{rotates}\n", encoding="ascii")
    (folder / "ssd" / "part").mkdir()
    (folder / "8:1").symlink_to("ssd/part")
    return str(folder)


@pytest.mark.parametrize(
    ("folder", "kind", "network", "old"),
    [
        ("/home/anna/vault", "ext4", False, OldBlocks.ON_FLASH),
        ("/disk/vault", "xfs", False, OldBlocks.OVERWRITTEN),
        ("/diskette", "ext4", False, OldBlocks.ON_FLASH),
        ("/snapshots/vault", "btrfs", False, OldBlocks.COPIED),
        ("/share/vault", "nfs4", True, OldBlocks.ELSEWHERE),
        ("/share/own disk/vault", "ext4", False, OldBlocks.UNKNOWN),
        ("/remote", "fuse.sshfs", True, OldBlocks.ELSEWHERE),
        ("/memory/a/b", "tmpfs", False, OldBlocks.IN_MEMORY),
        ("/layers/vault", "overlay", False, OldBlocks.IN_A_LAYER),
        ("/secret/vault", "fuse.gocryptfs", False, OldBlocks.UNKNOWN),
        ("/covered/vault", "xfs", False, OldBlocks.OVERWRITTEN),
        ("/windows", "cifs", True, OldBlocks.ELSEWHERE),
        ("/host/c", "9p", True, OldBlocks.ELSEWHERE),
    ],
)
def test_a_folder_is_known_by_the_nearest_mount(
    folder: str, kind: str, network: bool, old: OldBlocks, table: str, devices: str
) -> None:
    found = file_system_of(Path(folder), table, devices)
    assert (found.kind, found.is_network, found.old_blocks) == (kind, network, old)
    assert bool(network_note(Path(folder), found)) == network
    told = old_blocks_note(Path(folder), found)
    assert bool(told) == (old not in (OldBlocks.OVERWRITTEN, OldBlocks.IN_MEMORY))
    assert not told or (folder in told and kind in told)


def test_a_link_is_known_by_what_it_leads_to(tmp_path: Path, table: str, devices: str) -> None:
    (tmp_path / "link").symlink_to("/snapshots/vault")
    assert file_system_of(tmp_path / "link", table, devices).kind == "btrfs"


def test_without_a_table_nothing_is_promised(tmp_path: Path) -> None:
    found = file_system_of(tmp_path, str(tmp_path / "none"))
    assert (found.kind, found.is_network, found.old_blocks) == ("", False, OldBlocks.UNKNOWN)
    assert "does not say" in old_blocks_note(tmp_path, found)


def test_broken_lines_are_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_bytes(b"22 1 8:1 / / rw\n\nx\n23 22 0:40 / /\xff rw - ext4 /dev/a rw\n")
    mounts = read_mounts(str(tmp_path / "mountinfo"))
    assert mounts is not None
    assert mount_of("/x", mounts) == Mount("/", "", "8:1")


def test_this_machine_tells_what_this_folder_lies_on(tmp_path: Path) -> None:
    assert file_system_of(tmp_path).kind
