"""A language model that stands around another one and passes everything on; subclasses change single steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from noderag_local.domain.stream import Stream
from noderag_local.models.language_model import OpenedEngine
from noderag_local.models.llm.engine import Completion, Outcome, Request, Weighing, never


class EngineAround:
    """An engine that lets another engine do everything; see `Engine` for the methods."""

    def __init__(self, engine: OpenedEngine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """Name of the model, as the user knows it."""
        return self._engine.name

    @property
    def identity(self) -> str:
        """Name and content of the model."""
        return self._engine.identity

    @property
    def context_length(self) -> int:
        """Maximum tokens of a prompt and its answer together."""
        return self._engine.context_length

    @property
    def keeps_what_it_read(self) -> bool:
        """Whether the model skips the beginning that a prompt shares with the previous one."""
        return self._engine.keeps_what_it_read

    @property
    def weighs(self) -> bool:
        """Whether the engine tells probabilities."""
        return self._engine.weighs

    @property
    def is_small(self) -> bool:
        """Whether the engine's model is small."""
        return self._engine.is_small

    def count_tokens(self, text: str) -> int:
        """Returns the number of tokens in `text`."""
        return self._engine.count_tokens(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text."""
        return self._engine.count_many(texts)

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request; raises what the engine raises."""
        return self._engine.stream(request, cancelled)

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Weighs as the engine does; raises what the engine raises."""
        return self._engine.likelihoods(request, beginnings, cancelled)

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Weighs as the engine does; raises what the engine raises."""
        return self._engine.likeliest(request, texts, most, cancelled)

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests; raises what the engine raises."""
        return self._engine.generate(requests, cancelled)

    def close(self) -> None:
        """Frees the memory of the engine."""
        self._engine.close()
