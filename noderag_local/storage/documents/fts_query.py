"""Turns a person's words into queries that FTS5 cannot misread."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import groupby, pairwise

from noderag_local.storage.documents.bigrams import bigrams, is_unspaced, without_unspaced

SHORTEST_STEM = 4
MAX_TERMS = 200
"""Most words of a query; FTS5 gets slow, and its parser deep, with thousands."""

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff"
"""Accents, points and vowel signs, which are part of a word for the index too."""
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")


def any_word(question: str) -> str:
    """Returns a query for rows with any of the question's words or bigrams; empty where it has none."""
    words = [f'"{word}"' for word in _words(without_unspaced(question))]
    pairs = [f'"{pair}"*' if len(pair) == 1 else f'"{pair}"' for pair in dict.fromkeys(bigrams(question))]
    terms = [f"{{text label}} : {word}" for word in words] + [f"bigrams : {pair}" for pair in pairs]
    return " OR ".join(terms[:MAX_TERMS])


def words_begun(text: str) -> str:
    """Returns a query for rows with all of the words, each of which may be the beginning of one; empty where there are none."""
    terms = [*_words(without_unspaced(text)), *dict.fromkeys(bigrams(text))]
    return " AND ".join(f'"{term}"*' for term in terms[:MAX_TERMS])


def labelled(word: str, stems: Collection[str]) -> str:
    """Returns a query for rows whose title or headings have a word, or one that begins with a stem of it.

    The query is empty where the index cannot find the word.

    Args:
        word: casefolded.
        stems: shorter ones than SHORTEST_STEM begin too many words, and are left out.
    """
    begun = [stem for stem in sorted(stems) if len(stem) >= SHORTEST_STEM]
    terms = [f'"{whole}"' for whole in _words(word)] + [f'"{stem}"*' for text in begun for stem in _words(text)]
    return f"label : ({' OR '.join(terms)})" if terms else ""


def all_words(words: Sequence[str]) -> str:
    """Returns a query for rows with every content word, with or without a final s or es; empty where there are none.

    Args:
        words: from `keywords`: pairs of characters where a script has no spaces.
    """
    terms = []
    for word in words[:MAX_TERMS]:
        if bigrams(word):
            terms.append(f'bigrams : "{word}"')
        elif pieces := _words(word, unique=False):
            spelled = " ".join(pieces)
            forms = (spelled, f"{spelled}s", f"{spelled}es", spelled.removesuffix("s"), spelled.removesuffix("es"))
            quoted = " OR ".join(f'"{form}"' for form in dict.fromkeys(forms) if form)
            terms.append(f"{{text label}} : ({quoted})")
    return " AND ".join(f"({term})" for term in terms)


def phrase(words: Sequence[str]) -> str:
    """Returns a query for rows where the words are next to each other; empty where there are none."""
    found = [word for text in words for word in _words(text, unique=False)]
    return f'"{" ".join(found[:MAX_TERMS])}"' if found else ""


def words_in_order(text: str) -> list[str]:
    """Returns the words of a text in lower case, each as often as it occurs."""
    return _words(text, unique=False)


def run_of_words(run: str) -> str:
    """Returns a query for rows where the words of a run are next to each other; empty where the index cannot find them.

    Args:
        run: words with blanks between them; characters of scripts without spaces are words of their own.
    """
    queries = []
    for unspaced, group in groupby(run.split(), key=is_unspaced):
        words = list(group)
        if not unspaced:
            queries.append(f'"{" ".join(words)}"')
        elif len(words) > 1:
            queries.append(f'bigrams : "{" ".join(map("".join, pairwise(words)))}"')
    return " AND ".join(queries)


def _words(text: str, *, unique: bool = True) -> list[str]:
    # Quotation marks, NUL and FTS5's operators are no word characters, so none can reach a query.
    found = [word.lower() for word in _WORD.findall(text)]
    return list(dict.fromkeys(found)) if unique else found
