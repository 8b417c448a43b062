"""Runs the stages of indexing in order: read, link, embed, connect, prepare the caches.

Each stage leaves a consistent vault and is skipped if its input has not changed. Forgetting runs the same stages, but removes
documents instead of reading them. Each stage stores the state of its input as a fact, in the same transaction as its result;
so after a stop or a kill the next run continues where the last one ended.
"""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from noderag_local.domain.progress import IndexReport, Progress, StageTime
from noderag_local.extraction.instant_graph import batches_to_read, build_instant_graph, rules_are_current
from noderag_local.extraction.same_names.merging import names_are_current
from noderag_local.graph.vectors.semantic_edges import build_semantic_edges, edges_are_current
from noderag_local.graph.vectors.sentence_embedding import embed_missing, not_embedded
from noderag_local.ingest.sandbox.worker_process import WorkerProcess, end_waiting
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync import forgetting as forgotten
from noderag_local.ingest.sync.scan_reading import ScanBacklog, ScanReading, unread_scans_of
from noderag_local.ingest.sync.sync import Sync
from noderag_local.ingest.sync.tally import Tally, log_tally
from noderag_local.pipeline.caches import PREPARING, Caches, remove_outdated
from noderag_local.pipeline.index_request import IndexRequest
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.conversations.conversations import Conversation, Conversations
from noderag_local.storage.database.fact_names import EDGES_OF, EMBEDDED_BY, GRAPH_OF, TEXTS
from noderag_local.storage.database.sqlite_file import HURRIED_MILLISECONDS, PATIENT_MILLISECONDS
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.noted_roots import BroughtRoots
from noderag_local.storage.forgetting.former_paths import FormerPaths
from noderag_local.storage.forgetting.quotations import Quoted, QuoteMarkers, quoting
from noderag_local.storage.forgetting.traces import Forgetting, Uncleared, note_forgetting, noted_forgetting, traces
from noderag_local.storage.graph.document_counts import DocumentCountRows
from noderag_local.storage.graph.neighbour_bounds import NeighbourBoundRows
from noderag_local.storage.snapshots.cache_file import remove_caches
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.unembedded import UnembeddedRows
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.system.log.log_lines import Term
from noderag_local.system.paths import nearest

READING, LINKING, EMBEDDING, CONNECTING = "reading", "linking", "embedding", "connecting"
READING_PICTURES = "reading text in pictures"
FORGETTING = "forgetting"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """Result of one run of forgetting."""

    files: int
    documents: int
    conversations: int
    """Number of deleted conversations, which quoted the documents."""
    traces: tuple[Uncleared, ...]
    """Files of the vault that may still hold bytes of the documents, because the run was stopped or another program kept reading.
    The next command clears them."""
    backups: int
    """Number of older backups that still hold the documents."""
    stopped: bool
    """Whether the user stopped the run; removed documents stay removed, and the next run finishes the work."""
    elapsed_seconds: float

    @property
    def has_traces(self) -> bool:
        """Whether files of the vault may still hold bytes of the documents."""
        return bool(self.traces)


def forget(
    store: Store,
    paths: Sequence[Path],
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
    *,
    keep_conversations: bool = False,
    renew_backups: bool = False,
) -> ForgetReport:
    """Removes files and folders from the vault, and skips them until the user indexes them by their own paths.

    Args:
        store: the vault, open for writing.
        paths: files and folders to forget.
        progress: called with the progress.
        cancelled: called often; True ends the run early.
        keep_conversations: whether conversations that quote the documents stay.
        renew_backups: whether the caller will replace the backups afterwards.

    Raises:
        NotFound: as `ingest.sync.forgetting.check_known`.
    """
    run, caches = _Run(store, progress, cancelled), Caches(store)
    run.finish_begun()
    forgetting = Forgetting(tuple(spelled_for_vault(paths)), not keep_conversations)
    run.stage(FORGETTING, lambda: run.forget(forgetting, renew_backups))
    return _forgotten(run, store, caches)


def finish_forgetting(
    store: Store, progress: Callable[[Progress], None], cancelled: Callable[[], bool]
) -> ForgetReport:
    """Finishes a forgetting that was stopped or killed, or could not clear a file."""
    run, caches = _Run(store, progress, cancelled, HURRIED_MILLISECONDS), Caches(store)
    run.finish_begun()
    return _forgotten(run, store, caches)


def _forgotten(run: _Run, store: Store, caches: Caches) -> ForgetReport:
    """Updates the graph and clears the files after documents are removed, and returns the report."""
    run.stage(LINKING, run.link)
    # If texts still lack vectors, the next indexing embeds and connects them.
    if not VectorRows(store).missing_chunks():
        run.stage(CONNECTING, lambda: run.connect(SentenceVectors()))
    run.stage(PREPARING, lambda: run.forget_caches(caches))
    if run.stopped:
        caches.stop()
        run.clear_caches()
    run.end()
    left = tuple(one for one in traces(store) if one.path != str(Backups(store.folder).place))
    _log.info(
        "forgot %d documents of %d files and %d conversations; %d files still have traces",
        *(run.tally.removed, run.gone_files, run.gone_conversations, len(left)),
    )
    return ForgetReport(
        files=run.gone_files,
        documents=run.tally.removed,
        conversations=run.gone_conversations,
        traces=left,
        backups=Backups(store.folder).holding(),
        stopped=run.stopped,
        elapsed_seconds=run.elapsed_seconds,
    )


def index(store: Store, request: IndexRequest) -> IndexReport:
    """Brings the vault up to date with the files, unless the user stops it."""
    run = _Run(store, request.progress, request.cancelled)
    caches = Caches(store)
    run.finish_begun()
    request.vectors.follow(store)
    run.stage(READING, lambda: run.read(request))
    run.make_ready(request)
    while run.scans and run.scans.left and not run.stopped:
        run.stage(READING_PICTURES, lambda: run.read_scans(request))
        run.make_ready(request)
    if run.stopped:
        caches.stop()
        request.vectors.drop()
    else:
        run.stage(PREPARING, lambda: caches.bring_up(run.teller(PREPARING, "sentences"), request.vectors.hnsw))
        request.vectors.keep(store)
    run.end()
    tally = run.tally
    return IndexReport(
        added=tally.added,
        changed=tally.changed,
        removed=tally.removed,
        unchanged=tally.unchanged,
        moved=tally.moved,
        skipped=tuple(tally.skipped),
        stopped=run.stopped,
        stages=tuple(run.times),
        elapsed_seconds=run.elapsed_seconds,
        read_again=tally.read_again,
    )


def quoting_conversations(store: Store, paths: Sequence[Path], conversations: Conversations) -> list[Conversation]:
    """Returns the conversations that quote files at or below the given paths.

    Raises:
        NotFound: as `ingest.sync.forgetting.check_known`.
    """
    named = spelled_for_vault(paths)
    forgotten.check_known(store, named, _paths_quoted(conversations))
    return _quoting(store, forgotten.chosen(store, named), conversations)


def _paths_quoted(conversations: Conversations) -> set[str]:
    """Returns the paths that conversations quote, including files that are no longer in the vault."""
    return conversations.quoted_paths() | {later for _, later in conversations.later_paths()}


def _quoting(store: Store, what: forgotten.Chosen, conversations: Conversations) -> list[Conversation]:
    if not conversations.all():
        # The runs of words of a large archive take a gigabyte.
        return []
    later = {path for path, lay in conversations.later_paths() if nearest(lay, what.paths)}
    before = FormerPaths(store).of_files(conversations.quoted_paths(), what.file_ids)
    markers = QuoteMarkers(store, what.file_ids)
    return quoting(conversations, Quoted((*what.paths, *later, *before), markers.runs, markers.is_own))


def spelled_for_vault(paths: Sequence[Path]) -> list[str]:
    """Returns the paths in the form in which the vault stores paths."""
    return [os.path.abspath(os.path.expanduser(path)) for path in paths]


class _Run:
    """One call of `index` or `forget`."""

    def __init__(
        self,
        store: Store,
        progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        wait_milliseconds: int = PATIENT_MILLISECONDS,
    ) -> None:
        self._store = store
        self._wait_milliseconds = wait_milliseconds
        self._progress = progress
        self._cancelled = cancelled
        self.tally = Tally()
        self.gone_files = 0
        self.gone_conversations = 0
        self.times: list[StageTime] = []
        self.stopped = False
        self.scans: ScanBacklog | None = None
        """Files with text in pictures, read after all others; None if there are none."""

    def make_ready(self, request: IndexRequest) -> None:
        """Makes of the texts that were read what questions need."""
        self.clear_caches()
        self.stage(LINKING, self.link)
        self.stage(EMBEDDING, lambda: self.embed(request))
        self.stage(CONNECTING, lambda: self.connect(request.vectors))

    def stage(self, name: str, work: Callable[[], None]) -> None:
        """Runs a stage, unless the user has stopped the run, and records its time."""
        self.stopped = self.stopped or self._cancelled()
        if self.stopped:
            return
        started = time.perf_counter()
        work()
        took = time.perf_counter() - started
        before = sum(stage.seconds for stage in self.times if stage.stage == name)
        self.times = [*(stage for stage in self.times if stage.stage != name), StageTime(name, before + took)]
        _log.info("stage %s took %.2f s%s", Term(name), took, Term(", stopped" if self.stopped else ""))

    @property
    def elapsed_seconds(self) -> float:
        """Seconds of all stages together."""
        return sum(stage.seconds for stage in self.times)

    def finish_begun(self) -> None:
        """Finishes a forgetting that was killed before it removed its files."""
        begun = noted_forgetting(self._store)
        if begun is not None:
            self.stage(FORGETTING, lambda: self.forget(begun, False))

    def forget(self, forgetting: Forgetting, renew_backups: bool) -> None:
        tell = self.teller(FORGETTING, "paths")
        tell(0, len(forgetting.paths))
        conversations = Conversations(self._store.folder)
        if noted_forgetting(self._store) is None:
            quoted = _paths_quoted(conversations) if forgetting.conversations else ()
            forgotten.check_known(self._store, forgetting.paths, quoted)
        if renew_backups:
            Backups(self._store.folder).note_renewal()
        note_forgetting(self._store, forgetting)
        what = forgotten.chosen(self._store, forgetting.paths)
        self.gone_files = len(what.file_ids)
        if forgetting.conversations:
            # First, because the removed documents are needed to find the conversations that quote them.
            conversations.wait_for_writers()
            gone = _quoting(self._store, what, conversations)
            conversations.delete_all([one.id for one in gone])
            self.gone_conversations = len(gone)
        with self._store.transaction():
            self.tally.removed = forgotten.forget(self._store, what)
            self._count_texts()
        tell(len(forgetting.paths), len(forgetting.paths))

    def end(self) -> None:
        """Erases forgotten texts from the files, unless later stages must still remove data; moves the log into the file."""
        conversations = Conversations(self._store.folder)
        if not self.stopped and (self._store.has_traces or conversations.has_traces):
            # Conversations first: until they have a mark of their own, the vault's mark stands for both.
            conversations.clear_traces(self._wait_milliseconds)
        if not self.stopped and self._store.has_traces:
            # A search that began before may have written caches of what was forgotten.
            self._store.clear_traces(self._wait_milliseconds, lambda: remove_outdated(self._store))
        else:
            self._store.checkpoint()

    def forget_caches(self, caches: Caches) -> None:
        tell = self.teller(PREPARING, "caches")
        tell(0, 1)
        caches.forget()
        tell(1, 1)

    def clear_caches(self) -> None:
        """Removes caches that may contain forgotten texts; they are made again when needed."""
        if self._store.has_traces:
            remove_caches(self._store.folder)

    def read(self, request: IndexRequest) -> None:
        # Checked here, where no other process can write, so that paths forgotten a moment ago are skipped.
        BroughtRoots(self._store).choose(spelled_for_vault(request.paths))
        paths = request.paths if request.takes_back else forgotten.not_forgotten(self._store, request.paths)
        found = scan(paths, request.max_file_bytes)
        process = WorkerProcess(without_walls=request.formats_without_walls)
        intake = Sync(
            self._store,
            request.counters,
            request.by_lines,
            paths,
            process,
            again=request.again,
            keep_old=request.keep_old,
            executor=request.executor,
        )
        self.tally = intake.tally
        try:
            intake.run(found, self.teller(READING, "files"), self._cancelled)
        finally:
            self._count_texts()
        self.stopped = self.tally.stopped
        if request.read_scans and not self.stopped:
            self.scans = ScanBacklog(unread_scans_of(self._store, found.files))
        log_tally(self.tally)

    def read_scans(self, request: IndexRequest) -> None:
        """Reads text in pictures for some minutes."""
        assert self.scans is not None
        tell = self.teller(READING_PICTURES, "pages")
        with WorkerProcess(without_walls=request.formats_without_walls) as process:
            reading = ScanReading(self._store, request.counters, spelled_for_vault(request.paths), process)
            try:
                self.scans.read(reading, tell, self._cancelled)
            finally:
                self.tally.take_scans(reading.tally, {scan.file.path for scan in self.scans.done})
                self._count_texts()
        # The models of the slow reader, 0.2 GB, would wait for the next run with their process.
        end_waiting()
        self.stopped = reading.tally.stopped

    def _count_texts(self) -> None:
        """Raises the count of text changes if any document changed."""
        if self.tally.touched or TEXTS not in self._store.facts:
            self._store.facts[TEXTS] = str(int(self._store.facts.get(TEXTS, "0")) + 1)

    def link(self) -> None:
        texts, readings = self._store.facts[TEXTS], DocumentCountRows(self._store)
        # A kill may have left changed documents without a new count.
        has_texts = self._store.facts.get(GRAPH_OF) == texts
        is_current = has_texts and rules_are_current(self._store) and names_are_current(self._store)
        if is_current and not readings.is_behind:
            return
        tell = self.teller(LINKING, "sentences")
        total = readings.unread_sentences()
        for batch in batches_to_read(self._store):
            if self._cancelled():
                self.stopped = True
                return
            advanced = partial(_tell_more, tell, total - readings.unread_sentences(), total)
            with self._store.transaction(), _without_collecting():
                self.tally.skipped += build_instant_graph(self._store, advanced, batch)
        self._store.facts[GRAPH_OF] = texts

    def embed(self, request: IndexRequest) -> None:
        tell = self.teller(EMBEDDING, "sentences")
        if request.again:
            UnembeddedRows(self._store).clear()
        before = self._store.facts.get(EMBEDDED_BY)
        finished = embed_missing(
            self._store, request.embedding(), request.embedder, tell, self._cancelled, request.executor
        )
        if self._store.facts.get(EMBEDDED_BY) != before:
            request.vectors.read_anew()
        self.stopped = not finished
        self.tally.skipped += not_embedded(self._store)

    def connect(self, vectors: SentenceVectors) -> None:
        texts = self._store.facts[TEXTS]
        is_of_texts = self._store.facts.get(EDGES_OF) == texts and edges_are_current(self._store)
        if is_of_texts and not NeighbourBoundRows(self._store).is_behind:
            return
        with self._store.transaction():
            build_semantic_edges(
                self._store, vectors, self.teller(CONNECTING, "sentences"), self.teller(CONNECTING, "edges")
            )
            self._store.facts[EDGES_OF] = texts

    def teller(self, stage: str, unit: str) -> Callable[[int, int], None]:
        """Returns a function that reports how far a stage is, with done and total."""
        return lambda done, total: self._progress(Progress(stage, done, total, unit))


def _tell_more(tell: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    tell(before + done, total)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Pauses the garbage collector: documents contain no reference cycles, and collecting takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
