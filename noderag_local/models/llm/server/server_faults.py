"""The ways in which a model server fails, sorted by what the caller can do.

ServerFault             one exchange failed
├── ServerUnreachable   no connection, or it broke: worth another try; without the server nothing goes on
├── ServerBusy          429 or 5xx: worth another try
├── AnswerCut           the answer ended before its end: worth another try
├── ServerSilent        nothing came for too long: another try would only add to its load
├── ServerNonsense      what came is no answer of such a server
├── AnswerEmpty         the model answered nothing
├── RequestRefused      4xx about this request: the server is well
└── ServerRefuses       the key, the model or the path is wrong: so is every other request
"""

from __future__ import annotations

from noderag_local.domain.errors import ModelError


class ServerFault(ModelError):
    """One exchange failed; messages are printable and hold no secrets."""


class ServerUnreachable(ServerFault):
    """There is no connection, or it broke."""


class ServerBusy(ServerFault):
    """The server may answer later."""

    def __init__(self, message: str, pause_seconds: float) -> None:
        """Notes `pause_seconds`, which the server asked to wait; 0 when it did not say."""
        super().__init__(message)
        self.pause_seconds = pause_seconds


class AnswerCut(ServerFault):
    """The answer was cut off; another try may bring all of it."""

    def __init__(self, message: str, interrupted: bool) -> None:
        """Notes `interrupted`: the server itself closed the answer, as one does that serves only the latest request."""
        super().__init__(message)
        self.interrupted = interrupted


class ServerSilent(ServerFault):
    """Nothing came for too long."""


class ServerNonsense(ServerFault):
    """What came is no answer of a model server."""


class AnswerEmpty(ServerFault):
    """The model answered nothing."""


class RequestRefused(ServerFault):
    """The server refuses this request; others may succeed."""


class ServerRefuses(ServerFault):
    """The key, the model or the path is wrong, so every other request fails, too."""


WORTH_ANOTHER_TRY = (ServerUnreachable, ServerBusy, AnswerCut)
FAULTS_OF_SERVER = (ServerBusy, AnswerCut, ServerSilent, ServerNonsense)
"""Faults that, repeated without a good answer between them, mean that the server is of no use."""
END_OF_ALL = (ServerUnreachable, ServerRefuses)
"""Faults that, once further tries have failed, end the work of the engine as a whole."""
