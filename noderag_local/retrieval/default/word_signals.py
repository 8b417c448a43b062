"""How well the words of each sentence, and of what stands around it, agree with a question.

Each signal is the share of the question's words, weighed by how rare they are in these notes (inverse document
frequency, Robertson and Spärck Jones 1976), that stand in the sentence, near it, in its chunk or in its document. In a
conversation or a diary the words of a question are spread over what was said before and after. Words that these notes do not
have count as the rarest, and lower what all others say: where most are unknown, as in a question in another language than the
notes, the few that are found have little to do with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from noderag_local.retrieval.default.named_documents import named_documents
from noderag_local.retrieval.search_arrays import SearchArrays
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.bigrams import is_unspaced
from noderag_local.storage.documents.fulltext import labelled_chunks
from noderag_local.text.dates.day_words import asked_days, words_of_speaking, words_of_writing
from noderag_local.text.stems import question_stems

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

NEIGHBOURS = 2
"""Number of sentences before and after a sentence, in its chunk, that count as near it."""
SATURATION, LENGTH_SHARE = 1.2, 0.75
"""k1 and b of BM25, as SQLite's full-text index and most others have them."""


Meant = Callable[[str], tuple[frozenset[str], ...]]
"""Returns the stems of each of the words that stand in these notes for one that they do not have; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class OfEach:
    """Values of the n sentences, which are those of the chunk or document of each; of a large vault, few of them are needed."""

    values: Floats
    """(g,) of each chunk or document."""
    group_of: NDArray[np.integer]
    """(n,) row of the chunk or document of each sentence."""

    def at(self, rows: Rows) -> Floats:
        """Returns (len(rows),) the values of some sentences."""
        return np.asarray(self.values[self.group_of[rows]])

    @property
    def all(self) -> Floats:
        """Values of all sentences, (n,)."""
        return np.asarray(self.values[self.group_of])

    @property
    def best(self) -> float:
        """Largest value."""
        return float(self.values.max())


@dataclass(frozen=True, slots=True)
class WordSignals:
    """Agreement of each sentence's words with a question; n sentences, each value from 0 to 1."""

    sentence: Floats
    """(n,) share of the question's words that stand in the sentence."""
    near: Floats
    """(n,) … in it or its NEIGHBOURS."""
    chunk: OfEach
    """… in its chunk."""
    document: OfEach
    """… in its document."""
    bm25: OfEach
    """BM25 of its chunk, scaled: the best chunk has the share that all known words have."""
    title: OfEach
    """Share of the question's words that stand in the title or the headings above it."""
    words: int
    """Number of the question's words that these notes have."""
    unknown: tuple[str, ...]
    """Words of the question that these notes do not have."""
    named: Floats
    """(n,) how well a question that is nothing but a name names the document; see `named_documents`."""


def word_signals(question: str, store: Store, arrays: SearchArrays, today: date, meant: Meant) -> WordSignals:
    """Returns the signals of every sentence; zeros where the notes have none of the question's words.

    A day that the question names, and its month, are words of it beside those that it is written with. The sentences of a note of
    that day have them, and those that speak of it in whatever way; the day of a note counts as part of its title.

    Args:
        question: the question, as the person typed it.
        store: the open vault.
        arrays: arrays of the vault's graph.
        today: the day that "yesterday" in the question is seen from.
        meant: asked for each word that the notes do not have.
    """
    n = len(arrays.sentences)
    postings, labelled, known = [], [], []
    missing: list[str] = []
    for word, stems in question_stems(question).items():
        found = [(stems, *_places(word, stems, store, arrays))]
        if not _anywhere(found):
            found = [(others, *_places(word, others, store, arrays)) for others in meant(word)]
        # A sentence has a character of a script without spaces mostly in a pair, so that one alone tells nothing by its absence.
        missing += [word] * (not _anywhere(found) and not is_unspaced(word))
        for forms, ids, titled in found if _anywhere(found) else ():
            postings.append(np.searchsorted(arrays.sentences, ids))
            labelled.append(titled)
            known.append(forms)
    for said, written in _on_asked_days(question, arrays, today):
        postings.append(distinct(said, written))
        labelled.append(distinct(arrays.chunks[arrays.chunk_of[written]]).tolist())
    chunks, documents = arrays.chunk_of, arrays.document_of
    unknown = len(missing)
    in_sentence = _Occurrences([(rows, np.ones(len(rows), np.float32)) for rows in postings], unknown, n)
    in_chunk = _Occurrences([_counted(chunks[rows]) for rows in postings], unknown, len(arrays.chunks))
    in_document = _Occurrences([_counted(documents[rows]) for rows in postings], unknown, len(arrays.documents))
    near = _Occurrences([_counted(_spread(rows, chunks)) for rows in postings], unknown, n)
    return WordSignals(
        in_sentence.shares(in_sentence.rarity),
        near.shares(in_sentence.rarity),
        OfEach(in_chunk.shares(in_chunk.rarity), chunks),
        OfEach(in_document.shares(in_document.rarity), documents),
        OfEach(in_chunk.bm25(arrays.chunk_tokens), chunks),
        OfEach(_title_shares(labelled, in_sentence.rarity, arrays), chunks),
        len(postings),
        tuple(missing),
        named_documents([] if missing else known, labelled[: len(known)], store, arrays),
    )


def _on_asked_days(question: str, arrays: SearchArrays, today: date) -> Iterator[tuple[Rows, Rows]]:
    """Yields, for each day that a question names and its month, the rows of the sentences that speak of it and that are of it.

    Days that no sentence has are left out: the question's words for them are counted as unknown already.
    """
    for days in asked_days(question, today):
        said, written = (
            np.searchsorted(arrays.sentences, arrays.words.sentences_with(words))
            for words in (words_of_speaking(days), words_of_writing(days))
        )
        if len(said) or len(written):
            yield said, written


def _places(word: str, stems: Collection[str], store: Store, arrays: SearchArrays) -> tuple[Rows, list[int]]:
    """Returns the ids of the sentences, and of the chunks with a title or heading, that have a word."""
    return arrays.words.sentences_with(stems), labelled_chunks(store, word, stems)


def _anywhere(found: Sequence[tuple[Collection[str], Rows, list[int]]]) -> bool:
    """Whether some sentence, title or heading has one of the words."""
    return any(len(ids) or titled for _, ids, titled in found)


def _title_shares(labelled: Sequence[Sequence[int]], rarity: Floats, arrays: SearchArrays) -> Floats:
    """(c,) share of the words, by rarity, in the title and headings of each chunk.

    Args:
        labelled: ids of the chunks whose title or headings have each word.
        rarity: (width,)
        arrays: arrays of the vault's graph.
    """
    shares = np.zeros(len(arrays.chunks), np.float32)
    for ids, weight in zip(labelled, rarity, strict=True):
        rows = np.searchsorted(arrays.chunks, ids)
        shares[rows] += weight
    return shares


def _spread(rows: Rows, chunks: Rows) -> Rows:
    """Returns the rows of a word and those beside them in the same chunk, ascending."""
    own = chunks[rows]
    is_near = np.zeros(len(chunks), np.bool_)
    for shift in range(-NEIGHBOURS, NEIGHBOURS + 1):
        moved = np.clip(rows + shift, 0, len(chunks) - 1)
        is_near[moved[chunks[moved] == own]] = True
    return np.flatnonzero(is_near)


def _counted(texts: Rows) -> tuple[Rows, Floats]:
    """Returns each text once, ascending, and how often it comes."""
    if (texts[1:] < texts[:-1]).any():
        texts = np.sort(texts)
    starts = np.flatnonzero(np.concatenate([[True], texts[1:] != texts[:-1]])) if len(texts) else texts
    return texts[starts], np.diff(starts, append=len(texts)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Occurrences:
    """Which of the question's words stand in which texts."""

    of_words: Sequence[tuple[Rows, Floats]]
    """For each of the question's words that the notes have, (m,) the texts with it, each once, and how often it stands in each."""
    unknown: int
    """Number of those that they do not have."""
    size: int
    """Number of all texts."""

    @property
    def rarity(self) -> Floats:
        """Returns (width,) the inverse document frequency of each word, as a part of the sum over all words of the question.

        The parts are multiplied by the share of that sum that is known.
        """
        having = np.array([*(len(texts) for texts, _ in self.of_words), 0])
        weights = np.log1p((self.size - having + 0.5) / (having + 0.5))
        known = weights[:-1].sum()
        return np.asarray(weights[:-1] * known / (known + self.unknown * weights[-1]) ** 2, np.float32)

    def shares(self, rarity: Floats) -> Floats:
        """(size,) sum of the rarity of each text's words.

        Args:
            rarity: (width,)
        """
        found = np.zeros(self.size)
        for (texts, _), weight in zip(self.of_words, rarity, strict=True):
            found[texts] += weight
        return found.astype(np.float32)

    def bm25(self, lengths: Floats) -> Floats:
        """(size,) BM25 of each text; the best one has the rarity of all known words.

        Args:
            lengths: (size,) of the texts, in tokens.
        """
        rarity, mean = self.rarity, max(float(lengths.mean()), 1e-6)
        scores = np.zeros(self.size)
        for (texts, counts), weight in zip(self.of_words, rarity, strict=True):
            damped = counts + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * (lengths[texts] / mean))
            scores[texts] += weight * counts * (SATURATION + 1) / damped
        return np.asarray(scores * float(rarity.sum()) / max(float(scores.max()), 1e-6), np.float32)
