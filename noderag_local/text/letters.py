"""Makes character classes of Unicode for `re`, which has none. Each costs 30 ms, so it is made when first needed."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from functools import cache

JOINED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uff66-\uff9f"  # half-width katakana
)
"""Class of the characters of scripts that write words without spaces between them, as the inside of a [...] of `re`."""
UNSPACED = JOINED + "\uac00-\ud7af"
"""The same with Korean, whose words stand apart but carry their particles."""


def character_class(belongs: Callable[[str], bool]) -> str:
    """Returns the characters of the basic plane for which `belongs` is true, as the inside of a [...] of `re`."""
    ranges: list[tuple[int, int]] = []
    for code in range(min(sys.maxunicode, 0xFFFF) + 1):
        if 0xD800 <= code < 0xE000 or not belongs(chr(code)):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in ranges)


@cache
def upper() -> str:
    """Returns the class of capital letters of all scripts."""
    return character_class(lambda character: character.isupper() or character.istitle())


@cache
def uncased() -> str:
    """Returns the class of letters of scripts without capitals."""
    return character_class(
        lambda character: character.isalpha() and character.lower() == character.upper() and ord(character) > 0x2FF
    )


@cache
def marks() -> str:
    r"""Returns the class of signs that belong to the letter before them (vowels of Indic scripts and Thai); `\w` leaves them out."""
    return character_class(lambda character: unicodedata.category(character) in ("Mn", "Mc"))
