"""Tells whether llama.cpp is installed, without loading it."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec

PACKAGE = "llama_cpp"
NOT_INSTALLED = (
    "llama.cpp is not installed, so no model file can answer. `scripts/run` compiles it in the background; in another "
    "installation: pip install llama-cpp-python."
)


def is_installed() -> bool:
    """Returns whether llama.cpp is installed by now; it may come while this process runs."""
    if PACKAGE in sys.modules:
        return True
    # Python remembers what the folders of packages held when it last looked.
    importlib.invalidate_caches()
    return find_spec(PACKAGE) is not None
