"""A digest that recognises a large file without reading all of it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

HEAD_BYTES = 1 << 20
SAMPLE_BYTES = 1 << 16
SAMPLES = 64


def digest(path: Path) -> str:
    """Returns 16 hexadecimal digits of the SHA-256 of the file's length, its head and 64 samples; reads 5 MB.

    Models differ all over: another quantization or training changes every tensor. It is no guard against forgers.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        found = hashlib.sha256(str(size).encode())
        file.seek(0)
        found.update(file.read(HEAD_BYTES))
        for sample in range(SAMPLES):
            file.seek(max(0, size - SAMPLE_BYTES) * sample // (SAMPLES - 1))
            found.update(file.read(SAMPLE_BYTES))
    return found.hexdigest()[:16]
