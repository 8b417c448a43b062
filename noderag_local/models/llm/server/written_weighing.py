"""Weighs texts by what a model writes, for servers, not all of which tell probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Finish, Weighing


def begun_with(stream: Stream[Completion], beginnings: Sequence[str]) -> Weighing:
    """Gives 0 to the first text that the answer begins with, in small or capital letters, and minus infinity to all others.

    Args:
        stream: the answer.
        beginnings: texts that it may begin with.

    Raises:
        SettingsError, ModelError: as reading the stream.
    """
    answer = "".join(stream).strip().casefold()
    if stream.result.finish is Finish.CANCELLED:
        return Weighing((), (), stream.result)
    begun = next((text for text in beginnings if answer.startswith(text.casefold())), None)
    weights = tuple(0.0 if text == begun else -math.inf for text in beginnings)
    return Weighing(tuple(beginnings), weights, stream.result)


def written_one_of(stream: Stream[Completion], texts: Sequence[str], most: int) -> Weighing:
    """Returns the first line of the answer, if it is one of some texts in small or capital letters.

    Args:
        stream: the answer.
        texts: texts that are allowed.
        most: maximum number of texts to return.

    Raises:
        SettingsError, ModelError: as reading the stream.
    """
    answer = "".join(stream).strip().partition("\n")[0].strip(" .\"'").casefold()
    if stream.result.finish is Finish.CANCELLED:
        return Weighing((), (), stream.result)
    found = tuple(text for text in texts if text.casefold() == answer)[: min(most, 1)]
    return Weighing(found, (0.0,) * len(found), stream.result)
