"""Text from notes, file names and models made harmless for a terminal."""

from __future__ import annotations

_KEPT = "\n\t"
_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {ord(sign) for sign in _KEPT}
"""C0 and C1 controls: the first sign of every escape sequence is one of them."""
_DIRECTIONS = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Marks that turn the direction of writing and so can show a text in another order than it has."""
_UNSEEN = {0x2028, 0x2029, 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)}
"""Separators that some terminals obey, and tag characters, which hide text from the eye but not from a model."""

_TABLE: dict[int, str | None] = {
    **dict.fromkeys(_CONTROLS | _DIRECTIONS | _UNSEEN),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}


def printable(text: str) -> str:
    """`text` without what a terminal would obey rather than show; lines and tabs stay, lone surrogates become U+FFFD.

    It looks at each character alone, so it may be called piece by piece on a stream.
    """
    return text.translate(_TABLE)
