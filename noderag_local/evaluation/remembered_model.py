"""A language model that remembers what it wrote, so that a run with the same prompts costs nothing.

A text depends on the model and the request alone, since benchmarks ask at temperature 0.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from noderag_local.config import Settings
from noderag_local.domain.errors import SourceError
from noderag_local.domain.stream import Stream
from noderag_local.models.language_model import LanguageModel, OpenedEngine
from noderag_local.models.llm.engine import Completion, Finish, Outcome, Request, never
from noderag_local.system.disk.private_files import open_private

_SCHEMA = "CREATE TABLE IF NOT EXISTS written (request TEXT PRIMARY KEY, text TEXT NOT NULL, completion TEXT NOT NULL)"


class RememberedModel(LanguageModel):
    """The chosen language model, with a file of what it wrote."""

    def __init__(self, settings: Settings, path: Path) -> None:
        """Opens the file, or creates it for its owner alone, since it contains texts of the notes.

        Raises:
            SourceError: the file cannot be written or is none of these.
        """
        super().__init__(settings)
        try:
            open_private(path, "ab").close()
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise SourceError(f"{path} cannot keep what the model writes: {error}. Name another file.") from error
        self._remembering: RememberingEngine | None = None

    def engine(self) -> OpenedEngine | None:
        """Returns the model that answers, or None if there is none; raises the same errors as `LanguageModel.engine`."""
        opened = super().engine()
        if opened is not None and self._remembering is None:
            self._remembering = RememberingEngine(opened, self._file)
        return self._remembering

    def close(self) -> None:
        """Frees the memory and closes the file; a second call does nothing."""
        super().close()
        self._remembering = None
        self._file.close()


class RememberingEngine:
    """An engine that answers a request from the file if it answered the same one before."""

    def __init__(self, engine: OpenedEngine, file: sqlite3.Connection) -> None:
        self._engine, self._file = engine, file

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

    def count_tokens(self, text: str) -> int:
        """Returns the number of tokens in `text`."""
        return self._engine.count_tokens(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text."""
        return self._engine.count_many(texts)

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request, in one piece if it is remembered; raises what the engine raises."""
        # A constraint is code, which no key can stand for.
        return (
            self._engine.stream(request, cancelled) if request.constraint else Stream(self._pieces(request, cancelled))
        )

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests, none of them from the file."""
        return self._engine.generate(requests, cancelled)

    def close(self) -> None:
        """Frees the memory of the engine."""
        self._engine.close()

    def _pieces(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        key = self._key(request)
        row = self._file.execute("SELECT text, completion FROM written WHERE request = ?", [key]).fetchone()
        if row is not None:
            yield row[0]
            return _completion(json.loads(row[1]))
        stream, text = self._engine.stream(request, cancelled), ""
        try:
            for piece in stream:
                text += piece
                yield piece
        finally:
            stream.close()
        done = stream.result
        if done.finish is not Finish.CANCELLED:
            self._file.execute("INSERT OR REPLACE INTO written VALUES (?, ?, ?)", [key, text, json.dumps(asdict(done))])
        return done

    def _key(self, request: Request) -> str:
        said = [(message.role, message.content) for message in request.messages]
        parts = [self.identity, said, request.max_tokens, request.stop, request.temperature, request.seed]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _completion(fields: dict[str, Any]) -> Completion:
    return Completion(**{**fields, "finish": Finish(fields["finish"])})
