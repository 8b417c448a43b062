"""Manages llama.cpp's cache of one sequence and knows the tokens in it.

A prompt is read in blocks, and only whole equal blocks are reused. So the cache of a block always results from the same
computation, and the same request gives the bit-identical text. Reusing the longest common run of tokens would save some
more, but floating-point sums depend on how batches are divided.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.llamacpp.llama_native import (
    ABORTED,
    Aborted,
    Model,
    Pointer,
    StopFlag,
    last_errors,
    native,
)
from noderag_local.models.llm.llamacpp.sampling import Scores

Block = tuple[int, ...]
"""Token ids that are processed at once."""

SEQUENCE = 0


class LlamaContext:
    """The cache of one sequence of an open model. Not thread-safe; its engine holds a lock."""

    def __init__(self, model: Model, tokens: int, threads: int, block_tokens: int) -> None:
        """Allocates the cache.

        Args:
            model: open model; must stay open while this object is used.
            tokens: number of tokens that the cache can hold.
            threads: number of processor threads.
            block_tokens: maximum tokens of a block.

        Raises:
            ModelError: there is not enough memory.
        """
        params = native.llama_context_default_params()
        params.n_ctx = tokens
        params.n_batch = params.n_ubatch = block_tokens
        params.n_seq_max = params.n_outputs_max = 1
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        pointer = native.llama_init_from_model(model.pointer, params)
        if not pointer:
            raise ModelError(
                f"There is no memory for a context of {tokens} tokens with {model.name} ({last_errors()}). "
                "Lower budget_tokens (--budget), close other programs or choose a smaller model."
            )
        self.size = int(native.llama_n_ctx(pointer))
        self._model, self._block_tokens = model, block_tokens
        self._pointer = pointer
        self._memory = native.llama_get_memory(pointer)
        self._batch = native.llama_batch_init(block_tokens, 0, 1)
        self._vocabulary_size = int(native.llama_vocab_n_tokens(model.vocabulary))
        self._blocks: list[Block] = []
        self._free = weakref.finalize(self, _free, pointer, self._batch)

    def scores(self) -> Scores:
        """Returns the scores of the next token; a view of llama.cpp's memory, valid until the next read."""
        return np.ctypeslib.as_array(native.llama_get_logits_ith(self._pointer, -1), (self._vocabulary_size,))

    def close(self) -> None:
        """Frees the cache; a second call does nothing."""
        self._free()

    def watch(self, flag: StopFlag) -> None:
        """Makes reading stop when this flag is set; the flag must stay alive until the next call of `watch`."""
        flag.guard(self._pointer)
        self._flag = flag

    def read(self, blocks: Sequence[Block]) -> int:
        """Makes the cache contain exactly these blocks; `scores` then belong to the token after them.

        Returns:
            Number of tokens reused from the cache; the last block is always read again, for its scores.

        Raises:
            Aborted: the flag was set; a later call continues with what was read.
            ModelError: llama.cpp failed.
        """
        keep = 0
        while keep < min(len(blocks) - 1, len(self._blocks)) and blocks[keep] == self._blocks[keep]:
            keep += 1
        self._cut(keep)
        reused = self._length()
        for block in blocks[len(self._blocks) :]:
            self.append(block)
        return reused

    def extend(self, tokens: Sequence[int]) -> None:
        """Reads further tokens, in as many blocks as necessary.

        Raises:
            Aborted, ModelError: as for `append`.
        """
        for at in range(0, len(tokens), self._block_tokens):
            self.append(tuple(tokens[at : at + self._block_tokens]))

    def append(self, block: Block) -> None:
        """Reads one more block.

        Raises:
            Aborted: the flag was set.
            ModelError: llama.cpp failed.
        """
        if self._flag.is_set():
            raise Aborted
        self._fill(block)
        result = native.llama_decode(self._pointer, self._batch)
        if result == 0:
            self._blocks.append(block)
            return
        self._cut(len(self._blocks))
        if result == ABORTED:
            raise Aborted
        raise ModelError(
            f"{self._model.name} failed while reading ({last_errors()}, code {result}). Ask again; if it fails again, "
            "check the file with `noderag models check` or choose another model."
        )

    def take_back(self, blocks: int) -> bool:
        """Removes the last blocks. The scores are gone then, so read something before you ask for them.

        Returns:
            False if everything had to be removed, since the model cannot forget a part of what it read.
        """
        kept = max(len(self._blocks) - blocks, 0)
        self._cut(kept)
        return len(self._blocks) == kept

    def _fill(self, block: Block) -> None:
        start, batch = self._length(), self._batch
        batch.n_tokens = len(block)
        for index, token in enumerate(block):
            batch.token[index] = token
            batch.pos[index] = start + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = SEQUENCE
            batch.logits[index] = index == len(block) - 1

    def _cut(self, keep: int) -> None:
        """Removes all blocks after the first `keep`, and any block that was only partly read."""
        del self._blocks[keep:]
        if not native.llama_memory_seq_rm(self._memory, SEQUENCE, self._length(), -1):
            # Recurrent models cannot remove a part of what they read.
            native.llama_memory_clear(self._memory, True)
            self._blocks.clear()

    def _length(self) -> int:
        return sum(map(len, self._blocks))


def _free(pointer: Pointer, batch: native.llama_batch) -> None:
    native.llama_batch_free(batch)
    native.llama_free(pointer)
