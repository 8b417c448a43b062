"""How each file is read: what the user said of the path nearest to it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.storage.documents.file_rows import KnownFile
from noderag_local.system.paths import lies_in


@dataclass(frozen=True, slots=True)
class ReadMode:
    """How a file is read."""

    by_lines: bool
    """Whether each line of a text file is a document."""
    root: str
    """Path that the user named and that covers the file; "" if there is none."""


def root_of(path: str, roots: Sequence[str]) -> str:
    """Returns the path of a run that a file lies under; "" if it lies under none."""
    return next((root for root in roots if lies_in(path, root)), "")


def way_of(path: str, known: KnownFile | None, roots: Sequence[str], by_lines: bool) -> ReadMode:
    """Returns how a run reads a file.

    A file that was named to be read in the other way, itself or by a folder in which it lies, goes on to be read so when a
    folder above is named.

    Args:
        known: what the vault has of the file.
        roots: that the user named for this run.
        by_lines: how these are to be read.
    """
    root = max((root for root in roots if lies_in(path, root)), key=len, default="")
    if known is not None and known.by_lines != by_lines and len(known.root) > len(root) and lies_in(path, known.root):
        return ReadMode(known.by_lines, known.root)
    return ReadMode(by_lines, root_of(path, roots))
