"""The files that are about a topic, for a person who will act on them: a wrong file is worse than a missing one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.documents.fts_query import all_words
from noderag_local.text.keywords import keywords

NEAR, NEAR_WITH_A_WORD = 0.6, 0.5
"""Cosine from which a sentence is about a question that shares no content word with it, or one. In the notes of the demo, the
nearest sentence to eight things that they do not tell has 0.12 to 0.43."""

NARROW = 0.6
"""Mean cosine of all sentences from which on the model sets every text close to every other, as multilingual-e5-small does. Then what
a cosine has above this mean is what counts, as a share of the most that it could have."""

_BY_WORDS = """
SELECT path, chunks.id FROM chunk_words JOIN chunks ON chunks.id = chunk_words.rowid
JOIN documents ON documents.id = document_id JOIN files ON files.id = file_id
WHERE chunk_words MATCH ? ORDER BY rank, chunks.id
"""
_SENTENCES = "SELECT text FROM sentences WHERE chunk_id = ? ORDER BY position"
_PLACE = """
SELECT path, sentences.text FROM sentences JOIN chunks ON chunks.id = chunk_id
JOIN documents ON documents.id = document_id JOIN files ON files.id = file_id WHERE sentences.id = ?
"""


@dataclass(frozen=True, slots=True)
class Match:
    """A file and the passage in it that is about the question."""

    path: str
    passage: str
    """The sentence with most of the words, or the nearest one."""
    cosine: float | None
    """Cosine with the question; None where a passage of the file has all the words."""


def matching_files(search_context: SearchContext, question: str, *, by_vectors: bool) -> list[Match]:
    """Returns files with all content words of the question in one passage, then files with a sentence close to it.

    Args:
        search_context: arrays and rows of the vault that is searched.
        question: the question, as the person typed it.
        by_vectors: whether the vault has vectors.
    """
    words = keywords(question)
    found: dict[str, Match] = {}
    for path, chunk in search_context.store.rows(_BY_WORDS, (all_words(words),)) if words else ():
        found.setdefault(path_of(path), Match(path_of(path), _telling_sentence(search_context, chunk, words), None))
    for sentence, cosine in _near(search_context, question) if by_vectors else ():
        ((path, text),) = search_context.store.rows(_PLACE, (sentence,))
        if cosine >= NEAR or set(words) & set(keywords(text)):
            found.setdefault(path_of(path), Match(path_of(path), text, cosine))
    return list(found.values())


def _telling_sentence(search_context: SearchContext, chunk: int, words: list[str]) -> str:
    sentences = [text for (text,) in search_context.store.rows(_SENTENCES, (chunk,))]
    return max(sentences, key=lambda text: sum(word in text.casefold() for word in words), default="")


def _near(search_context: SearchContext, question: str) -> list[tuple[int, float]]:
    """(sentence, cosine) of all that may be near enough, nearest first."""
    index = search_context.vector_index(NodeType.SENTENCE)
    if not len(index.ids):
        return []
    cosines = index.cosines(search_context.encode(question)[None])[0]
    mean = float(cosines.mean())
    if mean >= NARROW:
        cosines = (cosines - mean) / (1 - mean)
    rows = np.flatnonzero(cosines >= NEAR_WITH_A_WORD)
    rows = rows[np.argsort(-cosines[rows], kind="stable")]
    return [(int(index.ids[row]), float(cosines[row])) for row in rows]
