"""A language model that remembers what it wrote, so that a run with the same prompts costs nothing.

A text depends on the model and the request alone, since benchmarks ask at temperature 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict
from pathlib import Path

from noderag_local.config import Settings
from noderag_local.domain.errors import SourceError
from noderag_local.domain.stream import Stream
from noderag_local.evaluation.engine_around import EngineAround
from noderag_local.models.language_model import LanguageModel, OpenedEngine
from noderag_local.models.llm.engine import Completion, Finish, Request, Weighing, never
from noderag_local.system.disk.private_files import open_private


class RememberedModel(LanguageModel):
    """The chosen language model, with a file of what it wrote: JSON Lines, one answered request in each."""

    def __init__(self, settings: Settings, path: Path) -> None:
        """Reads the file, or creates it for its owner alone, since it contains texts of the notes.

        Raises:
            SourceError: the file cannot be read or written, or contains something else.
        """
        super().__init__(settings)
        try:
            self._written = WrittenTexts(path)
        except (OSError, ValueError) as error:
            raise SourceError(f"{path} cannot keep what the model writes: {error}. Name another file.") from error
        self._remembering: RememberingEngine | None = None

    def engine(self) -> OpenedEngine | None:
        """Returns the model that answers, or None if there is none; raises the same errors as `LanguageModel.engine`."""
        opened = super().engine()
        if opened is not None and self._remembering is None:
            self._remembering = RememberingEngine(opened, self._written)
        return self._remembering

    def close(self) -> None:
        """Frees the memory and closes the file; a second call does nothing."""
        super().close()
        self._remembering = None
        self._written.close()


class WrittenTexts:
    """The file of what a model wrote, by the key of the request; every addition is on the disk before the next request."""

    def __init__(self, path: Path) -> None:
        """Reads what the file has; a line that was cut by a kill is passed over.

        Raises:
            OSError: the file cannot be read or written.
            ValueError: the file contains something else.
        """
        self._file = open_private(path, "ab+")
        self._file.seek(0)
        self._answers: dict[str, tuple[str, Completion]] = {}
        lines = [line for line in self._file if line.strip()]
        for line in lines:
            try:
                key, text, fields = json.loads(line)
                self._answers[key] = text, Completion(**{**fields, "finish": Finish(fields["finish"])})
            except (ValueError, TypeError, KeyError):
                continue
        if lines and not self._answers:
            self._file.close()
            raise ValueError("it contains something else")

    def get(self, key: str) -> tuple[str, Completion] | None:
        """Returns what was written for the request with this key, or None."""
        return self._answers.get(key)

    def add(self, key: str, text: str, completion: Completion) -> None:
        """Remembers what was written for a request."""
        self._answers[key] = text, completion
        # The empty line before it ends a line that a kill cut.
        self._file.write(b"\n" + json.dumps([key, text, asdict(completion)]).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class RememberingEngine(EngineAround):
    """An engine that answers a request from the file if it answered the same one before; `generate` never does."""

    def __init__(self, engine: OpenedEngine, written: WrittenTexts) -> None:
        super().__init__(engine)
        self._written = written

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request, in one piece if it is remembered; raises what the engine raises."""
        # A constraint is code, which no key can stand for.
        return (
            self._engine.stream(request, cancelled) if request.constraint else Stream(self._pieces(request, cancelled))
        )

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Weighs as the engine does, or as the file remembers it; raises what the engine raises."""
        key = self._key(request, "likelihoods", *beginnings)
        return self._weighed(key, lambda: self._engine.likelihoods(request, beginnings, cancelled))

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Weighs as the engine does, or as the file remembers it; raises what the engine raises."""
        key = self._key(request, "likeliest", str(most), *texts)
        return self._weighed(key, lambda: self._engine.likeliest(request, texts, most, cancelled))

    def _weighed(self, key: str, weigh: Callable[[], Weighing]) -> Weighing:
        known = self._written.get(key)
        if known is not None:
            texts, weights = json.loads(known[0])
            return Weighing(tuple(texts), tuple(weights), known[1])
        weighing = weigh()
        if weighing.completion.finish is not Finish.CANCELLED:
            self._written.add(key, json.dumps([weighing.texts, weighing.weights]), weighing.completion)
        return weighing

    def _pieces(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        key = self._key(request)
        known = self._written.get(key)
        if known is not None:
            yield known[0]
            return known[1]
        stream, text = self._engine.stream(request, cancelled), ""
        try:
            for piece in stream:
                text += piece
                yield piece
        finally:
            stream.close()
        done = stream.result
        if done.finish is not Finish.CANCELLED:
            self._written.add(key, text, done)
        return done

    def _key(self, request: Request, *asked: str) -> str:
        said = [(message.role, message.content) for message in request.messages]
        parts = [self.identity, said, request.max_tokens, request.stop, request.temperature, request.seed, *asked]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
