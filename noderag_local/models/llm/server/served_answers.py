"""Makes one try to answer a request with a served model and returns its cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing

from noderag_local.domain.errors import SettingsError
from noderag_local.models.llm.engine import Completion, Request
from noderag_local.models.llm.server.cancellable_socket import Watch
from noderag_local.models.llm.server.chat_call import FinishedTry, write
from noderag_local.models.llm.server.served_model import ServedModel, ServerTokens
from noderag_local.models.llm.server.server_http import ServerHttp
from noderag_local.text.token_estimate import estimated_tokens

MESSAGE_TOKENS = 16
"""More tokens than a chat template adds to a message."""


class ServedAnswers:
    """Answers requests with one served model. Threads may share it."""

    def __init__(
        self,
        server: ServerHttp,
        model: ServedModel,
        tokens: ServerTokens | None,
        watch: Callable[[Callable[[], bool]], Watch],
    ) -> None:
        """Keeps the connection and the model.

        Args:
            server: the connection.
            model: the model that the requests go to.
            tokens: counts tokens as the server does; None if it cannot.
            watch: creates the watch of one exchange from a function that returns whether its result is no longer wanted.
        """
        self._server, self._model, self._tokens, self._watch = server, model, tokens, watch

    def answer(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        """Yields the text of an answer as it comes; closing the generator stops the server.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ServerFault: the server failed.
            Cancelled: the answer is no longer wanted.
        """
        self._check_fits(request, cancelled)
        started = time.perf_counter()
        first = 0.0
        watch = self._watch(cancelled)
        with closing(write(self._server, self._model.id, request, watch)) as pieces:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    return self._completion(request, end.value, started, first)
                first = first or time.perf_counter()
                yield piece

    def _completion(self, request: Request, written: FinishedTry, started: float, first: float) -> Completion:
        ended = time.perf_counter()
        usage = written.usage
        details = usage.prompt_tokens_details if usage else None
        return Completion(
            finish=written.finish,
            prompt_tokens=usage.prompt_tokens if usage else estimated_prompt(request),
            reused_tokens=(details.cached_tokens or 0) if details else 0,
            generated_tokens=usage.completion_tokens if usage else written.pieces,
            first_token_seconds=(first or ended) - started,
            elapsed_seconds=ended - started,
        )

    def _check_fits(self, request: Request, cancelled: Callable[[], bool]) -> None:
        """Raises SettingsError if a prompt is too long for a known context; counts exactly only if an estimate is too long."""
        room = self._model.context_tokens
        if not room or self._tokens is None or estimated_prompt(request) + request.max_tokens <= room:
            return
        watch, tokens = self._watch(cancelled), self._tokens
        needed = sum(tokens.count(message.content, watch) for message in request.messages)
        if needed + request.max_tokens > room:
            raise SettingsError(
                f"The prompt takes {needed} tokens and the answer up to {request.max_tokens}, but {self._model.name} at "
                f"{self._server.address.url} reads at most {room} together. Start the server with a larger context, or lower "
                "budget_tokens (--budget) or answer_tokens."
            )


def estimated_prompt(request: Request) -> int:
    """Returns an upper estimate of the tokens of a request's prompt."""
    return sum(estimated_tokens(message.content) + MESSAGE_TOKENS for message in request.messages)
