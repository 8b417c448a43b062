"""Chooses what an indexing run needs by the settings and by what is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from noderag_local.config import Settings
from noderag_local.domain.errors import ModelError
from noderag_local.domain.progress import OtherLanguages, Progress
from noderag_local.ingest.chunks.packing import Counters, CountTokens
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model, embedding_model
from noderag_local.models.embedding.opening import open_embedder
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.models.llm.gguf_files.catalog import ModelRole, catalog
from noderag_local.models.llm.gguf_files.installed import resolve_model
from noderag_local.pipeline.indexing import IndexRequest
from noderag_local.storage.database.fact_names import EMBEDDED_BY, EMBEDDED_WITH, TOKENIZER
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.system.paths import absolute
from noderag_local.text.languages import is_english

ESTIMATE = "estimate from word pieces"
ESTIMATED_TOKENS_A_PIECE = 1.25
"""Factor that estimates tokens where no GGUF is installed. On MuSiQue a word piece is 1.11 tokens of Qwen2.5 on average; one sentence in eight has more
than this, a context of many has not."""


NOTES_LOOKED_AT = 200
"""Notes whose language is looked at."""
FEW_NOTES = 3
"""Of the notes that were looked at, so many may be in another language; in a small folder a tenth."""
MULTILINGUAL = "multilingual-e5-small"
"""Embedding model of the catalogue that is recommended for other languages than English."""


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


class EmbeddingChoice:
    """The embedding model that a run of indexing gives a vault.

    It is that of the settings. Where they name none, it is the one that the vault has, or for notes in other languages than
    English one that knows them, if it is installed.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        """Notes the vault.

        Raises:
            ModelError: the model of the settings, or the one that the vault has, is not there; says how to get it.
        """
        self._store, self._models_dir = store, absolute(settings.models_dir)
        named = settings.embedding_model
        self._named = embedding_model(named, self._models_dir) if named else embedding_of(store, settings)
        self._is_open = not named and self._named.identity == builtin_model().identity
        self.other_languages: OtherLanguages | None = None
        """What was found about the notes' languages; None where they are English, or were not looked at."""

    @cached_property
    def model(self) -> EmbeddingModel:
        """The model; asked for when the notes are read."""
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


def multilingual_model(models_dir: Path) -> EmbeddingModel | None:
    """Returns the embedding model of the catalogue for many languages that is installed; None where there is none."""
    for entry in catalog():
        if entry.role is ModelRole.EMBEDDING and "*" in entry.languages and (models_dir / entry.file_name).exists():
            return embedding_model(entry.name, models_dir)
    return None


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
) -> IndexRequest:
    """Makes a request for `pipeline.indexing.index`; recounts the stored sentences when the tokenizer has changed."""
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
        formats_without_walls=settings.formats_without_walls,
        counters=Counters(chunk=models.pieces.count, context=context),
        embedding=lambda: choice.model,
        embedder=lambda: models.embedder(choice.model),
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


def embedding_of(store: Store, settings: Settings) -> EmbeddingModel:
    """Returns the model that made the vault's vectors: questions and further texts must go to it, whatever the settings say.

    Raises:
        ModelError: it is not there any more; says how to get it.
    """
    return embedding_model(store.facts.get(EMBEDDED_WITH, ""), absolute(settings.models_dir))
