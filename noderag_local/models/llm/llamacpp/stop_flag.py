"""Stops a computation of llama.cpp from another thread, within a node of its graph."""

from __future__ import annotations

import ctypes
import sys

from noderag_local.models.llm.llamacpp.llama_library import native
from noderag_local.models.llm.llamacpp.llama_native import Pointer

ABORTED = 2
"""What llama_decode returns after its abort callback said yes."""


class Aborted(Exception):
    """The stop flag was set while the model was reading; the cache is as it was before that block."""


class StopFlag:
    """A flag that llama.cpp can look at without Python.

    The abort callback is asked at every node of the computation, a thousand times a batch. A callback in Python would
    wait for the interpreter's lock each time, so that a busy interface slows reading down many times over. C's
    `strlen` over two bytes of our own has the shape of that callback and needs no lock: it is 0 until the first byte is set.
    """

    def __init__(self) -> None:
        self._bytes = ctypes.create_string_buffer(2)

    def set(self) -> None:
        """Makes the model stop, within a node of its computation."""
        self._bytes[0] = b"\x01"

    def clear(self) -> None:
        """Lets the model compute again."""
        self._bytes[0] = b"\x00"

    def is_set(self) -> bool:
        """Whether the model should stop."""
        return self._bytes[0] != b"\x00"

    def guard(self, context: Pointer) -> None:
        """Makes this the flag of a context; it must live until the context has another or is freed."""
        native.llama_set_abort_callback(context, _flag_is_set, ctypes.c_void_p(ctypes.addressof(self._bytes)))


_c_library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
_flag_is_set = ctypes.cast(_c_library.strlen, native.ggml_abort_callback)
