"""How long work on model files tells what it is at."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Told how far the work has come; the command line draws a bar from it."""

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        """`done_bytes` of `total_bytes` of this stage are done; called often, so it must be cheap."""

    def say(self, text: str) -> None:
        """Something that the user should read, one sentence."""


class Silent:
    """A reporter for callers that want to hear nothing."""

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        pass

    def say(self, text: str) -> None:
        pass
