"""What the language model writes for a search, where a method asks it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from noderag_local.domain.errors import ModelMissing
from noderag_local.models.llm.engine import Request
from noderag_local.retrieval.retriever import Grounds
from noderag_local.system.printing.plain_text import printable


@dataclass(frozen=True, slots=True)
class Written:
    """A text of the model and what it cost when it was written."""

    text: str
    tokens: int
    """Read and written."""
    seconds: float


def written(grounds: Grounds, request: Request) -> Written:
    """The model's answer to a request; the same request is asked once, and then costs what it cost that time.

    Raises:
        ModelMissing: there is no language model.
        ModelError: it failed.
    """
    if grounds.model is None:
        raise ModelMissing("This retrieval method asks a language model, and this search was given none. Give it one.")
    kept = grounds.layer(_kept)
    if request not in kept:
        engine = grounds.model()
        # The time that the model takes to open is no part of a question's.
        started = time.perf_counter()
        stream = engine.stream(request)
        text = printable("".join(stream)).strip()
        kept[request] = Written(text, stream.result.worked_tokens, time.perf_counter() - started)
    return kept[request]


def _kept(_: Grounds) -> dict[Request, Written]:
    return {}
