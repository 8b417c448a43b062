"""llama.cpp's library, loaded so that its threads sleep while they wait for each other.

OpenMP's threads spin by default, and when something else wants the cores they spin on a core that the one they wait for
needs. Sleeping costs nothing on a quiet machine: 24 chunks took 73.7 s, and 73.8 s with spinning threads.
"""

from __future__ import annotations

import os

_before = os.environ.get("OMP_WAIT_POLICY")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import llama_cpp.llama_cpp as native  # noqa: E402 - OpenMP reads the variable while it is loaded

if _before is None:
    # Other libraries come with an OpenMP of their own and are left as they are.
    del os.environ["OMP_WAIT_POLICY"]

__all__ = ["native"]
