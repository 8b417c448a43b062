"""Work that nobody has to wait for."""

from __future__ import annotations

import asyncio
import threading

import pytest

from noderag_local.interfaces.tui.library.folder_chooser import on_side_thread


def test_it_gives_what_was_found() -> None:
    name = asyncio.run(on_side_thread(lambda: threading.current_thread().name))
    assert name == "side"


def test_it_raises_what_went_wrong() -> None:
    def fail() -> None:
        raise OSError("no such disk")

    with pytest.raises(OSError, match="no such disk"):
        asyncio.run(on_side_thread(fail))


def test_who_does_not_wait_any_more_is_not_held_up() -> None:
    may_end = threading.Event()
    ended = threading.Event()

    def walk() -> None:
        may_end.wait(300)
        ended.set()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(on_side_thread(walk), 0.02)

    asyncio.run(give_up())
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(300)
