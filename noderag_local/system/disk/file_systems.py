"""Finds out whether a folder's file system overwrites files in place, and whether it is a network share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from noderag_local.system.disk.mount_table import MOUNT_TABLE, mount_of, read_mounts

DEVICES = "/sys/dev/block"

_NETWORK = frozenset(
    "9p afs beegfs ceph cifs coda davfs fuse.davfs2 fuse.ceph fuse.glusterfs fuse.gvfsd-fuse fuse.kio-fuse fuse.rclone "
    "fuse.s3fs fuse.smbnetfs fuse.sshfs fuse.vmhgfs-fuse gfs2 glusterfs lustre ncpfs nfs nfs4 ocfs2 orangefs prl_fs smb3 smbfs "
    "vboxsf virtiofs vmhgfs".split()
)
_COPY_ON_WRITE = frozenset("apfs bcachefs btrfs f2fs fuse.zfs jffs2 logfs nilfs2 ubifs zfs".split())
"""File systems that write changes to another place, to spare flash memory or to survive a power cut."""
_LAYERED = frozenset(("aufs", "fuse.fuse-overlayfs", "overlay", "unionfs"))
_MEMORY = frozenset(("ramfs", "tmpfs"))
_IN_PLACE = frozenset(
    "exfat ext2 ext3 ext4 fat fuseblk hfs hfsplus jfs msdos ntfs ntfs3 reiserfs udf ufs vfat xfs".split()
)


class OldBlocks(Enum):
    """Where the old content of an overwritten file may remain."""

    OVERWRITTEN = "overwritten"
    IN_MEMORY = "in memory"
    ON_FLASH = "on flash"
    COPIED = "copied"
    IN_A_LAYER = "in a layer"
    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"


_WHY = {
    OldBlocks.OVERWRITTEN: "",
    OldBlocks.IN_MEMORY: "",
    OldBlocks.ON_FLASH: "is on an SSD, which keeps old content in spare blocks until it clears them",
    OldBlocks.COPIED: "writes changes to another place, so that the old content stays in free space, and in snapshots",
    OldBlocks.IN_A_LAYER: "lies over another file system, whose layers may keep the old content",
    OldBlocks.ELSEWHERE: "is another machine's, which may keep the old content, and snapshots and backups of it",
    OldBlocks.UNKNOWN: "does not say whether it overwrites old content in its place",
}


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The file system that a folder lies on."""

    kind: str
    """Name that the system gives it; "" where unknown."""
    is_network: bool
    old_blocks: OldBlocks


def file_system_of(folder: Path, table: str = MOUNT_TABLE, devices: str = DEVICES) -> FileSystem:
    """Finds the file system of a folder, or of the nearest folder above it that exists.

    Args:
        folder: the folder; it need not exist.
        table: file in the format of /proc/self/mountinfo.
        devices: folder in the layout of /sys/dev/block.
    """
    mounts = read_mounts(table)
    mount = mount_of(os.path.realpath(folder), mounts) if mounts else None
    if mount is None:
        return FileSystem("", False, OldBlocks.UNKNOWN)
    return FileSystem(mount.kind, mount.kind in _NETWORK, _old_blocks(mount.kind, f"{devices}/{mount.device}"))


def old_blocks_note(folder: Path, found: FileSystem | None = None) -> str:
    """Returns a warning that removed or encrypted content may stay on the disk; "" if it was overwritten in place.

    Args:
        folder: folder of the content.
        found: file system of the folder, if the caller knows it.
    """
    found = found or file_system_of(folder)
    why = _WHY[found.old_blocks]
    if not why:
        return ""
    return (
        f"What was there was overwritten, but the file system of {folder}{f' ({found.kind})' if found.kind else ''} {why}. "
        "Only encryption of the whole disk guards that."
    )


def network_note(folder: Path, found: FileSystem | None = None) -> str:
    """Returns a warning that a vault lies on another machine's disk; "" if it lies on a local disk."""
    found = found or file_system_of(folder)
    if not found.is_network:
        return ""
    return (
        f"{folder} lies on a network share ({found.kind}), on which SQLite's locks may fail: two machines at work in the vault can "
        "damage it, and whoever runs the share can read what is not encrypted. Use a folder on this machine, or see to it that "
        "one machine alone opens the vault, and make backups."
    )


def _old_blocks(kind: str, device: str) -> OldBlocks:
    for kinds, found in (
        (_NETWORK, OldBlocks.ELSEWHERE),
        (_COPY_ON_WRITE, OldBlocks.COPIED),
        (_LAYERED, OldBlocks.IN_A_LAYER),
        (_MEMORY, OldBlocks.IN_MEMORY),
    ):
        if kind in kinds:
            return found
    if kind not in _IN_PLACE:
        return OldBlocks.UNKNOWN
    return {True: OldBlocks.OVERWRITTEN, False: OldBlocks.ON_FLASH, None: OldBlocks.UNKNOWN}[_rotates(device)]


def _rotates(device: str) -> bool | None:
    """Returns whether the disk of a device is a rotating one, not an SSD; None if the system does not say."""
    for place in (device, f"{device}/.."):
        try:
            return Path(place, "queue", "rotational").read_text(encoding="ascii").strip() == "1"
        except OSError:
            continue
    return None
