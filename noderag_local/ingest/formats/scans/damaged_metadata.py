"""Lets a reader of metadata fail alone: a picture with damaged metadata may be intact."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeVar

from noderag_local.domain.errors import DocumentError

BROKEN = (
    DocumentError,
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    EOFError,
    struct.error,
)
"""Exceptions of Pillow and of our code on damaged metadata."""
Read = TypeVar("Read")


def sound(read: Callable[[], Read], otherwise: Read) -> Read:
    """Returns the result of a reader, or a default if the metadata are damaged."""
    try:
        return read()
    except BROKEN:
        return otherwise
