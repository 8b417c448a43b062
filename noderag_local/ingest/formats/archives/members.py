"""Names of the files in an archive, and which of them are read."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Collection, Sequence
from zipfile import ZipInfo

from noderag_local.ingest.formats.block_writer import folded_text
from noderag_local.ingest.formats.exports.notion_names import without_ids
from noderag_local.ingest.formats.registry import known_format
from noderag_local.ingest.formats.twins import twin_of
from noderag_local.ingest.scan.scan import OFFICE_LOCK_MARK, PACKAGE_FOLDERS
from noderag_local.system.printing.cited_place import RANGE

NO_FOLDERS = PACKAGE_FOLDERS | {"__MACOSX"}
"""Folders in which programs keep files of their own."""
MAX_PATH_CHARACTERS = 1000
"""A longer path is that of no document: disks allow 255 for a name."""
_UTF8_FLAG = 0x800


def member_path(info: ZipInfo) -> str:
    """Returns the path of a file in an archive, with slashes; it climbs nowhere and begins at no root.

    Programs of Apple write names in UTF-8 without saying so.
    """
    name = info.filename
    if not info.flag_bits & _UTF8_FLAG:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = info.filename
    parts = (folded_text(part) for part in name.replace("\\", "/").split("/"))
    return "/".join(part for part in parts if part not in ("", ".", ".."))


def is_read(info: ZipInfo, path: str, paths: Collection[str]) -> bool:
    """Whether a file in an archive is one that indexing a folder would read, too.

    Args:
        info: the file.
        path: its path, by `member_path`.
        paths: those of all files.
    """
    folders = path.split("/")
    is_link = stat.S_ISLNK(info.external_attr >> 16)
    is_hidden = any(part.startswith((".", OFFICE_LOCK_MARK)) or part in NO_FOLDERS for part in folders)
    if info.is_dir() or is_link or is_hidden or not 0 < len(path) <= MAX_PATH_CHARACTERS or known_format(path) is None:
        return False
    return twin_of(path) not in paths


def shown_paths(paths: Sequence[str]) -> dict[str, str]:
    """Returns how each path is cited: without Notion's identifiers, unless two paths are the same without them.

    The sign between the ends of a range of places stands in none.
    """
    shorter = [without_ids(path) for path in paths]
    counts = Counter(shorter)
    called = (short if counts[short] == 1 else path for path, short in zip(paths, shorter, strict=True))
    return {path: name.replace(RANGE, " - ") for path, name in zip(paths, called, strict=True)}
