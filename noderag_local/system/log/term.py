"""The type of words that a log may contain."""

from __future__ import annotations


class Term(str):
    """A word of the program itself, such as the name of a stage or a method; never a word of a person or a file."""

    __slots__ = ()
