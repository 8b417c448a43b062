"""What may be put into a log although it is text."""

from __future__ import annotations


class Term(str):
    """A word of the program itself, such as the name of a stage or a method; nothing that a person or a file says is one."""

    __slots__ = ()
