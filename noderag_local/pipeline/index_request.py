"""Defines what a run of indexing is asked to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from noderag_local.domain.progress import Progress
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.system.batches.executor import Executor


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """Paths to index, with the models and options of the run."""

    paths: Sequence[Path]
    by_lines: bool
    max_file_bytes: int
    counters: Counters
    embedder: Callable[[], Embedder]
    """Function that loads the embedding model; called at most once, and only if something has no vector."""
    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    takes_back: bool = True
    """Whether forgotten files at the paths are read again, because the user has named the paths."""
    again: bool = False
    """Whether unchanged files are read again."""
    keep_old: bool = False
    """Whether unchanged files stay as they are even if their reader has a newer version now."""
    read_scans: bool = False
    """Whether the text in pictures is read, after all else; what does it must be installed."""
    formats_without_walls: bool = False
    """Whether formats other than text are read even if the system has no sandbox for them."""
    embedding: Callable[[], EmbeddingModel] = builtin_model
    """Function that chooses the model for `embedder`; called once, after the notes are read."""
    vectors: SentenceVectors = field(default_factory=SentenceVectors)
    """Vectors that an earlier run of this process has loaded."""
    executor: Executor | None = None
    """Does in other processes what does not need the vault; None does all in this one."""
