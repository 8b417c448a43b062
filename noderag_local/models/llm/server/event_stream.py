"""Server-sent events, as the HTML standard (section 9.2) describes them: bytes in, the data of each event out."""

from __future__ import annotations

import codecs
import re

LINE_CHARACTERS = 1 << 20
"""Longer lines are refused; an event of a chat has some hundred."""
_LINE_END = re.compile(r"\r\n|\n|\r(?!\n|$)")


class EndlessLine(Exception):
    """An event is longer than any that makes sense."""


class EventStream:
    """Parses bytes as they come; ignores comments, names and ids of events."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(errors="replace").decode
        self._line: list[str] = []
        """What there is of the next line, in parts."""
        self._data: list[str] = []
        self._line_length = self._data_length = 0

    def feed(self, received: bytes) -> list[str]:
        """Returns the data of the events that these bytes complete.

        Raises:
            EndlessLine: a line, or all lines of one event, are too long.
        """
        text = self._decode(received)
        if self._line and self._line[-1].endswith("\r"):
            # It waited for what follows: it may have been the first half of one line end.
            text = "\r" + text
            self._line[-1] = self._line[-1][:-1]
        first, *others = _LINE_END.split(text)
        self._line.append(first)
        found = []
        for following in others:
            found.append(self._take("".join(self._line)))
            self._line = [following]
        self._line_length = len(others[-1]) if others else self._line_length + len(text)
        if self._line_length + self._data_length > LINE_CHARACTERS:
            raise EndlessLine
        return [data for data in found if data is not None]

    def rest(self) -> list[str]:
        """Returns a last event whose blank line is missing. The standard drops it, but some servers forget the line."""
        data = [self._take("".join(self._line).rstrip("\r")), self._take("")]
        self._line = []
        return [one for one in data if one is not None]

    def _take(self, line: str) -> str | None:
        if line:
            name, _, value = line.partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
                self._data_length += len(line)
            return None
        data, self._data, self._data_length = self._data, [], 0
        return "\n".join(data) if data else None
