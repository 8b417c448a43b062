"""Shortens a passage to what a person reads before deciding whether to open it."""

from __future__ import annotations

from textwrap import shorten

PASSAGES_SHOWN = 3
"""Number of passages to show while a language model reads, and behind an answer that cites none."""
LONGEST = 220
"""Characters of an excerpt."""
_ENDS = (".", "!", "?", ":", ";", ",", "…", "。", "！", "？", "।", "؟")
"""Characters after which the next line reads on; any other line is a heading, an item or a row."""


def excerpt(text: str) -> str:
    """Returns the beginning of a passage on one line, with " · " where a heading, an item or a row of a table ends."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    joined = "".join(line + (" " if line.endswith(_ENDS) else " · ") for line in lines)
    return shorten(joined.removesuffix(" · "), LONGEST, placeholder=" …")
