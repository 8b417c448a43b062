"""Documents that a question names by title or alias and asks nothing else about, such as "Karim" or "Who is Karim Haddad?".

What such a question wants is the note on it, and the note on Karim Haddad need not repeat his name. This is a rule, and not a
signal that is fitted: hardly a question of a benchmark consists of a title.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.retrieval.search_arrays import SearchArrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.bigrams import is_unspaced
from noderag_local.storage.documents.texts import TextRows
from noderag_local.text.stems import question_stems

WEIGHT = 40.0
"""Logarithm by which the first sentence of a document is more likely whose whole title is the question; more than all signals."""
FADING = 5
"""Sentences after which the weight is half: the rest of a long note leaves room for other notes that tell of the same."""
BEGINNING = 2
"""Letters at the beginning of a stem that every form of the word has."""
MOST_TITLES = 500
"""Most documents whose titles are compared with the question. The shortest titles come first: a title that says no more than the
question is hardly longer than it."""
MOST_DOCUMENTS = 4000
"""Most documents with all words of the question in their titles or headings that are sorted by the length of the titles. Words
that more documents have, such as "Newsletter" in a mailbox, name none of them, and sorting 15,000 takes 26 ms."""


def named_documents(
    words: Collection[frozenset[str]], labelled: Sequence[Sequence[int]], store: Store, arrays: SearchArrays
) -> NDArray[np.float32]:
    """Returns how well the question names the document of each sentence, (n,) from 0 to 1, falling from its beginning on.

    Args:
        words: stems of each content word of the question.
        labelled: ids of the chunks whose title or headings have each of these words.
        store: the vault.
        arrays: arrays of the vault's graph.
    """
    named = np.zeros(len(arrays.sentences), np.float32)
    if not words:
        return named
    with_all = _one_of_each_document(set.intersection(*map(set, labelled)) if labelled else set(), arrays)
    if len(with_all) > MOST_DOCUMENTS:
        with_all = []
    share_of: dict[int, float] = {}
    for chunk, name in _names(words, with_all, store, arrays):
        of_name = question_stems(name).values()
        if all(any(word & other for other in of_name) or _is_sign_of(name, word) for word in words):
            share_of[chunk] = max(share_of.get(chunk, 0.0), min(len(words) / len(of_name), 1.0))
    chunks = arrays.chunks[arrays.chunk_of]
    for document, share in _by_document(share_of, chunks, arrays.document_of).items():
        rows = np.flatnonzero(arrays.document_of == document)
        named[rows] = share / (1 + np.maximum(arrays.positions[rows], 0) / FADING)
    return named


def _is_sign_of(name: str, word: frozenset[str]) -> bool:
    """Whether a word is a single character such as "猫", which a name may have in a longer word, and which is in this name."""
    return any(is_unspaced(sign) and sign in name for sign in word)


def _one_of_each_document(chunk_ids: Collection[int], arrays: SearchArrays) -> list[int]:
    """Returns the id of one of the chunks in each of their documents, so that a note of many chunks hides no others."""
    if not chunk_ids:
        return []
    is_wanted = np.isin(arrays.chunks, list(chunk_ids))
    rows = np.flatnonzero(is_wanted[arrays.chunk_of])
    _, first = np.unique(arrays.document_of[rows], return_index=True)
    return [int(chunk) for chunk in arrays.chunks[arrays.chunk_of[rows[first]]]]


def _names(
    words: Collection[frozenset[str]], chunk_ids: Sequence[int], store: Store, arrays: SearchArrays
) -> Iterator[tuple[int, str]]:
    """Yields (chunk, name): titles of some chunks' documents, and aliases with the first chunk of their document.

    Args:
        words: stems of each content word of the question; aliases without a beginning of each of them are left out, since
            finding the stems of all takes a second in a large mailbox.
        chunk_ids: one chunk of each document whose title is wanted.
        store: the vault.
        arrays: arrays of the vault's graph.
    """
    yield from TextRows(store).titles_of(chunk_ids, MOST_TITLES)
    beginnings = [{stem[:BEGINNING] for stem in word} for word in words]
    for at in arrays.alias_letters.with_all(beginnings).tolist():
        yield arrays.aliases[at]


def _by_document(
    share_of: dict[int, float], chunks: NDArray[np.int64], documents: NDArray[np.int64]
) -> dict[int, float]:
    """Returns the largest share of each document, by its row."""
    found: dict[int, float] = {}
    for chunk, share in sorted(share_of.items()):
        at = np.flatnonzero(chunks == chunk)[:1]
        for document in documents[at].tolist():
            found[document] = max(found.get(document, 0.0), share)
    return found
