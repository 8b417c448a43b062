"""Asks the language model on behalf of a retrieval method, once for each request."""

from __future__ import annotations

import time
from dataclasses import dataclass

from noderag_local.domain.errors import ModelMissing
from noderag_local.domain.model_use import ModelUse
from noderag_local.models.llm.engine import Request
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.system.printing.plain_text import printable


@dataclass(frozen=True, slots=True)
class Written:
    """A text of the model, and what it cost when it was written."""

    text: str
    use: ModelUse
    seconds: float


def written(search_context: SearchContext, request: Request) -> Written:
    """Returns the model's answer to a request; a repeated request is not asked again and reports its first cost.

    Raises:
        ModelMissing: there is no language model.
        ModelError: it failed.
    """
    if search_context.model is None:
        raise ModelMissing("This retrieval method asks a language model, and this search was given none. Give it one.")
    kept = search_context.layer(_kept)
    if request not in kept:
        engine = search_context.model()
        # The time that the model takes to open is no part of a question's.
        started = time.perf_counter()
        stream = engine.stream(request)
        text = printable("".join(stream)).strip()
        kept[request] = Written(text, stream.result.use, time.perf_counter() - started)
    return kept[request]


def _kept(_: SearchContext) -> dict[Request, Written]:
    return {}
