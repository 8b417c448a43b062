"""Fields of front matter, in whichever language it is written."""

from __future__ import annotations

Field = str | list[str]
Fields = dict[str, Field]
"""Values by key; those that are neither a text nor a list of texts are not among them."""

MAX_DEPTH = 32
"""Levels of nesting in a value or a key. Front matter of notes has two or three."""


class UnreadableFields(Exception):
    """Front matter that cannot be read; the message goes on behind "front matter that"."""
