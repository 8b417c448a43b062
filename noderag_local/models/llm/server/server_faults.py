"""Faults of a model server, classified by what the caller can do.

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
    """Base class: one exchange failed. Messages are printable and contain no secrets."""


class ServerUnreachable(ServerFault):
    """Raised when there is no connection or it broke."""


class ServerBusy(ServerFault):
    """Raised when the server may answer later."""

    def __init__(self, message: str, pause_seconds: float, is_overloaded: bool) -> None:
        """Keeps what the server said.

        Args:
            message: message for the user.
            pause_seconds: seconds that it asked to wait; 0 if it did not say.
            is_overloaded: whether it has too much to do or is not ready, and did not fail.
        """
        super().__init__(message)
        self.pause_seconds = pause_seconds
        self.is_overloaded = is_overloaded


class AnswerCut(ServerFault):
    """Raised when the answer was cut off; another try may return all of it."""

    def __init__(self, message: str, interrupted: bool) -> None:
        """Keeps `interrupted`: whether the server itself ended the answer, as one that serves only the latest request does."""
        super().__init__(message)
        self.interrupted = interrupted


class ServerSilent(ServerFault):
    """Raised when nothing came for too long."""


class ServerNonsense(ServerFault):
    """Raised when the response is not one of a model server."""


class AnswerEmpty(ServerFault):
    """Raised when the model's answer is empty."""

    def __init__(self, message: str, has_thought: bool) -> None:
        """Keeps `has_thought`: whether the model used up its tokens by thinking."""
        super().__init__(message)
        self.has_thought = has_thought


class RequestRefused(ServerFault):
    """Raised when the server refuses this request; others may succeed."""


class ServerRefuses(ServerFault):
    """Raised when the key, the model or the path is wrong, so that every other request fails as well."""


WORTH_ANOTHER_TRY = (ServerUnreachable, ServerBusy, AnswerCut)
FAULTS_OF_SERVER = (ServerBusy, AnswerCut, ServerSilent, ServerNonsense)
"""Faults that mean the server is useless if they repeat without a good answer in between."""
END_OF_ALL = (ServerUnreachable, ServerRefuses)
"""Faults that end all work of the engine after further tries have failed."""
