"""One of several model servers: how busy it is, and whether it is left out for now."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from noderag_local.domain.errors import NoderagError
from noderag_local.models.llm.engine import Message
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine

REST_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
"""Seconds that a server is left out after each failure in a row; the last holds for all further ones."""


@dataclass(eq=False)
class ServerMember:
    """One of several servers. The caller holds the lock of its `ServerMembers`, except inside `open`."""

    open: Callable[[], OpenAIServerEngine]
    """Asks the server again which model it serves; raises a NoderagError if it cannot be used."""
    engine: OpenAIServerEngine | None = None
    """None while the server is left out."""
    problem: NoderagError | None = None
    """Why it was left out last."""
    running: int = 0
    read: tuple[Message, ...] = ()
    """Messages before the last of the request that it got last, which its cache may hold."""
    is_proved: bool = True
    """False after it has come back, until it has answered: it gets one request then, since it may fail again."""
    failures: int = 0
    rests_until: float = 0.0
    """Time of `time.monotonic` from which it may be asked again."""
    is_opening: bool = False


@dataclass
class ServerMembers:
    """The servers of an engine. Threads share it."""

    all: Sequence[ServerMember]
    places: int
    """Maximum number of requests at a time to each server."""
    objection: Callable[[OpenAIServerEngine], NoderagError | None]
    """Returns why a server that has come back cannot do what the others do; None if it can."""
    rests: Sequence[float] = REST_SECONDS
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_closed: bool = False

    def chosen(
        self, read: tuple[Message, ...], *, even_if_full: bool = False
    ) -> tuple[ServerMember, OpenAIServerEngine] | None:
        """Takes a place at the server with the fewest requests, of several at the one that has read the same beginning.

        A quicker server frees its places sooner and so gets more requests.

        Args:
            read: messages before the last of the request.
            even_if_full: whether a server without a free place may be chosen, for a person who waits.

        Returns:
            None where no server has a place.
        """
        with self.lock:
            self._open_rested()
            free = [
                (one, one.engine) for one in self.all if one.engine and (even_if_full or one.running < self._room(one))
            ]
            if not free:
                return None
            found, engine = min(free, key=lambda one: (one[0].running, one[0].read != read))
            found.running, found.read = found.running + 1, read
            return found, engine

    def _room(self, member: ServerMember) -> int:
        return self.places if member.is_proved else 1

    def give_back(self, member: ServerMember) -> None:
        """Frees a place."""
        with self.lock:
            member.running -= 1

    def answered(self, member: ServerMember, engine: OpenAIServerEngine) -> None:
        """Records that a server works; does nothing if it has been left out since `engine` was asked."""
        with self.lock:
            if member.engine is engine:
                member.failures, member.is_proved = 0, True

    def leave_out(self, member: ServerMember, engine: OpenAIServerEngine, problem: NoderagError) -> None:
        """Leaves a server out for a while; does nothing if it has been opened again since `engine` was."""
        with self.lock:
            if member.engine is not engine:
                return
            self._rest(member, problem)

    def _rest(self, member: ServerMember, problem: NoderagError) -> None:
        member.engine, member.problem, member.is_proved = None, problem, False
        member.rests_until = time.monotonic() + self.rests[min(member.failures, len(self.rests) - 1)]
        member.failures += 1

    @property
    def open_ones(self) -> list[tuple[ServerMember, OpenAIServerEngine]]:
        """Servers that are not left out with their engines, in the order of the settings."""
        with self.lock:
            self._open_rested()
            return [(one, one.engine) for one in self.all if one.engine is not None]

    @property
    def last_problem(self) -> NoderagError | None:
        """Why a server was left out, if all are."""
        with self.lock:
            return next((one.problem for one in self.all if one.problem is not None), None)

    def close(self) -> None:
        """Stops running requests and opens no server again."""
        with self.lock:
            self.is_closed = True
            for one in self.all:
                if one.engine is not None:
                    one.engine.close()

    def _open_rested(self) -> None:
        """Opens servers again whose rest is over, in threads of their own, since a dead server is silent for long."""
        for one in self.all:
            is_due = one.engine is None and not one.is_opening and time.monotonic() >= one.rests_until
            if is_due and not self.is_closed:
                one.is_opening = True
                threading.Thread(target=self._open_again, args=(one,), name="opening-server", daemon=True).start()

    def _open_again(self, member: ServerMember) -> None:
        engine, problem = None, None
        try:
            engine = member.open()
        except NoderagError as error:
            problem = error
        with self.lock:
            member.is_opening = False
            if engine is not None:
                problem = self.objection(engine)
                if problem or self.is_closed:
                    engine.close()
            if problem is not None:
                self._rest(member, problem)
            elif not self.is_closed:
                member.engine = engine


def other_model(engine: OpenAIServerEngine) -> NoderagError:
    """Returns the error that a server serves another model than the ones before it."""
    from noderag_local.domain.errors import SettingsError

    return SettingsError(
        f"The server at {engine.url} serves {engine.identity}, and the others of server_url serve another model or start it in "
        "another way. An answer must not depend on who gives it: start all alike, or choose the model with server_model."
    )


def less_able(engine: OpenAIServerEngine) -> NoderagError:
    """Returns the error that a server of the same model has a shorter context than those before it, or no longer counts tokens."""
    from noderag_local.domain.errors import SettingsError

    return SettingsError(
        f"The server at {engine.url} serves the same model as the others of server_url, but with a shorter context or without "
        "counting tokens. Start all alike."
    )
