"""A vault is one folder with everything that noderag read from the user's files; `Vault` offers all operations on it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from noderag_local.config import Settings
from noderag_local.domain.errors import VaultTooOld
from noderag_local.domain.holdings import Shown, Stats
from noderag_local.domain.passages import EVERYTHING, Retrieval, Scope, without_passages
from noderag_local.domain.progress import BACKING_UP, Finding, IndexReport, Progress
from noderag_local.models.language_model import LanguageModel, ModelAccess
from noderag_local.storage.database.store import Store
from noderag_local.storage.database.unlocked_file import is_writable
from noderag_local.system.log.log_lines import Term
from noderag_local.vault.one_state import OneState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from noderag_local.domain.stream import Stream
    from noderag_local.generation.answering import Answer
    from noderag_local.generation.follow_up import Exchange
    from noderag_local.pipeline.indexing import ForgetReport
    from noderag_local.retrieval.matches import Match
    from noderag_local.storage.conversations.conversations import Conversations
    from noderag_local.vault.ask import AskProgress, VaultAsking
    from noderag_local.vault.browse import VaultAtlas
    from noderag_local.vault.encrypt import VaultEncryption
    from noderag_local.vault.enrich import VaultEnrichment
    from noderag_local.vault.import_export import VaultExchange
    from noderag_local.vault.index import LoadedModels
    from noderag_local.vault.names import VaultNames
    from noderag_local.vault.reader import Reader
    from noderag_local.vault.safety import VaultSafety
    from noderag_local.vault.watch import Followed, Watched

_log = logging.getLogger(__name__)


class Vault:
    """One vault, whose files are opened when they are first needed.

    Close it with `close()`, or use it as a context manager. Only one thread may use it at a time.
    """

    def __init__(self, folder: Path, settings: Settings, model: ModelAccess | None = None) -> None:
        """Takes the folder of a vault and opens nothing yet.

        Args:
            folder: folder of the vault; it need not exist.
            settings: settings for all operations on the vault.
            model: a language model that the caller shares with others and closes; None lets the vault open its own.
        """
        self.folder = folder
        self.settings = settings
        self._reader: Reader | None = None
        self._in_one_state = OneState(self._read, self._close_reader)
        self._model: ModelAccess = model or LanguageModel(settings)
        self._owns_model = model is None

    def index(
        self,
        paths: Sequence[Path],
        *,
        by_lines: bool = False,
        takes_back: bool = True,
        again: bool = False,
        keep_old: bool = False,
        models: LoadedModels | None = None,
        on: str = "",
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> IndexReport:
        """Reads files and folders into the vault, except files that have not changed.

        Args:
            paths: files and folders to read.
            by_lines: whether each line of a text file is a document of its own.
            takes_back: whether files are read again that were forgotten and lie at the paths.
            again: whether unchanged files are read again.
            keep_old: whether unchanged files stay as they are even if their reader has a newer version now.
            models: models that an earlier run has loaded; None loads what is needed for this run.
            on: where files are read and vectors computed: "ray" for a Ray that is started on this machine, an address such
                as "ray://192.168.1.20:10001" for a cluster, "" for this process. What is stored is the same.
            progress: called with the progress of each stage.
            cancelled: called often; True ends the run cleanly and keeps what is done.

        Raises:
            SourceError: a path does not exist.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
            SettingsError: `on` is no address, or one that is not on a private network.
            ClusterError: Ray is not installed, cannot be reached or was lost.
        """
        from noderag_local.pipeline import indexing
        from noderag_local.vault.index import EmbeddingChoice, LoadedModels, executor_on, indexing_request

        self._close_reader()
        with executor_on(on, self.settings) as executor, Store.open(self.folder, write=True) as store:
            loaded, choice = models or LoadedModels(self.settings), EmbeddingChoice(store, self.settings)
            request = indexing_request(
                store,
                self.settings,
                loaded,
                paths,
                by_lines,
                takes_back,
                progress,
                cancelled,
                again=again,
                keep_old=keep_old,
                choice=choice,
                executor=executor,
            )
            report = replace(indexing.index(store, request), other_languages=choice.other_languages)
        self._back_up_after(
            report.elapsed_seconds, lambda done, total: progress(Progress(BACKING_UP, done, total, "pages"))
        )
        return report

    def watch(
        self,
        paths: Sequence[Path] = (),
        *,
        by_lines: bool = False,
        keep_old: bool = False,
        told: Callable[[Followed], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
        index: Callable[[Watched, int], IndexReport] | None = None,
        looked: Callable[[Sequence[Path]], None] = lambda _: None,
    ) -> None:
        """Indexes now and after each change, until it is stopped.

        Other programs may write to the vault between two runs.

        Args:
            paths: folders and files to follow; empty means all that were ever indexed, each read as before.
            by_lines: as for `index`, applied to `paths`.
            keep_old: as for `index`.
            told: as for `vault.watch.follow`.
            stopped: called several times a second; True ends the watching.
            index: called with paths and the number of changed files, to index them; None lets this vault index them.
            looked: as for `vault.watch.follow`.

        Raises:
            SourceError: one of `paths` does not exist.
            VaultMissing: `paths` is empty and nothing was indexed yet.
            VaultDamaged, StoreError: the vault cannot be written.
        """
        from noderag_local.vault.follow import VaultFollowing, indexing_of
        from noderag_local.vault.watch import Watched, follow, present

        if not paths:
            self._read()
        named = [Watched(present(paths), by_lines)] if paths else []
        bring_up_to_date = index or indexing_of(self, stopped, keep_old=keep_old)
        max_file_bytes = self.settings.max_file_mb << 20
        following = VaultFollowing(self.folder, max_file_bytes, self._read, bring_up_to_date, named, keep_old=keep_old)
        follow(following, told, stopped, looked)

    def forget(
        self,
        paths: Sequence[Path],
        *,
        keep_conversations: bool = False,
        renew_backups: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ForgetReport:
        """Removes files and folders from the vault with everything made from them; the files themselves stay on the disk.

        No byte of them is left in any file of the vault except its backups. From then on, indexing a folder that contains
        them skips them; indexing one of them by its own path takes it back.

        Args:
            paths: files and folders to remove; they need not exist any more.
            keep_conversations: whether conversations that quote the files stay; otherwise they are deleted.
            renew_backups: whether one new backup replaces all existing ones.
            progress: called with the progress of each stage.
            cancelled: called between the stages; True ends the run, but what was removed stays removed.

        Raises:
            NotFound: the vault has nothing at one of the paths; the message names similar paths, and nothing is removed.
            VaultMissing: nothing was indexed yet.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
        """
        from noderag_local.pipeline import indexing

        with self._writing() as store:
            report = indexing.forget(
                store,
                paths,
                progress,
                cancelled,
                keep_conversations=keep_conversations,
                renew_backups=renew_backups,
            )
        if not renew_backups or report.has_traces:
            return report
        self.safety.back_up(only=True)
        return replace(report, backups=self.safety.older_backups())

    @property
    def enrichment(self) -> VaultEnrichment:
        """Enrichment of the vault: the language model reads the notes, within a budget."""
        from noderag_local.vault.enrich import VaultEnrichment

        return VaultEnrichment(self.folder, self.settings, self._model, self._read, self._writing, self._back_up_after)

    @contextmanager
    def _writing(self) -> Iterator[Store]:
        """Opens the store of an existing vault for writing."""
        self._read()
        self._close_reader()
        with Store.open(self.folder, write=True) as store:
            yield store

    def search(
        self,
        question: str,
        *,
        method: str = "",
        budget_tokens: int = 0,
        scope: Scope = EVERYTHING,
        most_passages: int | None = None,
    ) -> Retrieval:
        """Searches the notes and returns the passages for a question, packed into a context; none where nothing is near.

        Args:
            question: the question in the user's own words.
            method: one of `retrieval.retriever.method_names()`, with values of its parameters in brackets if they are not
                the defaults: "ket(beta=0.6, theta=0.2)"; "" means the method of the settings, or full-text search while
                there are no vectors.
            budget_tokens: maximal number of tokens of the context; 0 means the value of the settings.
            scope: documents outside the scope are never in the context.
            most_passages: number of passages to return at most; None for as many as the budget allows.

        Raises:
            VaultMissing: nothing was indexed yet.
            SettingsError: there is no such method or parameter, or the scope's last day is before its first.
            LayerMissing: the vault lacks what the method needs.
            NotFound: the scope names a folder or tag that no document has.
        """
        found = self._nearest(question, method, budget_tokens, scope, most_passages)
        return found if found.is_near else without_passages(found)

    def _nearest(
        self, question: str, method: str, budget_tokens: int, scope: Scope, most_passages: int | None = None
    ) -> Retrieval:
        """As `search`, with the nearest passages also where nothing is near."""
        tokens = budget_tokens or self.settings.budget_tokens
        found = self._in_one_state(
            lambda reader: reader.retriever(method, scope, most_passages).retrieve(question, tokens)
        )
        _log.info(
            "%s found %d sources, %d tokens, in %.0f ms",
            *(Term(found.method), len(found.sources), found.tokens, found.elapsed_ms),
        )
        return found

    def _search_led_by(
        self, method: str, scope: Scope, question: str, budget_tokens: int, sentences: Sequence[int]
    ) -> Retrieval:
        """As `search`, with the sentences of some nodes before all others in the context."""
        if not sentences:
            return self.search(question, method=method, budget_tokens=budget_tokens, scope=scope)
        return self._in_one_state(
            lambda reader: reader.led_by(sentences, self._nearest(question, method, budget_tokens, scope), scope)
        )

    def _to_survey(self, method: str, scope: Scope, question: str, budget_tokens: int) -> Retrieval:
        """As `search`, for an overview: "What worried me?" need not have a word in common with what it asks for."""
        return self._nearest(question, method, budget_tokens, scope)

    def ask(
        self,
        question: str,
        *,
        earlier: Sequence[Exchange] = (),
        method: str = "",
        budget_tokens: int = 0,
        scope: Scope = EVERYTHING,
        with_model: bool = True,
        short: bool = False,
        progress: Callable[[AskProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Stream[Answer]:
        """Answers a question from the notes, with citations; the work is done while the caller reads the stream.

        With the default method, counts, sums, days, order and lists are computed, where the notes decide them, what the notes
        say of somebody is quoted, and a question of several steps is answered step by step.

        Args:
            question: the question in the user's own words.
            earlier: the conversation so far, oldest first. A question that refers to it is rewritten for the search;
                `Answer.asked_as` has the rewritten text. Without a language model the question is not rewritten.
            method: as for `search`.
            budget_tokens: as for `search`.
            scope: as for `search`.
            with_model: False loads no model; the answer then consists of passages, as if no model were installed.
            short: whether the answer is a short phrase without citations, as benchmarks expect.
            progress: called with each step before the first piece, in the thread that reads the stream.
            cancelled: called many times a second; True ends the answer and keeps what was written.

        Reading the stream raises:
            VaultMissing, SettingsError, LayerMissing, NotFound: as for `search`.
            ModelMissing: the method needs a model to answer, and there is none.
            ModelError: the model cannot be used or failed.
        """
        from noderag_local.domain.stream import Stream

        asking = self._asking(method, budget_tokens, scope, with_model, short, progress, cancelled)
        return Stream(asking.pieces(question, earlier, short))

    def read_ahead(
        self,
        question: str,
        *,
        method: str = "",
        budget_tokens: int = 0,
        scope: Scope = EVERYTHING,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Lets the language model read the passages for a question before it is asked, so that `ask` begins to write sooner.

        Nothing is read where `ask` would not begin by reading: for an answer that is computed, an overview, notes to judge, steps to
        ask one by one, a question that refers to earlier ones, or with a server.

        Args:
            question: what has been typed so far.
            method: as for `search`.
            budget_tokens: as for `search`.
            scope: as for `search`.
            cancelled: called many times a second; True stops the reading at once.

        Raises:
            VaultMissing, SettingsError, LayerMissing, NotFound: as for `search`.
            ModelError: the model cannot be used or failed.
        """
        self._asking(method, budget_tokens, scope, True, False, lambda _: None, cancelled).read_ahead(question)

    def _asking(
        self,
        method: str,
        budget_tokens: int,
        scope: Scope,
        with_model: bool,
        short: bool,
        progress: Callable[[AskProgress], None],
        cancelled: Callable[[], bool],
    ) -> VaultAsking:
        """Collects the parts of the vault that answer a question; arguments as for `ask`."""
        from noderag_local.vault.asking_parts import asking_parts

        return asking_parts(
            self._read,
            self._in_one_state,
            partial(self._search_led_by, method, scope),
            partial(self._to_survey, method, scope),
            self.settings,
            self._model.engine if with_model else lambda: None,
            method=method,
            budget_tokens=budget_tokens,
            scope=scope,
            short=short,
            progress=progress,
            cancelled=cancelled,
        )

    def open_model(self) -> str:
        """Opens the language model, which takes seconds, and returns its name; returns "" if none is installed.

        Raises:
            ModelError: the model or the server cannot be used.
        """
        engine = self._model.engine()
        return engine.name if engine else ""

    def model_identity(self) -> str:
        """Opens the language model and returns its `Engine.identity`, which is another one for another file of the same name.

        Returns "" if none is installed.

        Raises:
            ModelError: the model or the server cannot be used.
        """
        engine = self._model.engine()
        return engine.identity if engine else ""

    def matches(self, question: str) -> list[Match]:
        """Returns the files that match a question, each with its matching passages; empty if nothing matches well.

        Raises:
            VaultMissing: nothing was indexed yet.
        """
        return self._in_one_state(lambda reader: reader.matches(question))

    def embeddings(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of texts by the model of the vault, (n, dim) float32, each of length 1.

        Raises:
            VaultMissing: nothing was indexed yet.
            ModelError: the embedding model cannot be used.
        """
        return self._read().embeddings(texts)

    @property
    def atlas(self) -> VaultAtlas:
        """Browsing the vault: documents, entities, themes, dates, and how an answer was found."""
        from noderag_local.vault.browse import VaultAtlas

        return VaultAtlas(self._read)

    @property
    def exchange(self) -> VaultExchange:
        """Export of the vault to files, and import from them."""
        from noderag_local.vault.import_export import VaultExchange

        return VaultExchange(self.folder, self._read)

    @property
    def conversations(self) -> Conversations:
        """Conversations about this vault; any thread may use them, even while the vault is being written."""
        from noderag_local.storage.conversations.conversations import Conversations
        from noderag_local.storage.forgetting.forgotten_sources import has_forgotten

        return Conversations(self.folder, partial(has_forgotten, self.folder))

    def count_exactly(self) -> None:
        """Makes searches count tokens with the language model's own tokenizer, so that contexts use the whole budget.

        This loads only the vocabulary, in half a second. Without a model, or with a model server, searches use the stored
        counts of the sentences, which leave about 6 % of a budget empty. `ask` with a model always counts exactly.
        """
        self._model.count_exactly()

    def show(self, name: str) -> Shown:
        """Returns a document by path or title, an entity by name, or a source by "path:line".

        Raises:
            NotFound: nothing has this name; the message suggests similar names.
        """
        from noderag_local.vault.browsing.show import shown

        return shown(self._read().store, name)

    def stats(self) -> Stats:
        """Returns the numbers of files, documents, sentences, nodes and edges in the vault, and other figures."""
        from noderag_local.storage.browsing.freshness import layers
        from noderag_local.vault.browsing.show import stats

        store = self._read().store
        return stats(store, layers(store))

    def check(self) -> list[Finding]:
        """Checks the vault's files, and whether every stage of indexing has processed every document."""
        from noderag_local.retrieval.search_arrays import FILE_NAME, search_arrays_fit
        from noderag_local.storage.backup.integrity import cache_finding, integrity
        from noderag_local.storage.browsing.freshness import is_complete

        store = self._read().store
        arrays = cache_finding(store.folder / FILE_NAME, lambda: search_arrays_fit(store))
        complete = is_complete(store)
        remedy = "" if complete else "Run 'noderag index' on your folder again and let it finish."
        detail = "every stage has processed every document" if complete else "indexing was stopped before its end"
        return [*integrity(store), arrays, Finding("indexing", complete, detail, remedy)]

    @property
    def safety(self) -> VaultSafety:
        """Backups of the vault, restoring one, and repair."""
        from noderag_local.vault.safety import VaultSafety

        return VaultSafety(self.folder, self._close_reader)

    @property
    def names(self) -> VaultNames:
        """Names that are merged into one entity, and the user's decisions about them."""
        from noderag_local.vault.names import VaultNames

        return VaultNames(self._read, self._writing)

    @property
    def encryption(self) -> VaultEncryption:
        """Encryption of the vault: unlocking, encrypting and decrypting it."""
        from noderag_local.vault.encrypt import VaultEncryption

        return VaultEncryption(self.folder, self._close_reader)

    def _back_up_after(self, worked_seconds: float, progress: Callable[[int, int], None]) -> None:
        if self.settings.automatic_backups:
            self.safety.back_up_after(worked_seconds, progress)

    def let_go_of_changed(self) -> None:
        """Frees what was read from the vault's files if another process has changed them; the next search reads them again."""
        if self._reader is not None and self._reader.is_stale():
            self._close_reader()

    def close(self) -> None:
        """Closes the vault's files and its own model; does nothing if they are already closed."""
        self._close_reader()
        if self._owns_model:
            self._model.close()

    def __enter__(self) -> Vault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> Reader:
        """Returns the reader, reopened if another process has changed the vault."""
        if self._in_one_state.held is not None:
            return self._in_one_state.held
        self.let_go_of_changed()
        if self._reader is None:
            from noderag_local.vault.reader import Reader

            self._reader = Reader(self._opened(), self.settings)
        self._reader.count_tokens = self._model.count_tokens
        self._reader.model = lambda: self._model.needed("This retrieval method")
        return self._reader

    def _opened(self) -> Store:
        """Opens the store for reading; one of the first version is brought up to date before, and kept as a backup."""
        try:
            return Store.open(self.folder, write=False)
        except VaultTooOld:
            if not is_writable(self.folder):
                raise
        Store.open(self.folder, write=True).close()
        return Store.open(self.folder, write=False)

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
