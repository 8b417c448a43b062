"""Finds names that may be one entity, for a person to decide; pairs are weighed by the entities that the names occur with.

Nothing here is merged without a person. A typing error in a name and the name of a brother or sister look alike, and occur with
the same entities.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.extraction.same_names.name_variants import (
    LARGEST_BLOCK,
    ROMAN,
    SMALL_WORDS,
    Likeness,
    Rule,
    ShortNameEvidence,
    blocks,
    likenesses,
)

SHORTEST = 8
"""Fewest letters of a name in which one letter more or less may be a typing error."""
SHORTEST_WORD = 5
"""Fewest letters of the word with the typing error."""
_DOUBLED = re.compile(r"(.)\1")
WIDELY = 500
"""Most sentences of a name whose entities are counted as its context."""
_SAME_SOUND = (("ph", "f"), ("th", "t"), ("ck", "k"), ("c", "k"), ("y", "i"))
"""Letters that names write for the same sound, replaced in this order."""
SHARED = 3
"""Number of shared entities that are shown, and that give a pair its full score for them."""
LISTED_FROM = 0.5
"""Lowest score at which a pair is listed."""
PRIORS = {
    Rule.SPELLING: 0.5,
    Rule.ACCENTS: 0.45,
    Rule.INITIALS: 0.45,
    Rule.TYPING: 0.3,
    Rule.COMPANY: 0.35,
    Rule.TITLE: 0.25,
    Rule.POSSESSIVE: 0.35,
    Rule.PLURAL: 0.3,
    Rule.ACRONYM: 0.15,
    Rule.PART: -0.07,
    Rule.FIRST_NAME: LISTED_FROM,
}
"""Score that a rule gives by itself; the context adds up to 0.6. A surname needs nearly all of it: a battle has the name of a town."""
_SHORT_FORM = 0.4
"""Score of a pair if a text says that the two are the same."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Two names that may be one."""

    first: int
    """Row of the entity with the lesser key."""
    second: int
    rule: Rule
    score: float
    shared: tuple[int, ...]
    """Rows of entities that stand in sentences with both names, those in fewest sentences first."""
    cosine: float
    """Cosine between what is said of the two."""


@dataclass(frozen=True)
class NameContexts:
    """Contexts of the names: the sentences that mention each, and a vector of what they say; rows are those of the keys."""

    mentions: sp.csr_matrix
    """Matrix (n, e) of sentences and the entities that they mention."""
    vectors: NDArray[np.float32]
    """Vectors (e, dim) of what is said of each entity, of unit length or zero."""


def guesses(keys: Sequence[str], contexts: NameContexts, evidence: ShortNameEvidence) -> list[Guess]:
    """Returns the pairs worth a look, best first, ties by key.

    Args:
        keys: (e,) of the entities; "" for those that are left out.
        contexts: contexts of the same entities.
        evidence: what the notes say about short names.
    """
    row_of = {key: row for row, key in enumerate(keys) if key}
    scorer = _PairScorer(contexts)
    found: dict[tuple[int, int], Guess] = {}
    for likeness in _likenesses(list(row_of), evidence):
        ends = row_of[likeness.first], row_of[likeness.second]
        guess = scorer.scored(likeness, *ends, evidence)
        if guess.score >= LISTED_FROM and guess.score > found.get(ends, _NOTHING).score:
            found[ends] = guess
    return sorted(found.values(), key=lambda one: (-one.score, keys[one.first], keys[one.second]))


_NOTHING = Guess(0, 0, Rule.PART, 0.0, (), 0.0)


class _PairScorer:
    def __init__(self, contexts: NameContexts) -> None:
        self._named = (contexts.mentions > 0).tocsr()
        self._sentences_of = self._named.T.tocsr()
        self._vectors = contexts.vectors
        self._frequency = np.diff(self._sentences_of.indptr)

    def scored(self, likeness: Likeness, first: int, second: int, evidence: ShortNameEvidence) -> Guess:
        """Scores a pair by its rule and its context."""
        shared = sorted(
            (self._around(first) & self._around(second)) - {first, second},
            key=lambda row: (self._frequency[row], row),
        )
        cosine = float(self._vectors[first] @ self._vectors[second])
        context = 0.35 * min(len(shared), SHARED) / SHARED + 0.25 * max(cosine, 0.0)
        prior = PRIORS[likeness.rule] + _SHORT_FORM * ((likeness.first, likeness.second) in evidence.pairs)
        return Guess(first, second, likeness.rule, round(prior + context, 3), tuple(shared[:SHARED]), round(cosine, 3))

    def _around(self, entity: int) -> set[int]:
        rows = self._sentences_of.indices[self._sentences_of.indptr[entity] : self._sentences_of.indptr[entity + 1]]
        return set(self._named[np.sort(rows)[:WIDELY]].indices.tolist())


def _likenesses(keys: Sequence[str], evidence: ShortNameEvidence) -> Iterator[Likeness]:
    """Yields every pair that some rule finds."""
    for block, held in _grouped(keys, blocks):
        yield from likenesses(block, held, evidence)
    yield from _pairs(keys, _halves, _by_typing)
    yield from _pairs(keys, _ends, _by_first_name)
    yield from _parts(keys)
    yield from _first_names(keys, evidence)


def _pairs(
    keys: Sequence[str], blocks_of: Callable[[str], Iterable[str]], judge: Callable[[str, str], Rule | None]
) -> Iterator[Likeness]:
    for _, held in _grouped(keys, blocks_of):
        for first, second in combinations(sorted(held), 2):
            rule = judge(first, second)
            if rule is not None:
                yield Likeness(first, second, rule, sure=False)


def _first_names(keys: Sequence[str], evidence: ShortNameEvidence) -> Iterator[Likeness]:
    """Yields pairs of a first name and a person who has it and a note."""
    there = set(keys)
    for pair in evidence.first_names:
        if there.issuperset(pair):
            first, second = sorted(pair)
            yield Likeness(first, second, Rule.FIRST_NAME, sure=False)


def _grouped(keys: Iterable[str], blocks_of: Callable[[str], Iterable[str]]) -> Iterator[tuple[str, list[str]]]:
    """Yields blocks of two names or more, except those that hold too many."""
    together: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        for block in dict.fromkeys(blocks_of(key)):
            together[block].append(key)
    for block, held in together.items():
        if 2 <= len(held) <= LARGEST_BLOCK:
            yield block, held


def _halves(key: str) -> Iterator[str]:
    """Yields halves of a name, of which one error leaves one as it is; for two lengths, as a letter may be missing."""
    if sum(map(str.isalpha, key)) < SHORTEST or any(map(str.isdigit, key)):
        return
    for length in (len(key), len(key) + 1):
        half = length // 2
        yield f"{length} {key[:half]}"
        yield f"{length} {key[half - length :]}"


def _by_typing(first: str, second: str) -> Rule | None:
    from rapidfuzz.distance import OSA

    if first[0] != second[0] or OSA.distance(first, second, score_cutoff=1) != 1:
        return None
    if first.rstrip("s'") == second.rstrip("s'"):
        return Rule.PLURAL
    ours, theirs = first.split(), second.split()
    if len(ours) != len(theirs):
        return Rule.SPELLING if "".join(ours) == "".join(theirs) else None
    ((one, other),) = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]][:1]
    # "Mongolian" is no error for "Mongolia", nor "socialist" for "socialism".
    is_form = one[:-1] in (other, other[:-1]) or other[:-1] == one
    is_number = ROMAN.fullmatch(one) and ROMAN.fullmatch(other)
    if is_form or is_number or min(len(one), len(other)) < SHORTEST_WORD:
        return None
    # "Oscar Demir" and "Oskar Demir" need no shared context. Single words do: "Catherine" may be any of several people.
    return Rule.SPELLING if len(ours) > 1 and _sound(one) == _sound(other) else Rule.TYPING


def _sound(word: str) -> str:
    """Returns a word with one way of writing for each sound, and no letter doubled."""
    for written, usual in _SAME_SOUND:
        word = word.replace(written, usual)
    return _DOUBLED.sub(r"\1", word)


def _ends(key: str) -> Iterator[str]:
    """Yields the first and last word, and the initial of the first with the last."""
    words = key.split()
    if 2 <= len(words) <= 3 and all(map(str.isalpha, words)) and len(words[-1]) > 2:
        yield f"{words[0]} {words[-1]}"
        yield f"{words[0][0]} {words[-1]}"


def _by_first_name(first: str, second: str) -> Rule | None:
    """Compares given names: "John F. Kennedy" and "John Kennedy"; "J. Smith" and "John Smith"."""
    short, long = sorted((first.split(), second.split()), key=len)
    if len(short) == 2 and len(long) == 3 and short[0] == long[0]:
        return Rule.INITIALS if len(long[1]) == 1 else None
    if len(short) == len(long) == 2 and 1 in (len(short[0]), len(long[0])):
        return Rule.INITIALS
    return None


def _parts(keys: Sequence[str]) -> Iterator[Likeness]:
    """Yields pairs of a surname and the one person who has it."""
    persons: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        words = key.split()
        if 2 <= len(words) <= 3 and all(map(str.isalpha, words)) and SMALL_WORDS.isdisjoint(words):
            persons[words[-1]].append(key)
    for key in keys:
        if len(persons.get(key, ())) == 1:
            first, second = sorted((key, persons[key][0]))
            yield Likeness(first, second, Rule.PART, sure=False)
