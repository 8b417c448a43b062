"""A vault: one folder with everything that was read from the user's files, and all that can be done with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from noderag_local.config import Settings
from noderag_local.domain.holdings import Shown, Stats
from noderag_local.domain.passages import EVERYTHING, Retrieval, Scope
from noderag_local.domain.progress import Finding, IndexReport, Progress
from noderag_local.models.language_model import LanguageModel
from noderag_local.storage.database.store import Store
from noderag_local.system.log.log_lines import Term

if TYPE_CHECKING:
    from noderag_local.domain.stream import Stream
    from noderag_local.generation.answering import Answer
    from noderag_local.generation.follow_up import Exchange
    from noderag_local.pipeline.indexing import ForgetReport
    from noderag_local.retrieval.matches import Match
    from noderag_local.storage.conversations.conversations import Conversations
    from noderag_local.vault.ask import AskProgress
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
    """One vault, opened when it is first used.

    Close it with `close()`, or use it as a context manager. Only one thread may use it at a time.
    """

    def __init__(self, folder: Path, settings: Settings, model: LanguageModel | None = None) -> None:
        """Names a vault; nothing is opened yet.

        Args:
            folder: of the vault; it need not exist.
            settings: of everything that is done with the vault.
            model: shared with others, who close it; None: one of its own, as the settings say.
        """
        self.folder = folder
        self.settings = settings
        self._reader: Reader | None = None
        self._model = model or LanguageModel(settings)
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
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> IndexReport:
        """Reads files and folders into the vault; files that have not changed are left as they are.

        Args:
            paths: files and folders to read.
            by_lines: each line of a text file is a document of its own.
            takes_back: what was forgotten of the paths comes back.
            again: files are read again though they have not changed.
            keep_old: files that an older version of their reader has read stay as they are, unless they have changed.
            models: those of a run before, which need not be loaded again; None: what is needed is loaded for this run.
            progress: told how far each stage is.
            cancelled: asked often; the run then ends cleanly and keeps what is done.

        Raises:
            SourceError: a path does not exist.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
        """
        from noderag_local.pipeline import indexing
        from noderag_local.vault.index import EmbeddingChoice, LoadedModels, indexing_request

        self._close_reader()
        with Store.open(self.folder, write=True) as store:
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
            )
            report = replace(indexing.index(store, request), other_languages=choice.other_languages)
        self._back_up_after(report.elapsed_seconds)
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
        """Indexes now and whenever something changes, until it is stopped.

        Other programs may write to the vault between two runs.

        Args:
            paths: folders and files; none: all that was ever indexed, each as it was read.
            by_lines: of `paths`, as `index`.
            keep_old: as `index`.
            told: as `vault.watch.follow`.
            stopped: asked several times a second.
            index: brings the vault up to date with some paths, given with the number of files that differ; None: this
                vault does it itself.
            looked: as `vault.watch.follow`.

        Raises:
            SourceError: one of `paths` does not exist.
            VaultMissing: there are no paths, and nothing was indexed yet.
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
        """Removes files and folders from the vault with everything made of them; the files themselves stay.

        No byte of them is left in any file of the vault but its backups. Indexing a folder above leaves them out from then
        on. Indexing one by its own path takes it back.

        Args:
            paths: files and folders to remove; they need not exist any more.
            keep_conversations: those that quote them stay, with what they quote; else they are deleted.
            renew_backups: puts a new backup in the place of all those there are.
            progress: told how far each stage is.
            cancelled: asked between the stages; what was removed by then stays so.

        Raises:
            NotFound: the vault has nothing at one of the paths; names what comes near. Nothing is removed then.
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
        """Enriching: the language model reads the notes, within a budget."""
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
        self, question: str, *, method: str = "", budget_tokens: int = 0, scope: Scope = EVERYTHING
    ) -> Retrieval:
        """Searches the notes and returns the context for a question.

        Args:
            question: in the user's own words.
            method: one of `retrieval.retriever.method_names()`; "" is the settings' one, or full text while there are no vectors.
            budget_tokens: of the context; 0 is the settings' value.
            scope: documents outside are never in the context.

        Raises:
            VaultMissing: nothing was indexed yet.
            SettingsError: there is no such method, or the scope ends before it begins.
            LayerMissing: the vault lacks what the method needs.
            NotFound: the scope names a folder or tag that no document has.
        """
        tokens = budget_tokens or self.settings.budget_tokens
        found = self._read().retriever(method, scope).retrieve(question, tokens)
        _log.info(
            "%s found %d sources, %d tokens, in %.0f ms",
            *(Term(found.method), len(found.sources), found.tokens, found.elapsed_ms),
        )
        return found

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
        """Answers a question from the notes, with citations; all work is done while the stream is read.

        Args:
            question: in the user's own words.
            earlier: the conversation so far, oldest first. A question that refers to it is rewritten so that it can be
                searched for; `Answer.asked_as` tells how. This needs a language model: without one the question is
                asked as it is.
            method: as for `search`.
            budget_tokens: as for `search`.
            scope: as for `search`.
            with_model: False never loads a model; the passages themselves answer then, as where none is installed.
            short: a short phrase without citations, as benchmarks want it.
            progress: told what is being done before the first piece comes, in the thread that reads the stream.
            cancelled: asked many times a second; the answer then ends, and what was written is kept.

        Reading the stream raises:
            VaultMissing, SettingsError, LayerMissing, NotFound: as `search`.
            ModelMissing: the method leaves the answer to the model alone, and there is none.
            ModelError: the model cannot be used, or failed.
        """
        from noderag_local.domain.stream import Stream
        from noderag_local.vault.ask import VaultAsking

        asking = VaultAsking(
            lambda wanted: self.search(wanted, method=method, budget_tokens=budget_tokens, scope=scope),
            self._model.engine if with_model else lambda: None,
            self.settings.answer_tokens,
            progress,
            cancelled,
        )
        return Stream(asking.pieces(question, earlier, short))

    def open_model(self) -> str:
        """Opens the language model, which takes seconds, and returns its name; empty when none is installed.

        Raises:
            ModelError: the model or the server cannot be used.
        """
        engine = self._model.engine()
        return engine.name if engine else ""

    def matches(self, question: str) -> list[Match]:
        """Returns the files that are about something, each with the passages that are; none when nothing fits well.

        Raises:
            VaultMissing: nothing was indexed yet.
        """
        return self._read().matches(question)

    @property
    def atlas(self) -> VaultAtlas:
        """Browsing: documents, entities, themes, dates, and how an answer was found."""
        from noderag_local.vault.browse import VaultAtlas

        return VaultAtlas(self._read)

    @property
    def exchange(self) -> VaultExchange:
        """Export of the vault as files, and import from them."""
        from noderag_local.vault.import_export import VaultExchange

        return VaultExchange(self.folder, self._read)

    @property
    def conversations(self) -> Conversations:
        """Conversations over this vault; usable from any thread, also while the vault is being written."""
        from noderag_local.storage.conversations.conversations import Conversations

        return Conversations(self.folder)

    def count_exactly(self) -> None:
        """Makes searches count with the language model's own tokenizer, which fills contexts to the last token.

        Loads the vocabulary alone, in half a second. Without a model, or with a model server, the stored counts of the
        sentences stand, which leave some 6 % of a budget empty. `ask` with a model counts exactly by itself.
        """
        self._model.count_exactly()

    def show(self, name: str) -> Shown:
        """Returns a document by path or title, an entity by name, or a source by "path:line".

        Raises:
            NotFound: none of these; names what comes near.
        """
        from noderag_local.vault.browsing.show import shown

        return shown(self._read().store, name)

    def stats(self) -> Stats:
        """Counts what the vault holds."""
        from noderag_local.storage.browsing.freshness import layers
        from noderag_local.vault.browsing.show import stats

        store = self._read().store
        return stats(store, layers(store))

    def check(self) -> list[Finding]:
        """Checks the store, and whether every stage has seen every document."""
        from noderag_local.storage.backup.integrity import integrity
        from noderag_local.storage.browsing.freshness import is_complete

        store = self._read().store
        complete = is_complete(store)
        remedy = "" if complete else "Run 'noderag index' on your folder again and let it finish."
        detail = "every stage has seen every document" if complete else "indexing was stopped before its end"
        return [*integrity(store), Finding("indexing", complete, detail, remedy)]

    @property
    def safety(self) -> VaultSafety:
        """Backups, restoring one, and repair."""
        from noderag_local.vault.safety import VaultSafety

        return VaultSafety(self.folder, self._close_reader)

    @property
    def names(self) -> VaultNames:
        """Names that are read as one, and what a person decides about them."""
        from noderag_local.vault.names import VaultNames

        return VaultNames(self._read, self._writing)

    @property
    def encryption(self) -> VaultEncryption:
        """Encryption: opening, encrypting and decrypting the vault."""
        from noderag_local.vault.encrypt import VaultEncryption

        return VaultEncryption(self.folder, self._close_reader)

    def _back_up_after(self, worked_seconds: float) -> None:
        if self.settings.automatic_backups:
            self.safety.back_up_after(worked_seconds)

    def close(self) -> None:
        """Closes the file and the model; does nothing when they are closed already."""
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
        """Returns the reader, opened anew when another process has changed the vault."""
        if self._reader is not None and self._reader.is_stale():
            self._close_reader()
        if self._reader is None:
            from noderag_local.vault.reader import Reader

            self._reader = Reader(Store.open(self.folder, write=False), self.settings)
        self._reader.count_tokens = self._model.count_tokens
        self._reader.model = lambda: self._model.needed("This retrieval method")
        return self._reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.store.close()
            self._reader = None
