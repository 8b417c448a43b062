"""How far work is, how a run ended, and what a check found."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.documents import Skipped


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage of indexing has come; a new record each time it moves."""

    stage: str
    """What is being done, in words: "reading", "linking", "embedding", "nearest sentences"."""
    done: int
    total: int
    """In `unit`; 0 where it is not known yet."""
    unit: str
    """What is counted: "documents", "sentences"."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """What a stage of indexing took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of indexing did."""

    added: int
    """Documents that were not there before."""
    changed: int
    """Files whose documents were replaced since the file had changed."""
    removed: int
    """Documents whose file is gone, or whose file or record changed."""
    unchanged: int
    """Files that were left as they are."""
    moved: int
    """Files that lie elsewhere now, with the same content; they keep all that was made of them."""
    skipped: tuple[Skipped, ...]
    stopped: bool
    """Whether the user stopped it; what was done by then is kept."""
    stages: tuple[StageTime, ...]
    elapsed_seconds: float
    read_again: int = 0
    """Files that had not changed and were read anew: an older version of their reader had read them, or it was asked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check looked at."""

    what: str
    ok: bool
    detail: str
    remedy: str = ""
    """What to do, where it is not ok."""
