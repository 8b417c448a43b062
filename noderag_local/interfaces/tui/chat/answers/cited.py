"""The message that a citation was clicked."""

from __future__ import annotations

from textual.message import Message


class Cited(Message):
    """Posted when a person clicks the number of a source in an answer."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()
