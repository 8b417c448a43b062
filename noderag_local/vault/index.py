"""Chooses the models of an indexing run by the settings and by what is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from noderag_local.config import Settings
from noderag_local.domain.errors import ModelError
from noderag_local.domain.progress import OtherLanguages, Progress
from noderag_local.ingest.chunks.packing import Counters, CountTokens
from noderag_local.ingest.formats.registry import scans_can_be_read
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.models.embedding.embedding_model import (
    EmbeddingModel,
    builtin_model,
    embedding_model,
    multilingual_model,
)
from noderag_local.models.embedding.opening import open_embedder
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.models.llm.gguf_files.installed import resolve_model
from noderag_local.models.llm.machine import physical_cores
from noderag_local.pipeline.index_request import IndexRequest
from noderag_local.storage.database.fact_names import EMBEDDED_BY, EMBEDDED_WITH, TOKENIZER
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.system.batches.executor import Executor
from noderag_local.system.paths import absolute
from noderag_local.text.languages import is_english

ESTIMATE = "estimate from word pieces"
ESTIMATED_TOKENS_A_PIECE = 1.25
"""Estimated tokens for each word piece, used if no GGUF model is installed. On MuSiQue a word piece is 1.11 tokens of Qwen2.5
on average. One sentence in eight has more tokens than this estimate, but a context of many sentences has not."""


NOTES_LOOKED_AT = 200
"""Number of notes in the sample whose languages are detected."""
FEW_NOTES = 3
"""Number of notes of the sample that may be in other languages before that counts; in a small folder, a tenth of the notes."""
MULTILINGUAL = "multilingual-e5-small"
"""Embedding model of the catalogue that is recommended for languages other than English."""


class LoadedModels:
    """Models and vectors that indexing keeps in memory; each is loaded when first needed, and several runs can share them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.vectors = SentenceVectors()

    @cached_property
    def pieces(self) -> WordPieces:
        """Tokenizer that measures the size of chunks."""
        return WordPieces()

    @cached_property
    def context_counter(self) -> tuple[str, CountTokens]:
        """Returns the name of the tokenizer that measures budgets, and its counting function."""
        return _context_counter(self._settings, self.pieces)

    def embedder(self, model: EmbeddingModel) -> Embedder:
        """Returns an embedding model; it is loaded when first needed, and all vaults of the process share it."""
        return open_embedder(model, self._settings)


class EmbeddingChoice:
    """Chooses the embedding model of an indexing run.

    The model of the settings comes first. If they name none, the vault keeps its model; for notes in languages other than
    English, an installed multilingual model is chosen.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        """Looks up the model of the settings and the model of the vault.

        Raises:
            ModelError: one of them is not installed; the message says how to get it.
        """
        self._store, self._models_dir = store, absolute(settings.models_dir)
        named = settings.embedding_model
        self._named = embedding_model(named, self._models_dir) if named else embedding_of(store, settings)
        self._is_open = not named and self._named.identity == builtin_model().identity
        self.other_languages: OtherLanguages | None = None
        """Detected languages of the notes; None if the notes are English or were not checked."""

    @cached_property
    def model(self) -> EmbeddingModel:
        """Returns the chosen model; called after the notes are read."""
        if not self._is_open:
            return self._named
        there = multilingual_model(self._models_dir)
        if there is None and EMBEDDED_BY in self._store.facts:
            return self._named
        texts = TextRows(self._store).beginnings(NOTES_LOOKED_AT)
        foreign = sum(not is_english(text) for text in texts)
        if (foreign <= FEW_NOTES and foreign * 10 < len(texts)) or not foreign:
            return self._named
        name = there.name if there else MULTILINGUAL
        self.other_languages = OtherLanguages(len(texts), foreign, name, is_taken=there is not None)
        return there or self._named


def indexing_request(
    store: Store,
    settings: Settings,
    models: LoadedModels,
    paths: Sequence[Path],
    by_lines: bool,
    takes_back: bool,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
    *,
    again: bool = False,
    keep_old: bool = False,
    choice: EmbeddingChoice | None = None,
    executor: Executor | None = None,
) -> IndexRequest:
    """Makes the request for `pipeline.indexing.index`; recounts the stored sentences if the tokenizer has changed."""
    name, context = models.context_counter
    if store.facts.get(TOKENIZER) != name:
        _recount(store, name, context)
    choice = choice or EmbeddingChoice(store, settings)
    return IndexRequest(
        paths=paths,
        by_lines=by_lines,
        takes_back=takes_back,
        again=again,
        keep_old=keep_old,
        max_file_bytes=settings.max_file_mb << 20,
        read_scans=settings.read_scans and scans_can_be_read(),
        formats_without_walls=settings.formats_without_walls,
        counters=Counters(chunk=models.pieces.count, context=context),
        embedding=lambda: choice.model,
        embedder=lambda: models.embedder(choice.model),
        progress=progress,
        cancelled=cancelled,
        vectors=models.vectors,
        executor=executor,
    )


@contextmanager
def executor_on(on: str, settings: Settings) -> Iterator[Executor | None]:
    """Gives what does the work that needs no vault: Ray, or None for this process.

    Args:
        on: `ray` to start Ray on this machine, the address of a cluster, or "" for this process.
        settings: settings of the vault; its threads are the cores of a Ray on this machine.

    Raises:
        SettingsError, ClusterError: as for `opened_ray`.
    """
    if not on:
        yield None
        return
    from noderag_local.system.batches.ray_cluster import opened_ray

    with opened_ray(on, settings.threads or physical_cores()) as executor:
        yield executor


def _context_counter(settings: Settings, pieces: WordPieces) -> tuple[str, CountTokens]:
    try:
        from noderag_local.models.llm.llamacpp.tokenizer import Tokenizer

        tokenizer = Tokenizer(resolve_model(settings.model, settings.models_dir))
    except ModelError:
        # A language model or llama.cpp that is missing or damaged does not prevent indexing; a question reports it.
        return ESTIMATE, lambda texts: [int(count * ESTIMATED_TOKENS_A_PIECE) + 1 for count in pieces.count(texts)]
    return tokenizer.name, tokenizer.count_many


def _recount(store: Store, name: str, count: CountTokens) -> None:
    texts = TextRows(store)
    ids = texts.sentence_table().ids.tolist()
    with store.transaction():
        DocumentRows(store).set_tokens(zip(ids, count(texts.sentence_texts(ids)), strict=True))
        store.facts[TOKENIZER] = name


def embedding_of(store: Store, settings: Settings) -> EmbeddingModel:
    """Returns the model that made the vault's vectors, which must also embed questions, whatever the settings say.

    Raises:
        ModelError: the model is no longer installed; the message says how to get it.
    """
    return embedding_model(store.facts.get(EMBEDDED_WITH, ""), absolute(settings.models_dir))
