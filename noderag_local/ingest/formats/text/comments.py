"""Obsidian's comments that go over many lines: from a line %% to the next one."""

from __future__ import annotations

import re
from bisect import bisect_left

_MARK = re.compile(r"^%%[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_SHOWN = re.compile(r"[^\n]")


def without_block_comments(text: str) -> str:
    """`text` with spaces for the characters of such comments, so that every offset stays; marks in code are none."""
    if "%%" not in text:
        return text
    fences = [match.start() for match in _FENCE.finditer(text)]
    marks = [match for match in _MARK.finditer(text) if not _is_in_code(match.start(), fences)]
    pieces, at = [], 0
    for opening, closing in zip(marks[0::2], marks[1::2], strict=False):
        pieces += [text[at : opening.start()], _SHOWN.sub(" ", text[opening.start() : closing.end()])]
        at = closing.end()
    return "".join([*pieces, text[at:]])


def _is_in_code(at: int, fences: list[int]) -> bool:
    return bisect_left(fences, at) % 2 == 1
