"""How well the words of each sentence, and of what stands around it, agree with a question.

Each signal is the share of the question's words, weighed by how rare they are in these notes (inverse document
frequency, Robertson and Spärck Jones 1976), that stand in the sentence, near it, in its chunk or in its document. In a
conversation or a diary the words of a question are spread over what was said before and after.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.text.stems import question_stems

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

NEIGHBOURS = 2
"""Number of sentences before and after a sentence, in its chunk, that count as near it."""
SATURATION, LENGTH_SHARE = 1.2, 0.75
"""k1 and b of BM25, as SQLite's full-text index and most others have them."""


@dataclass(frozen=True, slots=True)
class WordSignals:
    """Agreement of each sentence's words with a question; n sentences, each value from 0 to 1."""

    sentence: Floats
    """(n,) share of the question's words that stand in the sentence."""
    near: Floats
    """(n,) … in it or its NEIGHBOURS."""
    chunk: Floats
    """(n,) … in its chunk."""
    document: Floats
    """(n,) … in its document."""
    bm25: Floats
    """(n,) BM25 of its chunk as a part of the best chunk's."""
    words: int
    """Number of the question's words that these notes have."""


def word_signals(question: str, arrays: GraphArrays) -> WordSignals:
    """Returns the signals of every sentence; zeros where the notes have none of the question's words."""
    postings = [
        np.searchsorted(arrays.sentences, ids)
        for forms in question_stems(question)
        if len(ids := arrays.words.sentences_with(forms))
    ]
    n = len(arrays.sentences)
    if not postings:
        none = np.zeros(n, np.float32)
        return WordSignals(none, none, none, none, none, 0)
    rows = np.concatenate(postings)
    words = np.repeat(np.arange(len(postings)), [len(one) for one in postings])
    chunks, documents = arrays.chunk_of, arrays.document_of
    in_sentence = _Occurrences.of(rows, words, n)
    in_chunk = _Occurrences.of(chunks[rows], words, len(arrays.chunks))
    in_document = _Occurrences.of(documents[rows], words, arrays.documents)
    near = _Occurrences.of(*_spread(rows, words, chunks), n)
    return WordSignals(
        in_sentence.shares(in_sentence.rarity),
        near.shares(in_sentence.rarity),
        in_chunk.shares(in_chunk.rarity)[chunks],
        in_document.shares(in_document.rarity)[documents],
        in_chunk.bm25(arrays.chunk_tokens)[chunks],
        len(postings),
    )


def _spread(rows: Rows, words: Rows, chunks: Rows) -> tuple[Rows, Rows]:
    """Returns the rows of a word and those beside them in the same chunk, with the word of each."""
    shifts = range(-NEIGHBOURS, NEIGHBOURS + 1)
    moved = np.concatenate([rows + shift for shift in shifts])
    origin, same = np.tile(rows, len(shifts)), np.tile(words, len(shifts))
    inside = (moved >= 0) & (moved < len(chunks))
    moved, origin, same = moved[inside], origin[inside], same[inside]
    kept = chunks[moved] == chunks[origin]
    return moved[kept], same[kept]


@dataclass(frozen=True, slots=True)
class _Occurrences:
    """Which of the question's words stand in which texts: m pairs, each once."""

    texts: Rows
    """(m,)"""
    words: Rows
    """(m,)"""
    counts: Floats
    """(m,) how often."""
    size: int
    """Number of all texts."""

    @classmethod
    def of(cls, texts: Rows, words: Rows, size: int) -> _Occurrences:
        width = int(words.max()) + 1
        pairs, counts = np.unique(texts * width + words, return_counts=True)
        return cls(pairs // width, pairs % width, counts.astype(np.float32), size)

    @property
    def rarity(self) -> Floats:
        """(words,) inverse document frequency."""
        having = np.bincount(self.words).astype(np.float32)
        return np.log1p((self.size - having + 0.5) / (having + 0.5))

    def shares(self, rarity: Floats) -> Floats:
        """(size,) rarity of the words of each text, of the sum of all."""
        found = np.bincount(self.texts, rarity[self.words], minlength=self.size)
        return (found / max(float(rarity.sum()), 1e-6)).astype(np.float32)

    def bm25(self, lengths: Floats) -> Floats:
        """(size,) BM25 of each text over the best one's.

        Args:
            lengths: (size,) of the texts, in tokens.
        """
        relative = lengths[self.texts] / max(float(lengths.mean()), 1e-6)
        damped = self.counts + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative)
        weights = self.rarity[self.words] * self.counts * (SATURATION + 1) / damped
        scores = np.bincount(self.texts, weights, minlength=self.size)
        return (scores / max(float(scores.max()), 1e-6)).astype(np.float32)
