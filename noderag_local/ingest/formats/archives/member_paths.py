"""Tells the paths of the files in an archive, and how they are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from zipfile import ZipInfo

from noderag_local.ingest.formats.block_writer import folded_text
from noderag_local.ingest.formats.exports.notion_names import without_ids
from noderag_local.system.printing.cited_place import RANGE

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


def shown_paths(paths: Sequence[str]) -> dict[str, str]:
    """Returns path → how it is cited: without Notion's identifiers, unless two paths would then be the same.

    The dash that separates the ends of a range of places is replaced, too.
    """
    shorter = [without_ids(path) for path in paths]
    counts = Counter(shorter)
    called = (short if counts[short] == 1 else path for path, short in zip(paths, shorter, strict=True))
    return {path: name.replace(RANGE, " - ") for path, name in zip(paths, called, strict=True)}
