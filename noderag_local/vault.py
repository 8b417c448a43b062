"""A vault: one folder with everything that was read from the user's files. The public API of the package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from noderag_local.config import Settings
from noderag_local.errors import ModelMissing
from noderag_local.freshness import is_complete, layers
from noderag_local.reader import Reader
from noderag_local.records import Finding, IndexReport, Progress, Retrieval, Shown, Stats
from noderag_local.store.database import Store

if TYPE_CHECKING:
    from noderag_local.answer.answer import Answerer
    from noderag_local.llm.llama import LlamaEngine


class Vault:
    """Opens nothing until it is used; `close()` it, or use it as a context manager. One thread at a time."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings
        self._reader: Reader | None = None
        self._engine: LlamaEngine | None = None
        self._count_tokens: Callable[[str], int] | None = None

    def index(
        self,
        paths: Sequence[Path],
        *,
        by_lines: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> IndexReport:
        """Reads files and folders into the vault; what is there already and has not changed is left as it is.

        Args:
            by_lines: each line of a text file is a document of its own.
            progress: told how far each stage is.
            cancelled: asked often; the run then ends cleanly and keeps what is done.

        Raises:
            SourceError: a path does not exist.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
        """
        from noderag_local import pipeline
        from noderag_local.indexing import indexing_request

        self._close_reader()
        with Store.open(self.folder, write=True) as store:
            request = indexing_request(store, self.settings, paths, by_lines, progress, cancelled)
            return pipeline.index(store, request)

    def search(self, question: str, *, method: str = "", budget_tokens: int = 0) -> Retrieval:
        """The context for a question.

        Args:
            method: one of `search.method_names()`; "" is the settings' one, or full text while there are no vectors.
            budget_tokens: of the context; 0 is the settings' value.

        Raises:
            VaultMissing: nothing was indexed yet.
            SettingsError: there is no such method.
            LayerMissing: the vault lacks what the method needs.
        """
        return self._read().retriever(method).retrieve(question, budget_tokens or self.settings.budget_tokens)

    def count_exactly(self) -> None:
        """Counts contexts with the language model's own tokenizer from now on, and so fills them to the last token.

        Loads the vocabulary alone, in half a second. Without a model the stored counts of the sentences stand, which
        leave some 6 % of a budget empty. An answerer with a model counts exactly by itself.
        """
        from noderag_local.llm.installed import resolve_model
        from noderag_local.llm.tokenizer import Tokenizer

        try:
            path = resolve_model(self.settings.model, self.settings.models_dir)
        except ModelMissing:
            return
        self._count_tokens = Tokenizer(path).count_tokens

    def answerer(self, *, with_model: bool = True) -> Answerer:
        """What turns retrievals into answers: the chosen language model, or the passages themselves where there is none.

        Args:
            with_model: False never loads a model.
        """
        from noderag_local.answer.answer import Answerer

        return Answerer(self._chosen_engine() if with_model else None, self.settings.answer_tokens)

    def show(self, name: str) -> Shown:
        """A document by path or title, an entity by name, a source by "path:line".

        Raises:
            NotFound: none of these; names what comes near.
        """
        from noderag_local.exhibit import shown

        return shown(self._read().store, name)

    def stats(self) -> Stats:
        """What the vault holds."""
        from noderag_local.exhibit import stats

        store = self._read().store
        return stats(store, layers(store))

    def check(self) -> list[Finding]:
        """The store's own checks, and whether every stage has seen every document."""
        from noderag_local.store.integrity import integrity

        store = self._read().store
        complete = is_complete(store)
        remedy = "" if complete else "Run 'noderag index' on your folder again and let it finish."
        detail = "every stage has seen every document" if complete else "indexing was stopped before its end"
        return [*integrity(store), Finding("indexing", complete, detail, remedy)]

    def close(self) -> None:
        """Gives back the file and the model. Harmless when closed already."""
        self._close_reader()
        if self._engine is not None:
            self._engine.close()
            self._engine = self._count_tokens = None

    def __enter__(self) -> Vault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> Reader:
        """What is open for reading, opened anew when another process has changed the vault since."""
        if self._reader is not None and self._reader.is_stale():
            self._close_reader()
        if self._reader is None:
            self._reader = Reader(Store.open(self.folder, write=False), self.settings)
        self._reader.count_tokens = self._count_tokens
        return self._reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.store.close()
            self._reader = None

    def _chosen_engine(self) -> LlamaEngine | None:
        from noderag_local.llm.installed import resolve_model
        from noderag_local.llm.llama import LlamaEngine

        if self._engine is None:
            try:
                path = resolve_model(self.settings.model, self.settings.models_dir)
            except ModelMissing:
                if self.settings.model:
                    raise
                return None
            self._engine = LlamaEngine(path, threads=self.settings.threads, gpu_layers=self.settings.gpu_layers)
            self._count_tokens = self._engine.count_tokens
        return self._engine
