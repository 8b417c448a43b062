"""Finds which longer name of its document a short one stands for: "Haddad" for "Karim Haddad", if there is only one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.people_pages import fits_inside

_JOINING = frozenset("y e &".split())
"""Words between two names: "Ana y Luis" is no longer form of either."""
_WHOSE = frozenset("von de di".split())
"""Words that stand inside a name, "Ana de Sousa", or behind what is somebody's, "Cumpleaños de Ana"."""
_OF_PLACES = frozenset(
    "new lake mount mt villa port fort north south west san santa santo são st st. saint sankt bad rio isle haus casa".split()
)
"""First words of names of places, which are short for nothing behind them: York is not New York."""
_MOST_WORDS = 4
"""Words of a person's full name."""


def longer_names(sentences: Iterable[Sequence[str]], forms: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Returns, for each key that begins a longer key of the document or is a person's surname, that longer key.

    A key of which there are several longer ones, as "anna" of "anna berger" and "anna huber", stands for none of them.

    Args:
        sentences: entity keys of each sentence of a document. Keys that have digits are never resolved: "1957" is not short for
            "16 june 1957".
        forms: the forms in which the document writes each key.
    """
    named = [dict.fromkeys(keys) for keys in sentences]
    keys = dict.fromkeys(key for of_sentence in named for key in of_sentence)
    longer: defaultdict[str, list[str]] = defaultdict(list)
    apart = _read_apart(named)
    for name in keys:
        rest = _without_everyday_words(name)
        meant = rest if " " in rest and rest in keys else name
        ends = _ends(name) if any(map(_is_like_a_person, forms.get(name, ()))) else ()
        of_parts = dict.fromkeys(_fronts(name), name) | dict.fromkeys([*_fronts(rest), *ends], meant)
        for part, whole in of_parts.items():
            if part in keys and part != whole and (part, name) not in apart:
                longer[part].append(whole)
    resolved = {part: _only_one(longer[part]) for part in keys if part in longer and not any(map(str.isdigit, part))}
    return {part: name for part, name in resolved.items() if name}


def _read_apart(named: Iterable[Collection[str]]) -> set[tuple[str, str]]:
    """Returns (end, name) where the rules found both in one sentence: "Ana" is not short for "Cumpleaños de Ana"."""
    return {
        (name.rpartition(" ")[2], name)
        for keys in named
        for name in keys
        if not _WHOSE.isdisjoint(name.split(" ")[-2:-1]) and name.rpartition(" ")[2] in keys
    }


def _without_everyday_words(name: str) -> str:
    """Returns a key without words at its front that have their capital from the sentence: "met anna berger" → "anna berger".

    One letter is an initial.
    """
    while name[1:2] != " " and " " in name and is_everyday_word(name.partition(" ")[0]):
        name = name.partition(" ")[2]
    return name


def _fronts(name: str) -> Iterator[str]:
    words = name.split(" ")
    yield from (" ".join(words[:count]) for count in range(1, len(words)) if words[count] not in _JOINING)


def _ends(name: str) -> Iterator[str]:
    """Yields the ends of a key that may be a surname; several words behind "de" are somebody else's full name."""
    words = name.split(" ")
    for at in range(1, len(words)):
        before, is_one = words[at - 1], at == len(words) - 1
        if before not in _JOINING and (is_one or before not in _WHOSE):
            yield " ".join(words[at:])


def _is_like_a_person(form: str) -> bool:
    """Tells whether a name may be a first name with a surname, which may be an everyday word: "Christopher Cross", but not "New York"."""
    words = form.split()
    if not 2 <= len(words) <= _MOST_WORDS or any(map(str.isdigit, form)) or "'" in words[0] or "’" in words[0]:
        return False
    first = words[0].casefold()
    if not all(map(fits_inside, words[1:-1])):
        return False
    return words[0][0].isupper() and words[-1][0].isupper() and not is_everyday_word(first) and first not in _OF_PLACES


def _only_one(names: Sequence[str]) -> str:
    """Returns the shortest of names if all others contain it; "" if they are different ones."""
    shortest = min(names, key=len)
    return shortest if all(f" {shortest} " in f" {name} " for name in names) else ""
