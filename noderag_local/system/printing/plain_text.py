"""Removes invisible characters from notes, file names and models' answers before they are shown, stored or sent to a model.

Invisible characters are controls, direction marks, and the characters that Unicode calls default ignorable or format. A note can
hide instructions in them that no person sees but every language model reads. Characters that shape a neighbouring letter or
emoji are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

UNICODE = "16.0.0"
"""Version of the Unicode Character Database that the ranges are taken from; © Unicode, Inc., Unicode License V3."""

Ranges = tuple[tuple[int, int], ...]

DEFAULT_IGNORABLE: Ranges = (
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point of DerivedCoreProperties.txt: Python's `unicodedata` does not know it."""
VISIBLE_FORMAT: Ranges = (
    (0x600, 0x605),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
)
"""Format characters (Cf) that are drawn: Arabic, Syriac and Kaithi signs around numbers, and the joiners of hieroglyphs."""
_OBEYED: Ranges = (
    (0x00, 0x08),
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    (0x2028, 0x2029),
    (0xFFF9, 0xFFFB),
    (0xFDD0, 0xFDEF),
    *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)
"""Controls but the line end and the tab, separators that some terminals obey, annotations, and what is no character."""

_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_KEYCAP = "\u20e3"
_VIRAMA = 9
"""Canonical combining class of the signs that join two consonants; a joiner behind one shapes it even at a word's end."""
_JOINED: Ranges = (
    (0x600, 0x86F),
    (0x870, 0xDFF),
    (0xF00, 0x109F),
    (0x1700, 0x18AF),
    (0x1900, 0x1CFF),
    (0xA800, 0xABFF),
    (0xFB50, 0xFDCF),
    (0xFDF0, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x10AFF),
    (0x10B80, 0x10D3F),
    (0x10F30, 0x10FFF),
    (0x11000, 0x11FFF),
    (0x16A40, 0x16B8F),
    (0x1E900, 0x1E95F),
)
"""Blocks of the scripts whose letters take another form beside a joiner: Arabic and its kin, those of India and beyond."""
_MONGOLIAN: Ranges = ((0x1807, 0x1807), (0x1820, 0x18AF))
_EMOJI: Ranges = (
    (0xA9, 0xA9),
    (0xAE, 0xAE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2190, 0x21FF),
    (0x2300, 0x27BF),
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x3030, 0x3030),
    (0x303D, 0x303D),
    (0x3297, 0x3297),
    (0x3299, 0x3299),
    (0x1F000, 0x1FAFF),
)
"""Blocks of the signs that are drawn in colour or not (emoji-variation-sequences.txt), and joined (emoji-zwj-sequences.txt)."""


def _class(ranges: Ranges) -> str:
    """Returns the characters as the inside of a [...] of `re`."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


_HIDDEN = re.compile(f"[{_class((*DEFAULT_IGNORABLE, *_OBEYED))}]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ANY = re.compile(f"[{_class((*DEFAULT_IGNORABLE, *_OBEYED, (0xD800, 0xDFFF)))}]")
_IS_EMOJI, _IS_JOINED, _IS_MONGOLIAN = (re.compile(f"[{_class(ranges)}]") for ranges in (_EMOJI, _JOINED, _MONGOLIAN))


def printable(text: str) -> str:
    """Returns `text` without invisible characters; line ends and tabs stay, lone surrogates become U+FFFD. It is idempotent.

    A run of hidden letters leaves at most a joiner between letters or emoji that it joins, a selector behind an emoji, and
    the vowel separators and selectors of Mongolian behind its letters. Text that comes in pieces goes through
    `printable_pieces`, as a joiner needs to be seen with the letters beside it.
    """
    # Fast path: every sentence of every note passes here, and hardly any has an invisible character.
    if (text.isascii() and text.isprintable()) or not _ANY.search(text):
        return text
    return _HIDDEN.sub(_needed, _SURROGATE.sub("\ufffd", text))


def printable_values(value: Any) -> Any:
    """Returns JSON types with `printable` texts; keys stay as they are."""
    if isinstance(value, dict):
        return {key: printable_values(one) for key, one in value.items()}
    if isinstance(value, list):
        return [printable_values(one) for one in value]
    return printable(value) if isinstance(value, str) else value


def printable_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """Yields the result of `printable` for all pieces together, piece by piece; an invisible character waits for the next one."""
    held = before = ""
    for piece in pieces:
        text = held + _SURROGATE.sub("\ufffd", piece)
        end = len(text)
        while end and _HIDDEN.match(text, end - 1):
            end -= 1
        ready, held = text[:end], text[end:]
        if ready:
            yield _HIDDEN.sub(_needed, before + ready)[len(before) :]
            before = ready[-1]
    if rest := _HIDDEN.sub(_needed, before + held)[len(before) :]:
        yield rest


def _needed(hidden: re.Match[str]) -> str:
    """Returns the characters of an invisible run that the letters beside it need."""
    run, text = hidden[0], hidden.string
    before, after = text[hidden.start() - 1 : hidden.start()], text[hidden.end() : hidden.end() + 1]
    if _IS_EMOJI.match(before):
        return _first(run, _SELECTORS) + ("\u200d" if "\u200d" in run and _IS_EMOJI.match(after) else "")
    if after == _KEYCAP and before in set("0123456789#*"):
        return _first(run, "\ufe0f")
    if _IS_MONGOLIAN.match(before):
        return _first(run, "\u180b\u180c\u180d\u180e\u180f" + _JOINERS)
    if _IS_JOINED.match(before) and (_is_joined_letter(after) or unicodedata.combining(before) == _VIRAMA):
        return _first(run, _JOINERS)
    return ""


def _is_joined_letter(character: str) -> bool:
    return bool(_IS_JOINED.match(character)) and unicodedata.category(character)[0] in "LM"


def _first(run: str, wanted: str) -> str:
    """Returns the first of the wanted letters in a run; "" where there is none."""
    return next((letter for letter in run if letter in wanted), "")
