"""Weighs what may follow a prompt that was read: the scores of the next tokens, and of whole texts, without writing them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from noderag_local.models.llm.engine import Completion, Finish
from noderag_local.models.llm.llamacpp.llama_context import Block, LlamaContext
from noderag_local.models.llm.llamacpp.sampling import log_probabilities

Weights: TypeAlias = dict[str, float]
"""Natural logarithm of the probability of each text, in the order of the result."""


class AfterPrompt:
    """A context behind a prompt. Tokens of a text stay in its cache as long as the next text begins with them, too."""

    def __init__(self, context: LlamaContext, prompt: Sequence[Block]) -> None:
        """Reads a prompt, given in blocks.

        Raises:
            Aborted, ModelError: as for `LlamaContext.read`.
        """
        self._started = started = time.perf_counter()
        self._context, self._prompt = context, prompt
        self._reused_tokens = context.read(prompt)
        self._first = log_probabilities(context.scores())
        self._first_seconds = time.perf_counter() - started
        self._read: list[int] = []
        """Tokens behind the prompt that the context has read."""
        self._steps = 0

    def scores_after(self, tokens: tuple[int, ...]) -> npt.NDArray[np.float64]:
        """Returns the logarithm of each next token's probability after these tokens, (size of the vocabulary,) float64.

        Raises:
            Aborted: the flag of the context was set.
            ModelError: llama.cpp failed.
        """
        if not tokens:
            return self._first
        read = self._read
        kept = 0
        # The last token is always read again, for its scores.
        while kept < min(len(read), len(tokens) - 1) and read[kept] == tokens[kept]:
            kept += 1
        if len(read) > kept and not self._context.take_back(len(read) - kept):
            self._context.read(self._prompt)
            kept = 0
        del read[kept:]
        for token in tokens[kept:]:
            self._context.append((token,))
            read.append(token)
            self._steps += 1
        return log_probabilities(self._context.scores())

    def likelihoods(self, spelled: Mapping[str, tuple[int, ...]]) -> Weights:
        """Returns how likely each text is as the beginning of the answer, given the tokens that spell it; raises as `scores_after`."""
        return {
            text: sum(float(self.scores_after(tokens[:at])[token]) for at, token in enumerate(tokens))
            for text, tokens in spelled.items()
        }

    def cost(self) -> Completion:
        """Returns the cost so far; each token that was read behind the prompt counts as written."""
        elapsed = time.perf_counter() - self._started
        return Completion(
            Finish.STOP, sum(map(len, self._prompt)), self._reused_tokens, self._steps, self._first_seconds, elapsed
        )
