"""Computes many sequences with one model at the same time, with the same result for each as if it were alone.

The scores of a sequence must not depend on the sequences beside it, or the same request could give another text after a
restart. Three measures together make every score bit-identical (measured on Q4_K_M models):

- Each sequence has its own cache (`kv_unified` off), so its attention runs over its own cells in order.
- Prompts are read one at a time, in pieces of fixed length.
- Steps are computed for a multiple of eight sequences; idle ones read a placeholder token. llama.cpp multiplies groups of
  rows and the remaining rows with different rounding: 8, 12 and 16 rows gave equal scores, 1 and 4 gave others (0.3.36 on
  AVX-512).
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence

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

PIECE_TOKENS = 512
"""Prompt tokens processed at once."""

ROWS = 8
"""The number of computed sequences is a multiple of this."""

STAND_IN = 0
"""Placeholder token that idle sequences read; any token would do."""

FLASH_ATTENTION = 1
"""LLAMA_FLASH_ATTN_TYPE_ENABLED in llama.h; flash attention skips the cells of longer sequences in the batch."""


class LlamaBatch:
    """The caches of many sequences, numbered from 0, and of one more with their shared beginning. Not thread-safe.

    Scores that a method returns are views of llama.cpp's memory, valid until the next call.
    """

    def __init__(self, model: Model, sequences: int, tokens: int, threads: int, flag: StopFlag) -> None:
        """Allocates the caches.

        Args:
            model: open model; must stay open while this object is used.
            sequences: maximum number of texts at a time.
            tokens: maximum tokens of each text, prompt and answer together.
            threads: number of processor threads.
            flag: interrupts a computation when it is set.

        Raises:
            ModelError: there is not enough memory.
        """
        params = native.llama_context_default_params()
        params.n_ctx = tokens * (sequences + 1)
        params.n_seq_max = sequences + 1
        params.kv_unified = False
        params.n_batch = params.n_ubatch = PIECE_TOKENS
        params.n_outputs_max = sequences + 1
        params.flash_attn_type = FLASH_ATTENTION
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        pointer = native.llama_init_from_model(model.pointer, params)
        if not pointer:
            raise ModelError(
                f"There is no memory for {sequences} texts of {tokens} tokens at a time with {model.name} "
                f"({last_errors()}). Close other programs or choose a smaller model."
            )
        self.sequences, self.tokens = sequences, int(native.llama_n_ctx_seq(pointer))
        self._model, self._pointer, self._flag = model, pointer, flag
        self._memory = native.llama_get_memory(pointer)
        self._batch = native.llama_batch_init(PIECE_TOKENS, 0, 1)
        self._vocabulary_size = int(native.llama_vocab_n_tokens(model.vocabulary))
        self._lengths = [0] * (sequences + 1)
        self._shared: tuple[int, ...] = ()
        if not _forgets_all_or_nothing(model):
            flag.guard(pointer)
        self._free = weakref.finalize(self, _free, pointer, self._batch)

    def close(self) -> None:
        """Frees the caches; a second call does nothing."""
        self._free()

    def share(self, tokens: tuple[int, ...]) -> int:
        """Reads the shared beginning of the next sequences, unless it has been read already.

        Returns:
            Number of tokens that need not be read again.

        Raises:
            Aborted, ModelError: as for `read`.
        """
        if tokens == self._shared:
            return len(tokens)
        self.drop(self.sequences)
        self._shared = ()
        if tokens:
            self.read(self.sequences, tokens)
        self._shared = tokens
        return 0

    def begin(self, sequence: int, shared: bool = True) -> None:
        """Resets a sequence to the shared beginning or, without `shared`, to nothing."""
        self.drop(sequence)
        if shared and self._shared:
            self._copy(self.sequences, sequence)

    def move(self, sequence: int, target: int) -> None:
        """Gives a sequence another number; drops the sequence that had this number."""
        self.drop(target)
        self._copy(sequence, target)
        self.drop(sequence)

    def drop(self, sequence: int) -> None:
        """Removes a sequence from the cache."""
        native.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        self._lengths[sequence] = 0

    def read(self, sequence: int, tokens: Sequence[int]) -> Scores:
        """Reads tokens into one sequence, without computing others beside it.

        Returns:
            The scores of the token that follows the last one.

        Raises:
            Aborted: the flag was set; none of the tokens was read.
            ModelError: llama.cpp failed.
        """
        before = self._lengths[sequence]
        try:
            pieces = [tokens[at : at + PIECE_TOKENS] for at in range(0, len(tokens), PIECE_TOKENS)]
            for piece in pieces:
                self._read_piece(sequence, piece)
        except Aborted:
            native.llama_memory_seq_rm(self._memory, sequence, before, -1)
            self._lengths[sequence] = before
            raise
        return self._scores(len(pieces[-1]) - 1)

    def step(self, tokens: Mapping[int, int]) -> dict[int, Scores]:
        """Reads one token into each of the given sequences.

        Raises:
            Aborted: the flag was set; nothing was read.
            ModelError: llama.cpp failed.
        """
        first = min(tokens) // ROWS * ROWS
        last = min(self.sequences, (max(tokens) // ROWS + 1) * ROWS)
        idle = [sequence for sequence in range(first, last) if sequence not in tokens]
        for sequence in idle:
            self.drop(sequence)
        for index, sequence in enumerate(range(first, last)):
            self._put(index, tokens.get(sequence, STAND_IN), self._lengths[sequence], sequence, True)
        self._compute(last - first)
        for sequence in idle:
            self.drop(sequence)
        for sequence in tokens:
            self._lengths[sequence] += 1
        return {sequence: self._scores(sequence - first) for sequence in tokens}

    def _read_piece(self, sequence: int, piece: Sequence[int]) -> None:
        start = self._lengths[sequence]
        for index, token in enumerate(piece):
            self._put(index, token, start + index, sequence, index == len(piece) - 1)
        self._compute(len(piece))
        self._lengths[sequence] += len(piece)

    def _copy(self, source: int, target: int) -> None:
        native.llama_memory_seq_cp(self._memory, source, target, -1, -1)
        self._lengths[target] = self._lengths[source]

    def _put(self, index: int, token: int, position: int, sequence: int, scored: bool) -> None:
        batch = self._batch
        batch.token[index] = token
        batch.pos[index] = position
        batch.n_seq_id[index] = 1
        batch.seq_id[index][0] = sequence
        batch.logits[index] = scored

    def _compute(self, tokens: int) -> None:
        if self._flag.is_set():
            raise Aborted
        self._batch.n_tokens = tokens
        result = native.llama_decode(self._pointer, self._batch)
        if result == ABORTED:
            raise Aborted
        if result != 0:
            raise ModelError(
                f"{self._model.name} failed while writing ({last_errors()}, code {result}). Start again; if it fails again, "
                "check the file with `noderag models check` or choose another model."
            )

    def _scores(self, index: int) -> Scores:
        return np.ctypeslib.as_array(native.llama_get_logits_ith(self._pointer, index), (self._vocabulary_size,))


def _forgets_all_or_nothing(model: Model) -> bool:
    """Returns whether a model cannot undo an interrupted computation; it is then interrupted only between computations."""
    return bool(native.llama_model_is_recurrent(model.pointer) or native.llama_model_is_hybrid(model.pointer))


def _free(pointer: Pointer, batch: native.llama_batch) -> None:
    native.llama_batch_free(batch)
    native.llama_free(pointer)
