"""The files that are about something, for a person who is going to act on them: better too few than one that is not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.retriever import Grounds
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.documents.fts_query import all_words
from noderag_local.text.keywords import keywords

NEAR, NEAR_WITH_A_WORD = 0.6, 0.5
"""Cosine from which a sentence is about a question that shares no content word with it, or one. In the notes of the demo, the
nearest sentence to eight things that they do not tell has 0.12 to 0.43."""

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
    """A file, and what in it is about the question."""

    path: str
    passage: str
    """The sentence that has most of the words, or is nearest."""
    cosine: float | None
    """How near it is; None where a passage of the file has all the words."""


def matching_files(grounds: Grounds, question: str, *, by_vectors: bool) -> list[Match]:
    """Files with all content words of the question in one passage, then those with a sentence that is clearly near to it.

    Args:
        by_vectors: whether the vault has vectors.
    """
    words = keywords(question)
    found: dict[str, Match] = {}
    for path, chunk in grounds.store.rows(_BY_WORDS, (all_words(words),)) if words else ():
        found.setdefault(path_of(path), Match(path_of(path), _telling_sentence(grounds, chunk, words), None))
    for sentence, cosine in _near(grounds, question) if by_vectors else ():
        ((path, text),) = grounds.store.rows(_PLACE, (sentence,))
        if cosine >= NEAR or set(words) & set(keywords(text)):
            found.setdefault(path_of(path), Match(path_of(path), text, cosine))
    return list(found.values())


def _telling_sentence(grounds: Grounds, chunk: int, words: list[str]) -> str:
    sentences = [text for (text,) in grounds.store.rows(_SENTENCES, (chunk,))]
    return max(sentences, key=lambda text: sum(word in text.casefold() for word in words), default="")


def _near(grounds: Grounds, question: str) -> list[tuple[int, float]]:
    """(sentence, cosine) of all that may be near enough, nearest first."""
    index = grounds.vector_index(NodeType.SENTENCE)
    if not len(index.ids):
        return []
    cosines = index.cosines(grounds.encode(question)[None])[0]
    rows = np.flatnonzero(cosines >= NEAR_WITH_A_WORD)
    rows = rows[np.argsort(-cosines[rows], kind="stable")]
    return [(int(index.ids[row]), float(cosines[row])) for row in rows]
