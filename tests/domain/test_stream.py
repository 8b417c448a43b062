"""A stream gives pieces and then its result, and stops its writer when it is closed."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from noderag_local.domain.stream import Stream


def counted(words: list[str], ended: list[str]) -> Generator[str, None, int]:
    """Yields the words, returns how many they were, and notes in `ended` that it ended."""
    try:
        yield from words
        return len(words)
    finally:
        ended.append("ended")


def test_the_pieces_come_first_and_then_the_result() -> None:
    stream = Stream(counted(["One ", "two"], []))
    assert (list(stream), stream.result) == (["One ", "two"], 2)
    assert list(stream) == [] and stream.result == 2


def test_there_is_no_result_before_the_last_piece() -> None:
    stream = Stream(counted(["One ", "two"], []))
    next(stream)
    with pytest.raises(RuntimeError, match="after its last piece"):
        _ = stream.result
    assert stream.finish() == 2


def test_closing_it_stops_the_writer() -> None:
    ended: list[str] = []
    stream = Stream(counted(["One ", "two"], ended))
    next(stream)
    stream.close()
    assert (ended, list(stream)) == (["ended"], [])
    with pytest.raises(RuntimeError, match="after its last piece"):
        stream.finish()
