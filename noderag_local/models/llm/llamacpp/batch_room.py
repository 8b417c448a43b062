"""Decides how many texts are written at a time, and how long each may be, from the free memory."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.llamacpp.llama_batch import ROWS
from noderag_local.models.llm.llamacpp.llama_native import Model
from noderag_local.models.llm.machine import available_memory_bytes

CACHE_BYTES = 704 * 1024 * 1024
"""What the caches of all sequences take at most, as long as one sequence fits: 32 of 768 tokens of a model of 1.5 billion
parameters."""

SPARE_BYTES = 400 * 1024 * 1024
"""Left free for llama.cpp's own buffers and everything else that runs."""

STEP_TOKENS = 256
"""Caches grow in steps of so many tokens; llama.cpp pads them to that anyway."""


@dataclass(frozen=True, slots=True)
class BatchRoom:
    """The sequences and tokens that a batch may have."""

    sequences: int
    tokens: int
    """Of each sequence."""


def batch_room(model: Model, sequences: int, tokens: int) -> BatchRoom:
    """Returns the room for texts of so many tokens: as many sequences as memory allows, at most as many as asked for.

    Raises:
        ModelError: not even one fits.
    """
    tokens = -(-tokens // STEP_TOKENS) * STEP_TOKENS
    each = tokens * model.cache_bytes_per_token()
    free = available_memory_bytes()
    most = CACHE_BYTES if free is None else min(CACHE_BYTES, free - SPARE_BYTES)
    # One more holds what the sequences share.
    fitting = min(sequences, most // each - 1)
    if fitting >= ROWS:
        return BatchRoom(fitting // ROWS * ROWS, tokens)
    if free is not None and free - SPARE_BYTES < 2 * each:
        raise ModelError(
            f"{model.name} needs {(2 * each + SPARE_BYTES) >> 20} MB for a text of {tokens} tokens and {free >> 20} MB "
            "are free. Close other programs or choose a smaller model."
        )
    return BatchRoom(max(1, fitting), tokens)
