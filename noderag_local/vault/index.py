"""Chooses what an indexing run needs by the settings and by what is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from noderag_local.config import Settings
from noderag_local.domain.errors import ModelError
from noderag_local.domain.progress import Progress
from noderag_local.ingest.chunks.packing import Counters, CountTokens
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.models.embedding.embedding_model import EmbeddingModel, embedding_model
from noderag_local.models.embedding.opening import open_embedder
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.models.llm.gguf_files.installed import resolve_model
from noderag_local.pipeline.indexing import IndexRequest
from noderag_local.storage.database.fact_names import EMBEDDED_WITH, TOKENIZER
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.system.paths import absolute

ESTIMATE = "estimate from word pieces"
ESTIMATED_TOKENS_A_PIECE = 1.25
"""Factor that estimates tokens where no GGUF is installed. On MuSiQue a word piece is 1.11 tokens of Qwen2.5 on average; one sentence in eight has more
than this, a context of many has not."""


class LoadedModels:
    """The models and vectors that indexing holds in memory, each loaded when it is first needed; several runs may share them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.vectors = SentenceVectors()

    @cached_property
    def pieces(self) -> WordPieces:
        """Tokenizer that counts for the size of chunks."""
        return WordPieces()

    @cached_property
    def context_counter(self) -> tuple[str, CountTokens]:
        """Name of the tokenizer that counts for budgets, and its function."""
        return _context_counter(self._settings, self.pieces)

    def embedder(self, model: EmbeddingModel) -> Embedder:
        """An embedding model, loaded when it is first needed; all vaults of the process share it."""
        return open_embedder(model, self._settings)


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
) -> IndexRequest:
    """Makes a request for `pipeline.indexing.index`; recounts the stored sentences when the tokenizer has changed."""
    name, context = models.context_counter
    if store.facts.get(TOKENIZER) != name:
        _recount(store, name, context)
    embedding = chosen_embedding(store, settings)
    return IndexRequest(
        paths=paths,
        by_lines=by_lines,
        takes_back=takes_back,
        again=again,
        keep_old=keep_old,
        max_file_bytes=settings.max_file_mb << 20,
        formats_without_walls=settings.formats_without_walls,
        counters=Counters(chunk=models.pieces.count, context=context),
        embedding=embedding,
        embedder=lambda: models.embedder(embedding),
        progress=progress,
        cancelled=cancelled,
        vectors=models.vectors,
    )


def _context_counter(settings: Settings, pieces: WordPieces) -> tuple[str, CountTokens]:
    from noderag_local.models.llm.llamacpp.tokenizer import Tokenizer

    try:
        tokenizer = Tokenizer(resolve_model(settings.model, settings.models_dir))
    except ModelError:
        # A missing or damaged language model never keeps anybody from indexing; asking will tell about it.
        return ESTIMATE, lambda texts: [int(count * ESTIMATED_TOKENS_A_PIECE) + 1 for count in pieces.count(texts)]
    return tokenizer.name, tokenizer.count_many


def _recount(store: Store, name: str, count: CountTokens) -> None:
    texts = TextRows(store)
    ids = texts.sentence_table().ids.tolist()
    with store.transaction():
        DocumentRows(store).set_tokens(zip(ids, count(texts.sentence_texts(ids)), strict=True))
        store.facts[TOKENIZER] = name


def chosen_embedding(store: Store, settings: Settings) -> EmbeddingModel:
    """Returns the embedding model that a vault is to have: that of the settings, or where they name none the one that it has.

    Raises:
        ModelError: it is not there; says how to get it.
    """
    if settings.embedding_model:
        return embedding_model(settings.embedding_model, absolute(settings.models_dir))
    return embedding_of(store, settings)


def embedding_of(store: Store, settings: Settings) -> EmbeddingModel:
    """Returns the model that made the vault's vectors: questions and further texts must go to it, whatever the settings say.

    Raises:
        ModelError: it is not there any more; says how to get it.
    """
    return embedding_model(store.facts.get(EMBEDDED_WITH, ""), absolute(settings.models_dir))
