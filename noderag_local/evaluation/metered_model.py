"""Counts what a language model is asked to do: every request that is sent to it, with its tokens."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.domain.stream import Stream
from noderag_local.evaluation.engine_around import EngineAround
from noderag_local.models.language_model import ModelAccess, OpenedEngine
from noderag_local.models.llm.engine import Completion, Outcome, Request, Weighing, never


class Meter:
    """The use of a model since somebody last took note of it.

    A request that a file of remembered texts answers counts like one that the model answers: without the file, it would have
    been sent.
    """

    def __init__(self) -> None:
        self._use = NOTHING_ASKED

    def add(self, completion: Completion) -> None:
        """Counts one request."""
        self._use += completion.use

    def take(self) -> ModelUse:
        """Returns the use since the last call, and counts from nothing again."""
        use, self._use = self._use, NOTHING_ASKED
        return use


class MeteredModel:
    """Access to a language model whose answers are counted.

    What a retrieval method asks for itself is not: `Retrieval.llm_use` has that, also where the method has the text from
    an earlier search for the same question and asks nothing.
    """

    def __init__(self, model: ModelAccess, meter: Meter) -> None:
        self._model, self._meter = model, meter
        self._metered: MeteredEngine | None = None

    @property
    def count_tokens(self) -> Callable[[str], int] | None:
        """Function that counts tokens as the model does; see `LanguageModel.count_tokens`."""
        return self._model.count_tokens

    def name(self) -> str:
        """Returns the name of the model that would answer; see `LanguageModel.name`."""
        return self._model.name()

    def engine(self) -> OpenedEngine | None:
        """Returns the model that answers, counted; raises the same errors as `LanguageModel.engine`."""
        opened = self._model.engine()
        if opened is not None and self._metered is None:
            self._metered = MeteredEngine(opened, self._meter)
        return self._metered

    def needed(self, purpose: str = "Enriching") -> OpenedEngine:
        """Returns the model that retrieval methods ask, not counted; raises the same errors as `LanguageModel.needed`."""
        return self._model.needed(purpose)

    def count_exactly(self) -> None:
        """Opens only the vocabulary; see `LanguageModel.count_exactly`."""
        self._model.count_exactly()

    def close(self) -> None:
        """Frees the memory; a second call does nothing."""
        self._metered = None
        self._model.close()


class MeteredEngine(EngineAround):
    """An engine whose requests are counted when they end; one that fails or is dropped counts nothing."""

    def __init__(self, engine: OpenedEngine, meter: Meter) -> None:
        super().__init__(engine)
        self._meter = meter

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request; raises what the engine raises."""
        return Stream(self._pieces(self._engine.stream(request, cancelled)))

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Weighs as the engine does; raises what the engine raises."""
        return self._counted(self._engine.likelihoods(request, beginnings, cancelled))

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Weighs as the engine does; raises what the engine raises."""
        return self._counted(self._engine.likeliest(request, texts, most, cancelled))

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests; raises what the engine raises."""
        for outcome in self._engine.generate(requests, cancelled):
            if outcome.completion is not None:
                self._meter.add(outcome.completion)
            yield outcome

    def _counted(self, weighing: Weighing) -> Weighing:
        self._meter.add(weighing.completion)
        return weighing

    def _pieces(self, stream: Stream[Completion]) -> Generator[str, None, Completion]:
        try:
            yield from stream
        finally:
            stream.close()
        self._meter.add(stream.result)
        return stream.result
