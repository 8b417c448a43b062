"""Decides which files of an archive are read, and how their paths are shown."""

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
"""Maximum length of a path; longer ones are no documents, since file systems allow 255 characters for a name."""
_UTF8_FLAG = 0x800


def member_path(info: ZipInfo) -> str:
    """Returns the path of a file in an archive, with slashes; it is relative and has no "..".

    Apple's programs write names in UTF-8 without setting the flag for it.
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
    """Returns whether indexing a folder would read a file of an archive.

    Args:
        info: the file.
        path: its path, by `member_path`.
        paths: paths of all files of the archive.
    """
    folders = path.split("/")
    is_link = stat.S_ISLNK(info.external_attr >> 16)
    is_hidden = any(part.startswith((".", OFFICE_LOCK_MARK)) or part in NO_FOLDERS for part in folders)
    if info.is_dir() or is_link or is_hidden or not 0 < len(path) <= MAX_PATH_CHARACTERS or known_format(path) is None:
        return False
    return twin_of(path) not in paths


def shown_paths(paths: Sequence[str]) -> dict[str, str]:
    """Returns path → how it is cited: without Notion's identifiers, unless two paths would then be the same.

    The dash that separates the ends of a range of places is replaced, too.
    """
    shorter = [without_ids(path) for path in paths]
    counts = Counter(shorter)
    called = (short if counts[short] == 1 else path for path, short in zip(paths, shorter, strict=True))
    return {path: name.replace(RANGE, " - ") for path, name in zip(paths, called, strict=True)}
