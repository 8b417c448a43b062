"""Tells whether llama.cpp is installed, without loading it."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec

PACKAGE = "llama_cpp"
NOT_INSTALLED = (
    "llama.cpp is not installed, so no model file can be used. `scripts/run` compiles it in the background. In any other "
    "installation: pip install llama-cpp-python."
)


def is_installed() -> bool:
    """Returns whether llama.cpp is installed; the set-up may install it while this process runs."""
    if PACKAGE in sys.modules:
        return True
    # Python caches the contents of package folders.
    importlib.invalidate_caches()
    return find_spec(PACKAGE) is not None
