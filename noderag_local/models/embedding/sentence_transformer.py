"""Embeds passages with sentence-transformers, a chunk and its sentences in one pass (late chunking).

A sentence's vector is the mean of the states of its own word pieces in the pass over its whole chunk (Günther et al. 2024,
"Late Chunking", section 3). It needs no second pass, and the vector of "She is a member of …" reflects whom "she" refers to.
With plain cosine ranking, coverage on 249 MuSiQue questions at 1,000 / 2,000 / 6,000 / 12,000 tokens is 53 / 65 / 78 / 84;
with sentences embedded separately it is 49 / 58 / 71 / 78.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from tokenizers import Encoding

from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors, text_by_text
from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model, folder_shape
from noderag_local.models.embedding.wordpieces import WordPieces

BATCH_PIECES = 2048
"""Maximum word pieces in a batch, padding included. On two cores, 512 to 2,048 are equally fast; 4,096 is 15 % slower, since
the states no longer fit into the cache."""
FULL_BATCH_PIECES = 1024
"""The same for processors on which every batch must be filled, where a batch of one passage costs as much as a full one."""

STEP_PIECES = 8
"""Passages are padded to a multiple of this; it leaves a tenth of the different lengths and adds three percent of pieces."""


class SentenceTransformerEmbedder:
    """A sentence-transformers folder on the CPU, in bfloat16 if the processor multiplies it natively, else in float32.

    If the model's vector is not the mean of its tokens' states, each sentence is embedded separately.
    """

    def __init__(self, threads: int, model: EmbeddingModel | None = None) -> None:
        """Loads the model.

        Args:
            threads: number of threads for matrix products.
            model: model with the runner `FOLDER`; None for the installed model.

        Raises:
            ModelDamaged: its files cannot be read.
        """
        model = model or builtin_model()
        folder = Path(model.place)
        shape = folder_shape(folder)
        torch.set_num_threads(threads)
        self._model = SentenceTransformer(
            model.place, device="cpu", local_files_only=True, model_kwargs={"dtype": fastest_dtype()}
        )
        self._model.max_seq_length = self._window = shape.window
        self._model.eval()
        self._is_mean = shape.is_mean
        self._pieces = WordPieces(folder, shape.window)
        self._fills_up = _counts_rows()
        self._passage_prefix, self._question_prefix = model.passage_prefix, model.question_prefix
        self.name, self.identity, self.languages = model.name, model.identity, model.languages
        self.dim = int(self._model.get_embedding_dimension() or 0)

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        """Yields vectors as they are computed, by the position of the passage; passages of similar length come together.

        A passage is padded to a length that depends on its own length alone, and if the processor requires it, batches are
        filled to a size that depends on that length. So the last bits of a vector do not depend on the other passages.
        """
        if not self._is_mean:
            yield from text_by_text(passages, self._passages)
            return
        begin = len(self._passage_prefix)
        encodings = self._pieces.windows([self._passage_prefix + passage.text() for passage in passages])
        for batch in self._batches(encodings):
            states = self._computed([encodings[index] for index in batch], "token_embeddings")
            yield {
                index: _pool(state, encodings[index], [(a + begin, b + begin) for a, b in passages[index].spans()])
                for index, state in zip(batch, states, strict=True)
            }

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of questions, (n, dim) of unit length."""
        return self._vectors([self._question_prefix + text for text in texts])

    def _passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors([self._passage_prefix + text for text in texts])

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encodings = self._pieces.windows(texts)
        found = np.zeros((len(texts), self.dim), dtype=np.float64)
        for batch in self._batches(encodings):
            found[batch] = self._computed([encodings[index] for index in batch], "sentence_embedding")
        return _unit(found)

    def _batches(self, encodings: Sequence[Encoding]) -> Iterator[list[int]]:
        most = FULL_BATCH_PIECES if self._fills_up else BATCH_PIECES
        return _batches([len(encoding) for encoding in encodings], most, self._window)

    def _computed(self, encodings: Sequence[Encoding], wanted: str) -> NDArray[np.float32]:
        """Returns the model's output for texts that are padded to the same length.

        Args:
            encodings: tokens of the texts, which all have the same padded length.
            wanted: "token_embeddings" for the states of the last layer, (texts, padded length, dim), or "sentence_embedding" for
                the final vectors, (texts, dim).
        """
        longest = _padded(len(encodings[0]), self._window)
        rows = _rows(longest, FULL_BATCH_PIECES) if self._fills_up else len(encodings)
        ids = np.zeros((rows, longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding)] = encoding.ids
            mask[row, : len(encoding)] = 1
        mask[len(encodings) :, 0] = 1
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        with torch.inference_mode():
            model = self._model[0] if wanted == "token_embeddings" else self._model
            computed: torch.Tensor = model(features)[wanted]
        return np.asarray(computed[: len(encodings)].float().numpy())


def fastest_dtype() -> torch.dtype:
    """Returns bfloat16 if the processor has instructions for it (2.4 times as fast, cosine to float32 0.99995), else float32."""
    native = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)() or _is_arm_with_bfloat16()
    return torch.bfloat16 if native else torch.float32


def _counts_rows() -> bool:
    """Returns whether the number of rows affects the last bits of a matrix product, as with Intel's tiles (AMX)."""
    return bool(getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)())


def _is_arm_with_bfloat16() -> bool:
    if platform.machine() != "aarch64":
        return False
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
            return " bf16" in cpuinfo.read()
    except OSError:
        return False


def _padded(pieces: int, window: int) -> int:
    """Returns the length to pad a passage to; always more than its own, since the model computes differently without a mask."""
    return window if pieces == window else min(pieces // STEP_PIECES * STEP_PIECES + STEP_PIECES, window)


def _rows(padded: int, most: int) -> int:
    """Returns the number of passages in a batch of at most `most` pieces."""
    return max(1, most // padded)


def _batches(lengths: Sequence[int], most: int, window: int) -> Iterator[list[int]]:
    """Groups indices into batches of equal padded length and at most `most` pieces; ties are ordered by index."""
    ordered = sorted(range(len(lengths)), key=lambda index: (lengths[index], index))
    for (padded, _), alike in groupby(
        ordered, key=lambda index: (_padded(lengths[index], window), lengths[index] == window)
    ):
        batch = list(alike)
        size = _rows(padded, most)
        yield from (batch[at : at + size] for at in range(0, len(batch), size))


def _pool(state: NDArray[np.float32], encoding: Encoding, spans: Sequence[tuple[int, int]]) -> PassageVectors:
    """Returns the mean state of the passage and of each sentence.

    Args:
        state: (longest, dim) states; those after the encoding's own pieces are padding.
        encoding: pieces with their character offsets.
        spans: ascending character ranges of the sentences. A sentence beyond the window gets the vector of the chunk.
    """
    pieces = state[: len(encoding)]
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    inside = np.flatnonzero(offsets[:, 1] > offsets[:, 0])
    # A piece belongs to the sentence of its last character, since a SentencePiece token starts with the blank before its word.
    places = offsets[inside, 1] - 1
    sums = np.concatenate([np.zeros((1, pieces.shape[1])), np.cumsum(pieces[inside], axis=0, dtype=np.float64)])
    edges = np.searchsorted(places, np.array(spans, dtype=np.int64).reshape(-1, 2))
    chunk = _unit(pieces.mean(axis=0, dtype=np.float64)[None])[0]
    totals = sums[edges[:, 1]] - sums[edges[:, 0]]
    empty = edges[:, 1] == edges[:, 0]
    totals[empty] = chunk
    return PassageVectors(chunk, _unit(totals))


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)
