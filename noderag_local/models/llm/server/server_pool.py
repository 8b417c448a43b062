"""The engine for one model that several servers serve: each gets as many requests as it answers.

A server that fails or falls silent is left out, and its requests go to the others; it is asked again after a while. All must serve
the same model, so that a text does not depend on the server that wrote it, as far as equal servers write equal texts.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

from noderag_local.domain.errors import ModelError, NoderagError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Outcome, Request, Weighing, never
from noderag_local.models.llm.server.cancellable_socket import POLL_SECONDS, Cancelled
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine
from noderag_local.models.llm.server.request_order import outcomes, side_by_side
from noderag_local.models.llm.server.server_faults import (
    AnswerCut,
    ServerBusy,
    ServerFault,
    ServerNonsense,
    ServerRefuses,
    ServerSilent,
    ServerUnreachable,
)
from noderag_local.models.llm.server.server_member import (
    REST_SECONDS,
    ServerMember,
    ServerMembers,
    less_able,
    other_model,
)
from noderag_local.models.llm.server.written_weighing import begun_with, with_room, written_one_of

FAULTS_OF_ONE = (ServerUnreachable, ServerBusy, AnswerCut, ServerSilent, ServerNonsense, ServerRefuses)
"""Faults after which another server may answer the same request."""
FURTHER_ROUNDS = 2
"""Times that a request may fail at as many servers as there are before it counts as failed."""
PATIENCE_SECONDS = 30.0
"""Seconds that background work waits while every server is left out: long enough for one to restart."""
HASTY_SECONDS = 2.0
"""Seconds that it is waited while every server is left out and a person waits."""


_Counted = TypeVar("_Counted")


class ServerPool:
    """Several servers of one model. Several threads may use it."""

    def __init__(
        self,
        opening: Sequence[Callable[[], OpenAIServerEngine]],
        places: int,
        rests: Sequence[float] = REST_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
        hasty_seconds: float = HASTY_SECONDS,
    ) -> None:
        """Opens all servers; those that do not answer are left out at first.

        Args:
            opening: opens each server, in the order of the settings.
            places: maximum number of requests at a time to each server.
            rests: seconds that a server is left out after each failure in a row.
            patience_seconds: seconds that `generate` waits while every server is left out.
            hasty_seconds: seconds that counting and a streamed answer wait then.

        Raises:
            SettingsError: an address is not allowed, or the servers serve different models.
            ModelError: no server can be used.
        """
        members = [ServerMember(open_one) for open_one in opening]
        with ThreadPoolExecutor(len(members)) as threads:
            list(threads.map(lambda one: _open(one, rests[0]), members))
        opened = [one.engine for one in members if one.engine is not None]
        if not opened:
            raise next(one.problem for one in members if one.problem is not None)
        self._name, self._identity = opened[0].name, opened[0].identity
        for other in opened:
            if other.identity != self._identity:
                raise other_model(other)
        self._context_length = min(engine.context_length for engine in opened)
        self._counts_exactly = all(engine.counts_exactly for engine in opened)
        self._patience_seconds, self._hasty_seconds = patience_seconds, hasty_seconds
        self._members = ServerMembers(members, places, self._objection, rests)

    def _objection(self, engine: OpenAIServerEngine) -> NoderagError | None:
        """Returns why a server that came later cannot do what the ones before it can; None if it can."""
        if engine.identity != self._identity:
            return other_model(engine)
        counts = engine.counts_exactly or not self._counts_exactly
        return None if counts and engine.context_length >= self._context_length else less_able(engine)

    @property
    def name(self) -> str:
        """Servers' name of the model, without folders."""
        return self._name

    @property
    def identity(self) -> str:
        """Id of the model and a digest of what every server says about it."""
        return self._identity

    @property
    def context_length(self) -> int:
        """Shortest context of the servers that answered first; one that comes later must have as much."""
        return self._context_length

    @property
    def counts_exactly(self) -> bool:
        """Whether all servers count tokens."""
        return self._counts_exactly

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
        """Returns the count of tokens by the first server that answers.

        Raises:
            ModelError: no server answers.
        """
        return self._first_that_can(lambda engine: engine.count_tokens(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text; see `count_tokens`."""
        return self._first_that_can(lambda engine: engine.count_many(texts))

    def close(self) -> None:
        """Stops running requests; later ones raise ModelError."""
        self._members.close()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request, from another server if one fails before the first piece.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: every server failed, or one after its first piece.
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
        """Answers many requests, each at a server that has a free place; yields each when it is finished.

        Raises:
            ModelError: every server is gone or refuses every request, or requests fail one after another.
        """
        places = self._members.places * len(self._members.all)
        yield from outcomes(side_by_side(requests, self._whole, places, cancelled, POLL_SECONDS), self._was_closed)

    def _whole(self, request: Request, unwanted: Callable[[], bool]) -> tuple[str, Completion]:
        def is_unwanted() -> bool:
            return unwanted() or self._members.is_closed

        failures = 0
        while True:
            member, engine = self._place(request, is_unwanted, self._patience_seconds)
            try:
                answer = engine.whole(request, is_unwanted, ())
            except FAULTS_OF_ONE as fault:
                failures += 1
                self._handed_over(member, engine, fault)
                if failures > FURTHER_ROUNDS * len(self._members.all):
                    raise
            else:
                self._members.answered(member, engine)
                return answer
            finally:
                self._members.give_back(member)

    def _handed_over(self, member: ServerMember, engine: OpenAIServerEngine, fault: ServerFault) -> None:
        # A server that dropped a request for the next one is well, and gets its requests one by one from now on.
        if not (isinstance(fault, AnswerCut) and fault.interrupted):
            self._members.leave_out(member, engine, fault)

    def _place(
        self, request: Request, unwanted: Callable[[], bool], patience_seconds: float, *, even_if_full: bool = False
    ) -> tuple[ServerMember, OpenAIServerEngine]:
        """Waits for a place at a server.

        Args:
            request: request that needs it.
            unwanted: returns True when the answer is no longer wanted.
            patience_seconds: seconds to wait while every server is left out.
            even_if_full: as for `ServerMembers.chosen`.

        Raises:
            Cancelled: the answer is no longer wanted.
            ServerUnreachable: every server stayed left out.
        """
        alone_since = time.monotonic()
        while not unwanted():
            if (chosen := self._members.chosen(request.messages[:-1], even_if_full=even_if_full)) is not None:
                return chosen
            if self._members.open_ones:
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > patience_seconds:
                raise self._nobody()
            time.sleep(POLL_SECONDS)
        raise Cancelled

    def _pieces(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        def is_unwanted() -> bool:
            return cancelled() or self._members.is_closed

        for _ in range(FURTHER_ROUNDS * len(self._members.all)):
            try:
                member, engine = self._place(request, is_unwanted, self._hasty_seconds, even_if_full=True)
            except Cancelled as error:
                if self._members.is_closed:
                    raise self._was_closed() from error
                return Completion.cancelled()
            try:
                with closing(engine.stream(request, cancelled)) as stream:
                    try:
                        stream.begin()
                    except FAULTS_OF_ONE as fault:
                        self._handed_over(member, engine, fault)
                        continue
                    self._members.answered(member, engine)
                    yield from stream
                    return stream.result
            finally:
                self._members.give_back(member)
        raise self._nobody()

    def _first_that_can(self, count: Callable[[OpenAIServerEngine], _Counted]) -> _Counted:
        """Counts at the first server that can; waits a little for one to come back once all that are there have failed.

        Raises:
            ServerUnreachable: every server stayed left out, or failed again when it was back.
        """
        failures, until = Counter[ServerMember](), math.inf
        while not self._members.is_closed and time.monotonic() <= until:
            for member, engine in self._members.open_ones:
                try:
                    return count(engine)
                except FAULTS_OF_ONE as fault:
                    self._members.leave_out(member, engine, fault)
                    failures[member] += 1
            # Servers that come back only to fail again would otherwise be waited for without end.
            if all(failures[one] > 1 for one in self._members.all):
                break
            until = min(until, time.monotonic() + self._hasty_seconds)
            time.sleep(POLL_SECONDS)
        raise self._nobody()

    def _nobody(self) -> ModelError:
        if self._members.is_closed:
            return self._was_closed()
        return ServerUnreachable(
            f"No server of server_url can be used now. The first says: {self._members.last_problem}"
        )

    def _was_closed(self) -> ModelError:
        return ModelError(f"The engine for {self.name} was closed. Open it again.")


def _open(member: ServerMember, rest_seconds: float) -> None:
    try:
        member.engine = member.open()
    except ModelError as error:
        member.problem, member.is_proved, member.failures = error, False, 1
        member.rests_until = time.monotonic() + rest_seconds
