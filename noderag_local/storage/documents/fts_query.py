"""Converts what a user types into queries that are safe for FTS5."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import groupby, pairwise

from noderag_local.storage.documents.bigrams import bigrams, is_unspaced, without_unspaced

SHORTEST_STEM = 4
MAX_TERMS = 200
"""Maximal number of words in a query; with thousands, FTS5 gets slow and its parser nests too deep."""

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff"
"""Accents, points and vowel signs, which the index also counts as parts of words."""
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")


def any_word(question: str) -> str:
    """Returns a query for rows with any word or bigram of the question; empty if the question has none."""
    words = [f'"{word}"' for word in _words(without_unspaced(question))]
    pairs = map(_pair, dict.fromkeys(bigrams(question)))
    terms = [f"{{text label}} : {word}" for word in words] + [f"bigrams : {pair}" for pair in pairs]
    return " OR ".join(terms[:MAX_TERMS])


def words_begun(text: str) -> str:
    """Returns a query for rows that have, for each word, a word that begins with it; empty if there are no words."""
    terms = [*_words(without_unspaced(text)), *dict.fromkeys(bigrams(text))]
    return " AND ".join(f'"{term}"*' for term in terms[:MAX_TERMS])


def labelled(word: str, stems: Collection[str]) -> str:
    """Returns a query for rows whose title or headings contain a word, or another word that begins with its stem.

    The query is empty if the index cannot find the word. For a script without spaces it also returns rows with the word in their
    text, since the index has the pairs of title and text together; `fulltext.labelled_chunks` leaves these out. One character
    alone is found only where it begins a pair.

    Args:
        word: the word, casefolded.
        stems: stems of the word; those shorter than SHORTEST_STEM are ignored, since too many words begin with them.
    """
    if pairs := bigrams(word):
        return " AND ".join(f"bigrams : {_pair(pair)}" for pair in pairs)
    begun = [stem for stem in sorted(stems) if len(stem) >= SHORTEST_STEM]
    # The index has "o'brien" as two words side by side; one of them alone would find every title with an "o".
    terms = [phrase([word]), *(f"{found}*" for stem in begun if (found := phrase([stem])))]
    return f"label : ({' OR '.join(terms)})" if terms[0] else ""


def all_words(words: Sequence[str]) -> str:
    """Returns a query for rows with every word, with or without a final s or es; empty if there are no words.

    Args:
        words: content words from `keywords`; for scripts without spaces, pairs of characters, or one that stands alone.
    """
    terms = []
    for word in words[:MAX_TERMS]:
        if bigrams(word):
            terms.append(f"bigrams : {_pair(word)}")
        elif pieces := _words(word, unique=False):
            spelled = " ".join(pieces)
            forms = (spelled, f"{spelled}s", f"{spelled}es", spelled.removesuffix("s"), spelled.removesuffix("es"))
            quoted = " OR ".join(f'"{form}"' for form in dict.fromkeys(forms) if form)
            terms.append(f"{{text label}} : ({quoted})")
    return " AND ".join(f"({term})" for term in terms)


def phrase(words: Sequence[str]) -> str:
    """Returns a query for rows that contain the words side by side; empty if there are no words."""
    found = [word for text in words for word in _words(text, unique=False)]
    return f'"{" ".join(found[:MAX_TERMS])}"' if found else ""


def words_in_order(text: str) -> list[str]:
    """Returns the words of a text in order and in lower case, repetitions included."""
    return _words(text, unique=False)


def run_of_words(run: str) -> str:
    """Returns a query for rows that contain a run of words side by side; empty if the index cannot find them.

    Args:
        run: words separated by blanks; each character of a script without spaces counts as a word.
    """
    queries = []
    for unspaced, group in groupby(run.split(), key=is_unspaced):
        words = list(group)
        if not unspaced:
            queries.append(f'"{" ".join(words)}"')
        elif len(words) > 1:
            queries.append(f'bigrams : "{" ".join(map("".join, pairwise(words)))}"')
    return " AND ".join(queries)


def _pair(pair: str) -> str:
    """Returns the term for a pair of characters; for one character alone, that for all pairs that begin with it."""
    return f'"{pair}"*' if len(pair) == 1 else f'"{pair}"'


def _words(text: str, *, unique: bool = True) -> list[str]:
    # Only word characters are kept, so quotation marks, NUL and FTS5's operators never reach a query.
    found = [word.lower() for word in _WORD.findall(text)]
    return list(dict.fromkeys(found)) if unique else found
