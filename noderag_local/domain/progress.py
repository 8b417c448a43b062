"""Records of the progress of a stage, the result of an indexing run, and the result of a check."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.documents import Skipped

BACKING_UP = "backing up"
"""Name of the stage in which the backup after long work is made."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a stage of indexing at one moment."""

    stage: str
    """Name of the stage: "reading", "linking", "embedding", "connecting", "preparing", "backing up"."""
    done: int
    total: int
    """Total amount in `unit`; 0 where it is not known yet."""
    unit: str
    """Unit of the counts: "files", "documents", "sentences", "edges", "pages"."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """Time that a stage of indexing took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class OtherLanguages:
    """The languages of the notes as indexing found them, if more than a few notes are not English."""

    looked_at: int
    """Number of notes in the sample."""
    foreign: int
    """Number of those that are not English."""
    model: str
    """Name of an embedding model that knows their languages."""
    is_taken: bool
    """Whether that model makes the vault's vectors; otherwise it has to be fetched first."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Result of one run of indexing."""

    added: int
    """Number of new documents."""
    changed: int
    """Number of changed files whose documents were replaced."""
    removed: int
    """Number of removed documents: their file is gone, or their file or record changed."""
    unchanged: int
    """Number of unchanged files."""
    moved: int
    """Number of files that were moved but not changed; everything made from them is kept."""
    skipped: tuple[Skipped, ...]
    stopped: bool
    """Whether the user stopped the run; what was done by then is kept."""
    stages: tuple[StageTime, ...]
    elapsed_seconds: float
    read_again: int = 0
    """Number of unchanged files that were read again, since their reader is newer now or the user asked for it."""
    other_languages: OtherLanguages | None = None
    """Languages of the notes; set if the vault gets its first vectors or vectors of a model for more languages."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    what: str
    ok: bool
    detail: str
    remedy: str = ""
    """The advice for a check that failed."""
