"""Weighs texts by what a model writes, for servers, not all of which tell probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Finish, Request, Weighing
from noderag_local.models.llm.server.server_faults import AnswerEmpty

FEWEST_TOKENS = 4
"""Tokens that a word may take with the signs around it, such as "**Yes**"."""

_NO_LETTERS = re.compile(r"[\W\d_]*")
_AROUND = " \t.,;:!?…*_`\"'´«»‹›„“”‚‘’()[]"
"""Signs that a model may write around an answer. A minus or a percent sign belongs to it."""


def with_room(request: Request) -> Request:
    """Returns a request whose answer has room for a word with signs around it."""
    return replace(request, max_tokens=max(request.max_tokens, FEWEST_TOKENS))


def begun_with(stream: Stream[Completion], beginnings: Sequence[str]) -> Weighing:
    """Gives 0 to the text that the answer's words begin with, in small or capital letters, and minus infinity to all others.

    Args:
        stream: the answer; an empty one begins with none of the texts.
        beginnings: texts that it may begin with; each ends where a word ends, so that "none" does not begin with "no".

    Raises:
        SettingsError, ModelError: as reading the stream.
    """
    written, completion = _read(stream)
    if completion.finish is Finish.CANCELLED:
        return Weighing((), (), completion)
    answer = _NO_LETTERS.sub("", written, count=1).casefold()
    begun = next((text for text in beginnings if re.match(rf"{re.escape(text.casefold())}(?!\w)", answer)), None)
    weights = tuple(0.0 if text == begun else -math.inf for text in beginnings)
    return Weighing(tuple(beginnings), weights, completion)


def written_one_of(stream: Stream[Completion], texts: Sequence[str], most: int) -> Weighing:
    """Returns the first line of the answer, if it is one of some texts in small or capital letters, whatever signs are around it.

    Args:
        stream: the answer; an empty one is none of the texts.
        texts: texts that are allowed.
        most: maximum number of texts to return.

    Raises:
        SettingsError, ModelError: as reading the stream.
    """
    written, completion = _read(stream)
    if completion.finish is Finish.CANCELLED:
        return Weighing((), (), completion)
    answer = _bare(written.strip().partition("\n")[0])
    found = tuple(text for text in texts if answer and _bare(text) == answer)[: min(most, 1)]
    return Weighing(found, (0.0,) * len(found), completion)


def _read(stream: Stream[Completion]) -> tuple[str, Completion]:
    try:
        return "".join(stream), stream.result
    except AnswerEmpty as error:
        # Every answer of a model that thinks would be empty, which the user has to know.
        if error.has_thought:
            raise
        return "", Completion.of_all(())


def _bare(text: str) -> str:
    return text.strip(_AROUND).casefold()
