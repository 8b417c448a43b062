"""Finds the content words of a sentence, and decides which of them get a node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from noderag_local.text.letters import UNSPACED, marks
from noderag_local.text.stopwords import stop_words_for

_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:['.][A-Za-z0-9]+)*")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_POSSESSIVE = re.compile(r"'s?$")
_DIGIT = re.compile(r"\d")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_LONE_WORD = re.compile(r"(?![年月日时時])[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""A Chinese character, which may be a word by itself; those that follow a number in dates and times say nothing alone."""


def keywords(text: str) -> list[str]:
    """Returns the casefolded content words in the order of the text, each once.

    Stop words are left out and numbers kept. Scripts without spaces (`letters.UNSPACED`: Chinese, Japanese, Korean, Thai, Lao,
    Khmer and Myanmar) come as pairs of neighbouring characters, as the full-text index has them; a Chinese character that stands
    alone, such as "猫", is a word by itself.
    """
    words = [_POSSESSIVE.sub("", word.casefold()) for word in _words(text)]
    stopped = stop_words_for(words)
    found: dict[str, None] = {}
    for word in words:
        if word in stopped:
            continue
        if _UNSPACED.match(word):
            found.update(dict.fromkeys(_pairs(word)))
        elif len(word) > 1 or word.isdigit():
            found[word] = None
    return list(found)


def _words(text: str) -> list[str]:
    text = text.replace("’", "'")  # phones and word processors write this one
    return (_ASCII_WORD if text.isascii() else _any_word()).findall(text)


@cache
def _any_word() -> re.Pattern[str]:
    letters = rf"(?:(?![{UNSPACED}_])[\w{marks()}])+"
    return re.compile(rf"[{UNSPACED}]+|{letters}(?:['.]{letters})*")


def _pairs(run: str) -> list[str]:
    """Returns pairs of neighbouring characters, without pairs of hiragana, which are grammar."""
    if len(run) == 1:
        return [run] if _LONE_WORD.match(run) else []
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return [pair for pair in pairs if len(_HIRAGANA.findall(pair)) < 2]


def marked_words(text: str) -> frozenset[str]:
    """Returns the casefolded words that are capitalised or numeric: they are kept however rare they are."""
    marked = (word for word in _words(text) if not word.islower() and (word[0].isupper() or _DIGIT.search(word)))
    return frozenset(_POSSESSIVE.sub("", word.casefold()) for word in marked)


def document_frequencies(keyword_lists: Iterable[Iterable[str]]) -> Counter[str]:
    """Counts the lists that contain each keyword; a list counts once, however often it has the word."""
    frequencies: Counter[str] = Counter()
    for words in keyword_lists:
        frequencies.update(set(words))
    return frequencies


def is_kept(word: str, frequency: int, marked: bool) -> bool:
    """Returns whether a keyword gets a node: it is in two sentences, or capitalised or numeric somewhere.

    Args:
        word: as `keywords` gives it.
        frequency: number of sentences that contain it.
        marked: whether `marked_words` returns it for one of them.
    """
    return frequency >= 2 or marked or bool(_DIGIT.search(word))
