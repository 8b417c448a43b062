"""The engine for a model that another program serves: llama-server, vLLM, Ollama, llama-cpp-python's own server.

It uses OpenAI's chat completions, always streamed, so that loops are detected and a cancelled request is disconnected at
once. Differences from llama.cpp in this process:

- `Request.constraint` is ignored: it is a Python object that no server can run. Callers check the text themselves.
- The server decides how long it caches a prompt, and a text may depend on the requests beside it, since the order of
  sums changes with the batch.
- If the server cannot count tokens, `count_tokens` is an upper estimate (text/token_estimate.py), and costs are counted
  in events of the stream.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain

from noderag_local.domain.errors import ModelError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Finish, Outcome, Request, Weighing, never
from noderag_local.models.llm.server.cancellable_socket import CONNECT_SECONDS, POLL_SECONDS, Cancelled, Watch
from noderag_local.models.llm.server.request_order import ServerTries, outcomes, side_by_side
from noderag_local.models.llm.server.served_answers import ServedAnswers, estimated_prompt
from noderag_local.models.llm.server.served_model import ASSUMED_CONTEXT_TOKENS, served_model, server_tokens
from noderag_local.models.llm.server.server_address import resolve_server
from noderag_local.models.llm.server.server_http import ServerHttp
from noderag_local.models.llm.server.written_weighing import begun_with, with_room, written_one_of
from noderag_local.text.token_estimate import estimated_tokens

START_SECONDS = 30.0
"""Maximum seconds for each of the first queries; a server that handles one request at a time may be busy."""
TIMEOUT_SECONDS = 300.0
CONCURRENCY = 8
PATIENT_PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds to wait before each further try in background work: long enough for a server to restart."""
HASTY_PAUSES = (0.3, 1.0)
"""Seconds to wait before each further try while a person waits."""


class OpenAIServerEngine:
    """A served model. Several threads may use it."""

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        key: str = "",
        private_network: bool = False,
        concurrency: int = CONCURRENCY,
        timeout_seconds: float = TIMEOUT_SECONDS,
        start_seconds: float = START_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
        pauses: Sequence[float] = PATIENT_PAUSES,
    ) -> None:
        """Asks the server which model it serves.

        Args:
            url: address of the server, with or without "/v1".
            model: server's name of the model; "" for the only one that it serves.
            key: key sent as a bearer token; "" for none.
            private_network: whether private addresses are allowed, not only this machine.
            concurrency: maximum number of requests that `generate` runs at a time.
            timeout_seconds: maximum seconds before the first word of an answer, and between words.
            start_seconds: maximum seconds for each query in this constructor.
            connect_seconds: maximum seconds to connect.
            pauses: seconds to wait before each further try of `generate`.

        Raises:
            SettingsError: the URL is not allowed, or the key is invalid.
            ModelError: the server cannot be reached, is not of this kind, or does not serve the model.
        """
        self._server = ServerHttp(resolve_server(url, private_network), key, connect_seconds)
        self._concurrency = concurrency
        self._timeout_seconds = timeout_seconds
        self._pauses = tuple(pauses)
        self._closed = threading.Event()
        self._tries = ServerTries(self._closed.is_set)

        def starting() -> Watch:
            return Watch(never, start_seconds)

        self._model = served_model(self._server, model, starting)
        self._tokens = server_tokens(self._server, self._model.id, starting)
        self._answers = ServedAnswers(self._server, self._model, self._tokens, self._watch)

    @property
    def name(self) -> str:
        """Server's name of the model, without folders."""
        return self._model.name

    @property
    def identity(self) -> str:
        """Id of the model and a digest of what the server says about it.

        If the server says only the name, a change of the weights is not noticed.
        """
        return self._model.identity

    @property
    def url(self) -> str:
        """Address of the server, for messages."""
        return self._server.address.url

    @property
    def context_length(self) -> int:
        """Maximum tokens of a prompt and its answer; ASSUMED_CONTEXT_TOKENS if the server does not say."""
        return self._model.context_tokens or ASSUMED_CONTEXT_TOKENS

    @property
    def tells_context(self) -> bool:
        """Whether the server stated its `context_length`."""
        return self._model.context_tokens > 0

    @property
    def counts_exactly(self) -> bool:
        """Whether the server counts tokens; otherwise `count_tokens` is an upper estimate."""
        return self._tokens is not None

    @property
    def keeps_what_it_read(self) -> bool:
        """False, since a server has other clients and manages its own cache."""
        return False

    @property
    def weighs(self) -> bool:
        """False, since not every server tells probabilities."""
        return False

    @property
    def is_small(self) -> bool:
        """False, since a server does not tell the size of its model."""
        return False

    def count_tokens(self, text: str) -> int:
        """Returns the server's count of tokens in `text`, or an upper estimate; see `counts_exactly`.

        Raises:
            ModelError: the server fails.
        """
        if self._tokens is None:
            return estimated_tokens(text)
        tokens = self._tokens
        try:
            return self._tries.tried(lambda: tokens.count(text, self._watch(never)), HASTY_PAUSES, never)
        except Cancelled as error:
            raise self._was_closed() from error

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text; see `count_tokens`."""
        if self._tokens is None:
            return [estimated_tokens(text) for text in texts]
        with ThreadPoolExecutor(self._concurrency) as threads:
            return list(threads.map(self.count_tokens, texts))

    def close(self) -> None:
        """Stops running requests; later ones raise ModelError."""
        self._closed.set()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request; closes the connection as soon as the answer is no longer wanted.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: the server failed; failures before the first piece are retried.
        """
        return Stream(self._pieces(request, cancelled))

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """See `written_weighing.begun_with`; raises the same errors as `stream`."""
        return begun_with(self.stream(with_room(request), cancelled), beginnings)

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """See `written_weighing.written_one_of`; raises the same errors as `stream`."""
        return written_one_of(self.stream(with_room(request), cancelled), texts, most)

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests, `concurrency` at a time; yields each when it is finished.

        A request that the server refuses or fails has an outcome with an error. No request starts while `stream` answers one.

        Raises:
            ModelError: the server is gone, refuses every request, or fails one after another.
        """
        calls = side_by_side(requests, self._patient, self._concurrency, cancelled, POLL_SECONDS)
        yield from outcomes(calls, self._was_closed)

    def _patient(self, request: Request, unwanted: Callable[[], bool]) -> tuple[str, Completion]:
        return self.whole(request, unwanted, self._pauses)

    def whole(self, request: Request, unwanted: Callable[[], bool], pauses: Sequence[float]) -> tuple[str, Completion]:
        """Returns a complete answer, while no `stream` is open; each further try starts from the beginning.

        Args:
            request: request to answer.
            unwanted: called many times a second; returns True when the answer is no longer wanted.
            pauses: seconds to wait before each further try.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ServerFault: the last try's.
            Cancelled: the answer is no longer wanted, or the engine was closed.
        """

        def attempt() -> tuple[str, Completion]:
            with self._tries.in_background(unwanted):
                stream = Stream(self._answers.answer(request, unwanted))
                return "".join(stream), stream.result

        return self._tries.tried(attempt, pauses, unwanted)

    def _pieces(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        started = time.perf_counter()
        shown, first_at = 0, 0.0

        def attempt() -> tuple[str, Stream[Completion]]:
            stream = Stream(self._answers.answer(request, cancelled))
            return next(stream, ""), stream

        with self._tries.chatting():
            try:
                # Shown text cannot be taken back, so after the first piece there is no further try.
                beginning, rest = self._tries.tried(attempt, HASTY_PAUSES, cancelled)
                first_at = time.perf_counter()
                with closing(rest):
                    for piece in chain([beginning], rest):
                        shown += 1
                        yield piece
                    return rest.result
            except Cancelled as error:
                if self._closed.is_set() and not shown:
                    raise self._was_closed() from error
                ended = time.perf_counter()
                prompt_tokens = estimated_prompt(request)
                first = (first_at or ended) - started
                return Completion(Finish.CANCELLED, prompt_tokens, 0, shown, first, ended - started)

    def _watch(self, cancelled: Callable[[], bool]) -> Watch:
        return Watch(lambda: cancelled() or self._closed.is_set(), self._timeout_seconds)

    def _was_closed(self) -> ModelError:
        return ModelError(f"The engine for {self.name} at {self.url} was closed. Open it again.")
