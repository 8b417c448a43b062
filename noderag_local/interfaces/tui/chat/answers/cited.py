"""A citation that was clicked."""

from __future__ import annotations

from textual.message import Message


class Cited(Message):
    """A person wants to see this source of the answer that it comes from."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()
