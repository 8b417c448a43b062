"""Checks statements in scripts without spaces between words, by the order of their characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from noderag_local.generation.citing.support.word_lists import WordLists
from noderag_local.text.number_words import small_numbers

SEQUENCE_SHARE = 0.85
"""Minimum share of a statement's characters that a sentence of the passage must hold in the same order."""
UNLISTED_SHARE = 0.7
"""The same in languages without word lists, whose particles count as much as other characters."""
LONGEST_SENTENCE = 300
"""Maximum characters of a sentence that are compared in order, so that the work stays linear in the length of a passage."""
_END = re.compile(r"[。！？!?；;\n]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_CLAUSE = re.compile(r"[，、,：:]+")
_DIGITS = re.compile(r"[一二三四五六七八九十]+")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*\s?[^\W\d_]?|[A-Za-z]+|[^\W\d_]")


def is_unspaced(text: str) -> bool:
    """Returns whether a text has characters of a script without spaces."""
    return bool(_UNSPACED.search(text))


def supports(statement: str, passages: Sequence[str], question: str, lists: WordLists) -> bool:
    """Returns whether one sentence of the passages says what each part of a statement says.

    Args:
        statement: a sentence without markers.
        passages: texts that it is held against.
        question: its characters count less where the statement repeats them.
        lists: word lists of the language.
    """
    plain = "".join(one for one in _characters(statement, lists))
    if not set(plain) - set(_characters("".join(question), lists)):
        return False
    held = [piece[:LONGEST_SENTENCE] for text in passages for piece in _END.split(text) if piece.strip()]
    return all(
        any(_says(sentence, part[:LONGEST_SENTENCE], question, lists) for sentence in held)
        for part in _CLAUSE.split(_END.sub("，", statement))
        if part.strip()
    )


def _says(sentence: str, part: str, question: str, lists: WordLists) -> bool:
    """Returns whether a sentence holds the characters of a part in their order, and neither denies nor doubts it otherwise."""
    wanted, there = _characters(part, lists), _characters(sentence, lists)
    weights = [_weight(one, lists, question) for one in wanted]
    shared = set(wanted) & set(there)
    least = (SEQUENCE_SHARE if lists.lists else UNLISTED_SHARE) * sum(weights)
    if sum(weight for one, weight in zip(wanted, weights, strict=True) if one in shared) < least:
        return False
    if not sum(weights):
        return False
    found = _common(wanted, there)
    missed = [one for one, is_there in zip(wanted, found, strict=True) if not is_there]
    if any(one[0].isascii() for one in missed):
        return False
    if sum(weight for weight, is_there in zip(weights, found, strict=True) if is_there) < least:
        return False
    clause = max(_CLAUSE.split(sentence), key=lambda one: sum(_common(wanted, _characters(one, lists))))
    return all(_has(part, lists, name) == _has(clause, lists, name) for name in ("not", "perhaps"))


def _has(text: str, lists: WordLists, name: str) -> bool:
    return any(word in text for word in lists.lists.get(name, ()))


def _weight(one: str, lists: WordLists, question: str) -> float:
    if lists.has("light", one) or lists.has("not", one) or lists.has("i", one):
        return 0.0
    return 0.5 if one in question else 1.0


def _characters(text: str, lists: WordLists) -> list[str]:
    """Returns the characters of a text, Latin words and numbers whole, number words as figures, "you" as "I"."""
    plain = unicodedata.normalize("NFKC", text)
    for word in sorted({*lists.lists.get("you", ()), *lists.lists.get("i", ())}, key=len, reverse=True):
        plain = plain.replace(word, "我")
    plain = _DIGITS.sub(lambda found: str(_number(found[0])), plain)
    return [one for one in _TOKEN.findall(plain) if not lists.has("light", one)]


def _number(text: str) -> int:
    """Returns the number up to 99 that a Chinese number word means."""
    values = small_numbers("zh")
    tens, ten, ones = text.partition("十")
    if not ten:
        return int("".join(str(values[one]) for one in text))
    return 10 * values.get(tens[-1:], 1) + values.get(ones[:1], 0)


def _common(wanted: Sequence[str], there: Sequence[str]) -> list[bool]:
    """Returns which characters of `wanted` are in its longest common subsequence with `there`."""
    lengths = [[0] * (len(there) + 1) for _ in range(len(wanted) + 1)]
    for at in range(len(wanted) - 1, -1, -1):
        for its in range(len(there) - 1, -1, -1):
            same = wanted[at] == there[its]
            lengths[at][its] = lengths[at + 1][its + 1] + 1 if same else max(lengths[at + 1][its], lengths[at][its + 1])
    found = [False] * len(wanted)
    at = its = 0
    while at < len(wanted) and its < len(there):
        if wanted[at] == there[its]:
            found[at], at, its = True, at + 1, its + 1
        elif lengths[at + 1][its] >= lengths[at][its + 1]:
            at += 1
        else:
            its += 1
    return found
