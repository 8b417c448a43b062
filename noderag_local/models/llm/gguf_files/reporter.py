"""Progress of long work on model files, as its caller sees it."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Receives how far the work has come; the command line draws a bar from it."""

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        """Receives that `done_bytes` of `total_bytes` of this stage are done; called often, so it must be cheap."""

    def say(self, text: str) -> None:
        """Shows the user one sentence."""


class Silent:
    """A reporter that ignores everything."""

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        pass

    def say(self, text: str) -> None:
        pass
