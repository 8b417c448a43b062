"""Counts what indexing a folder would read, before anything is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.ingest.formats.registry import PICTURE, format_of, known_format
from noderag_local.ingest.scan.scan import scan
from noderag_local.vault.browsing.left_out import LeftOut, by_reason

BYTES_PER_SECOND = 35_000
"""Speed of indexing: the 6,761 paragraphs of MuSiQue, 3.35 MB, took 96 s on two cores (scripts/bench/index.py)."""
START_SECONDS = 6
"""Seconds for loading the embedding model, however little there is to read."""
OTHER_KIND = "read as text"


@dataclass(frozen=True, slots=True)
class Survey:
    """The files that indexing would read."""

    files: int
    size_bytes: int
    kinds: tuple[tuple[str, int], ...]
    """(kind of file, how many), the commonest first."""
    left_out: tuple[LeftOut, ...]
    """Skipped files and folders, the commonest reason first."""
    unestimated_bytes: int
    """Size of the pictures and archives among them, which says little about the amount of text."""
    errors: int
    """Number of skipped files that the user would expect to be read."""

    @property
    def seconds(self) -> float:
        """Estimated seconds for indexing these files into an empty vault on two cores."""
        return START_SECONDS + (self.size_bytes - self.unestimated_bytes) / BYTES_PER_SECOND


def survey(paths: Sequence[Path], max_file_bytes: int) -> Survey:
    """Surveys folders without opening a file; takes seconds on hundreds of thousands of files.

    Raises:
        SourceError: one of `paths` does not exist.
    """
    found = scan(paths, max_file_bytes)
    known = (known_format(file.path) for file in found.files)
    kinds = Counter(one.kind if one else OTHER_KIND for one in known)
    return Survey(
        files=len(found.files),
        size_bytes=sum(file.size_bytes for file in found.files),
        kinds=tuple(kinds.most_common()),
        left_out=by_reason(found.skipped),
        unestimated_bytes=sum(file.size_bytes for file in found.files if not _tells_its_text(file.path)),
        errors=sum(skip.is_error for skip in found.skipped),
    )


def _tells_its_text(path: str) -> bool:
    known = format_of(path)
    return known is not PICTURE and not known.is_sparse
