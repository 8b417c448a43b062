"""Opens the language model that the settings choose, when it is first needed, and shares it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from noderag_local.config import Settings
from noderag_local.domain.errors import ModelMissing
from noderag_local.models.llm.engine import Engine
from noderag_local.system.log.log_lines import Term

if TYPE_CHECKING:
    from pathlib import Path

    from noderag_local.models.llm.llamacpp.llama import LlamaEngine
    from noderag_local.models.llm.server.openai_server import OpenAIServerEngine
    from noderag_local.models.llm.server.server_pool import ServerPool

_log = logging.getLogger(__name__)


class OpenedEngine(Engine, Protocol):
    """An engine that holds memory or connections until it is closed."""

    def close(self) -> None:
        """Frees what it holds."""


class ModelAccess(Protocol):
    """Protocol of access to a language model, which a vault needs; `LanguageModel` explains the methods."""

    @property
    def count_tokens(self) -> Callable[[str], int] | None:
        """Function that counts tokens as the model does; None if it is not known."""

    def name(self) -> str:
        """Returns the name of the model that would answer; "" if there is none."""
        ...

    def engine(self) -> OpenedEngine | None:
        """Returns the model that answers; None if there is none."""

    def needed(self, purpose: str = "Enriching") -> OpenedEngine:
        """Returns the model that enriching and retrieval methods ask, or raises an error."""
        ...

    def count_exactly(self) -> None:
        """Opens only the vocabulary."""

    def close(self) -> None:
        """Frees the memory."""


class LanguageModel:
    """The chosen language model: a GGUF file, a server or none. Threads and vaults may share it; its creator closes it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: OpenedEngine | None = None
        self._opening = threading.Lock()
        self._count_tokens: Callable[[str], int] | None = None

    @property
    def count_tokens(self) -> Callable[[str], int] | None:
        """Function that counts tokens as the model does; None before its vocabulary is open or if a server only estimates."""
        return self._count_tokens

    def name(self) -> str:
        """Returns the name of the model that would answer, without opening it; "" if there is none.

        Raises:
            ModelDamaged: the models folder contains only damaged files.
            ModelError: the models folder cannot be read.
        """
        from noderag_local.models.llm.gguf_files.installed import resolve_model
        from noderag_local.models.llm.llamacpp.library import is_installed

        if self._settings.server_url:
            return f"server {self._settings.server_model or self._settings.server_url}"
        if not is_installed():
            return ""
        try:
            return resolve_model(self._settings.model, self._settings.models_dir).stem
        except ModelMissing:
            return ""

    def engine(self) -> OpenedEngine | None:
        """Returns the model that answers, or None if there is none; opening it takes seconds.

        Raises:
            ModelError: the model or the server cannot be used.
        """
        with self._opening:
            if self._engine is None:
                self._engine = self._served() if self._settings.server_url else self._in_process()
            return self._engine

    def needed(self, purpose: str = "Enriching") -> OpenedEngine:
        """Returns the model that answers; without one, raises an error that says how to get one.

        Args:
            purpose: activity that needs it; the first word of the error message.

        Raises:
            ModelMissing: there is none.
            ModelError: as `engine`.
        """
        engine = self.engine()
        if engine is None:
            from noderag_local.models.llm.gguf_files.installed import WAY_OUT
            from noderag_local.models.llm.llamacpp.library import NOT_INSTALLED, is_installed

            if not is_installed():
                raise ModelMissing(f"{purpose} needs a language model. {NOT_INSTALLED}")
            raise ModelMissing(f"{purpose} needs a language model; {self._settings.models_dir} has none. {WAY_OUT}")
        return engine

    def count_exactly(self) -> None:
        """Opens only the vocabulary, in half a second, so that `count_tokens` works without the model.

        Does nothing without a model, or with a model server.
        """
        from noderag_local.models.llm.gguf_files.installed import resolve_model

        if self._settings.server_url or self._count_tokens is not None:
            return
        try:
            path = resolve_model(self._settings.model, self._settings.models_dir)
            from noderag_local.models.llm.llamacpp.tokenizer import Tokenizer
        except ModelMissing:
            return
        self._count_tokens = Tokenizer(path).count_tokens

    def close(self) -> None:
        """Frees the memory; a second call does nothing."""
        with self._opening:
            if self._engine is not None:
                self._engine.close()
            self._engine = self._count_tokens = None

    def _served(self) -> OpenAIServerEngine | ServerPool:
        from noderag_local.models.llm.server.opening import server_engine

        started = time.monotonic()
        engine = server_engine(self._settings)
        _log.info("the model server answers after %.2f s", time.monotonic() - started)
        # Estimates would leave more of a budget unused than the stored token counts do.
        self._count_tokens = engine.count_tokens if engine.counts_exactly else None
        return engine

    def _in_process(self) -> LlamaEngine | None:
        from noderag_local.models.llm.gguf_files.installed import resolve_model

        try:
            path = resolve_model(self._settings.model, self._settings.models_dir)
            from noderag_local.models.llm.llamacpp.llama import LlamaEngine
        except ModelMissing:
            if self._settings.model:
                raise
            return None
        started = time.monotonic()
        engine = LlamaEngine(path, threads=self._settings.threads, gpu_layers=self._settings.gpu_layers)
        _log.info("language model %s opened in %.2f s", _name_in_catalogue(path), time.monotonic() - started)
        self._count_tokens = engine.count_tokens
        return engine


def _name_in_catalogue(path: Path) -> Term:
    """Returns a model file's catalogue name for the log; other names, which a person may have chosen, are not logged."""
    from noderag_local.models.llm.gguf_files.catalog import catalog

    names = {entry.name for entry in catalog()}
    return Term(path.stem if path.stem in names else "of no catalogue")
