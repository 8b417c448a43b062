"""Tells whom a text means beside the person of a page, and which words of a capitalised run are a name."""

from __future__ import annotations

import re
from collections.abc import Collection

from noderag_local.text.capitals import POSSESSIVE
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.vault.browsing.relation_words import kin_words, near_words

_WORD = re.compile(r"[^\W\d_][\w-]*")
_BEFORE_PLACES = frozenset("in near nach aus à en em".split())


def means_another(text: str, named: Collection[str], own: Collection[str]) -> bool:
    """Returns whether "he" or "she" behind a text, such as "lunch with Karl", may mean somebody other than the page's person.

    Args:
        text: what stands before the pronoun.
        named: casefolded words of the names in the sentence.
        own: casefolded words of the names of the page's person.
    """
    is_place = False
    for word in map(str.casefold, _WORD.findall(text)):
        if word in _BEFORE_PLACES:
            is_place = True
        elif word not in named or word in own:
            is_place = False
            if word in kin_words() or word in near_words():
                return True
        elif not is_place:
            return True
    return False


def without_possessive(name: str) -> str:
    """Returns a name without the "'s" at its end: "Uwe" for "Uwe's" in "her brother Uwe's place"."""
    return POSSESSIVE.sub("", name)


def without_opening(name: str, named: Collection[str]) -> str:
    """Returns a capitalised run without the words of the sentence in front of the name: "Mira Lang" for "Met Mira Lang".

    Args:
        name: the run.
        named: casefolded words of the names in the sentence.
    """
    words = name.split()
    # A run of three words may have been taken for a name with its opening: "Saw Tom Huber".
    while (
        len(words) > 1
        and is_everyday_word(words[0].casefold())
        and (len(words) > 2 or words[0].casefold() not in named)
    ):
        del words[0]
    return " ".join(words)
