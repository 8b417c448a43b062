"""Lines of standard input for the protocol, and the standard output that nothing else may write to."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STDIN, STDOUT, STDERR = 0, 1, 2
LONGEST_LINE = 4 << 20
"""Bytes of a request; a longer one is read to its end, dropped and answered as malformed."""
_PIECE = 1 << 16


class InputLines:
    """Lines of a file descriptor, read by a thread of its own, so that a signal can end them at once."""

    def __init__(self, descriptor: int) -> None:
        """Starts to read; an event loop must be running."""
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        # A daemon, since nothing but the other program can end a read that waits.
        threading.Thread(target=self._follow, args=(descriptor,), name="mcp-input", daemon=True).start()

    def __aiter__(self) -> InputLines:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """Ends the lines, as the end of the file does."""
        self._lines.put_nowait(None)

    def _follow(self, descriptor: int) -> None:
        try:
            for line in lines_of(descriptor):
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line.decode("utf-8", "replace"))
            self._loop.call_soon_threadsafe(self.end)
        except RuntimeError:
            # The loop has ended before this thread.
            return


def lines_of(descriptor: int) -> Iterator[bytes]:
    """Yields the lines of a descriptor that are not empty; of one that is too long only its first bytes."""
    held = bytearray()
    while piece := _read(descriptor):
        *ended, rest = piece.split(b"\n")
        for part in ended:
            held += part
            if held.strip():
                yield bytes(held[:LONGEST_LINE])
            held.clear()
        held += rest
        del held[LONGEST_LINE:]
    if held.strip():
        yield bytes(held)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _PIECE)
    except OSError:
        return b""


@contextmanager
def kept_for_protocol() -> Iterator[tuple[int, int]]:
    """Gives private copies of standard input and output; meanwhile, whatever is printed goes to the error output."""
    private = os.dup(STDIN), os.dup(STDOUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    os.dup2(STDERR, STDOUT)
    try:
        yield private
    finally:
        for target, copy in zip((STDIN, STDOUT), private, strict=True):
            os.dup2(copy, target)
